/** The jobs: handlers by task name, and the schedule. */
import type { CronItem } from 'graphile-worker';
import ms from 'ms';
import { REMOVE_UNUSED_IMAGE } from '../commands/image.js';
import { handleLinkRequest, SEND_LINK } from '../commands/request-link.js';
import { RENDER_ARTICLES } from '../commands/request-rendering.js';
import { SUMMARIZE_ARTICLE } from '../commands/request-summary.js';
import { refreshTrends } from '../models/article/trend.js';
import { PUBLISH_DRAFTS } from '../models/draft/publication.js';
import { ANNOUNCE_ARTICLE } from '../models/notification/announcement.js';
import { MAIL_NOTIFICATIONS } from '../models/notification/create.js';
import { LEARN_SPAM } from '../models/spam.js';
import { type JobType, jobType, type QueueGroup, queueOf, singleQueue } from '../platform/database/queue.js';
import { SEND_MAIL } from '../services/mail/enqueue.js';
import { fillArticleTexts, renderArticles } from './article-rendering.js';
import {
  deleteExpiredChallenges,
  deleteExpiredIdempotencyKeys,
  deleteExpiredShares,
  deleteOldNotifications,
  deleteOldRemovals,
  deleteReaders,
  deleteRowsOfReaders,
  removeUnconfirmedAccounts,
  removeUnreferencedImages,
  removeUnusedImage,
  thinRevisions,
} from './cleanup.js';
import type { Task } from './job.js';
import { sendMail } from './mail.js';
import { announceArticle, mailDigests, mailNotifications } from './notification-mails.js';
import { publishDrafts, resumeSchedules } from './publication.js';
import { deleteRemoved } from './removal.js';
import { learnSpam } from './spam.js';
import { summarizeArticle } from './summary.js';

const CLEANUP = singleQueue('cleanup');

/** Likes and views of the last days, by which lists with a period are sorted. */
const rankArticles: Task<unknown> = (_payload, { database }, { signal, attempt }) =>
  refreshTrends(database, { signal, isRetry: attempt > 1 });

interface Declared {
  readonly type: JobType<unknown>;
  readonly run: Task<unknown>;
  readonly occurrences: readonly CronItem[];
}

/** A scheduled job is declared here; what a request adds, in the module that adds it. */
const DECLARED: readonly Declared[] = [
  added(REMOVE_UNUSED_IMAGE, removeUnusedImage),
  added(SUMMARIZE_ARTICLE, summarizeArticle),
  added(MAIL_NOTIFICATIONS, mailNotifications),
  added(ANNOUNCE_ARTICLE, announceArticle),
  added(SEND_MAIL, sendMail),
  added(LEARN_SPAM, learnSpam),
  added(PUBLISH_DRAFTS, publishDrafts),
  added(RENDER_ARTICLES, renderArticles),
  added(SEND_LINK, ({ id }, services) => handleLinkRequest(services, id)),
  scheduled('remove-unreferenced-images', CLEANUP, removeUnreferencedImages, '27 3 * * *', ms('1d')),
  scheduled('delete-old-notifications', CLEANUP, deleteOldNotifications, '17 3 * * *', ms('1d')),
  scheduled('delete-old-removals', CLEANUP, deleteOldRemovals, '22 3 * * *', ms('1d')),
  scheduled('delete-expired-idempotency-keys', CLEANUP, deleteExpiredIdempotencyKeys, '57 * * * *', ms('1h')),
  scheduled('remove-unconfirmed-accounts', CLEANUP, removeUnconfirmedAccounts, '7 3 * * *', ms('1d')),
  scheduled('delete-expired-challenges', CLEANUP, deleteExpiredChallenges, '7 * * * *', ms('1h')),
  scheduled('delete-expired-share-links', CLEANUP, deleteExpiredShares, '37 * * * *', ms('1h')),
  scheduled('delete-readers', singleQueue('readers'), deleteReaders, '7 * * * *', ms('1h')),
  scheduled('delete-removed', singleQueue('removals'), deleteRemoved, '42 * * * *', ms('1h')),
  // Added by a function of the database too (migrations/0001/10-reactions.sql).
  scheduled('delete-rows-of-readers', singleQueue('rows-of-readers'), deleteRowsOfReaders, '*/10 * * * *', ms('1h')),
  scheduled('resume-schedules', singleQueue('schedules'), resumeSchedules, '47 * * * *', ms('1h')),
  scheduled('thin-revisions', singleQueue('revisions'), thinRevisions, '32 3 * * *', ms('1d')),
  scheduled('fill-article-texts', singleQueue('article-texts'), fillArticleTexts, '52 3 * * *', ms('1d')),
  scheduled('rank-articles', singleQueue('trends'), rankArticles, '1 * * * *', ms('1h')),
  scheduled('mail-digests', singleQueue('digests'), mailDigests, '7 6 * * *', ms('1d')),
];

/** By name. */
export const jobTypes: ReadonlyMap<string, JobType<unknown>> = new Map(DECLARED.map(({ type }) => [type.name, type]));

/** Handlers by name. */
export const tasks: Record<string, Task<unknown>> = Object.fromEntries(
  DECLARED.map(({ type, run }) => [type.name, run]),
);

/** Scheduled (cron) jobs, in UTC. Processes that share a database run each occurrence once. */
export const schedule: readonly CronItem[] = DECLARED.flatMap(({ occurrences }) => occurrences);

/** Run at each start too, for rows that are not complete, for jobs that were lost, and for the first lists of a period. */
export const backfills = [...jobTypes.values()].filter(({ name }) => /^(?:fill|resume|rank)-/.test(name));

export const queuesByTask: ReadonlyMap<string, QueueGroup> = new Map(
  [...jobTypes].map(([name, { queues }]) => [name, queues]),
);

function added<Payload>(type: JobType<Payload>, run: Task<Payload>): Declared {
  return { type, run: run as Task<unknown>, occurrences: [] };
}

/** An occurrence of the last period that was missed while no process ran is backfilled at the next start. */
function scheduled(
  name: string,
  queues: QueueGroup,
  run: Task<unknown>,
  match: string,
  backfillPeriod: number,
): Declared {
  const type = jobType(name, queues);
  const options = { backfillPeriod, jobKey: name, queueName: queueOf(type) };
  return { type, run, occurrences: [{ task: name, match, options }] };
}
