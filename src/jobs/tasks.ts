/** The jobs: handlers by task name, and the schedule. */
import type { CronItem } from 'graphile-worker';
import { handleLinkRequest } from '../commands/request-link.js';
import { queueOf, type TaskName, type TaskPayloads } from '../database/queue.js';
import { fillArticleTexts } from './article-texts.js';
import {
  deleteExpiredChallenges,
  deleteExpiredIdempotencyKeys,
  deleteOldNotifications,
  removeUnconfirmedAccounts,
  removeUnreferencedImages,
  removeUnusedImage,
} from './cleanup.js';
import { fillImageSizes } from './image-sizes.js';
import type { Task } from './job.js';
import { sendMail } from './mail.js';
import { fillNameSkeletons } from './name-skeletons.js';
import { mailDigests, mailNotifications } from './notification-mails.js';
import { summarizeArticle } from './summary.js';

export const tasks: { readonly [Name in TaskName]: Task<TaskPayloads[Name]> } = {
  'remove-unused-image': removeUnusedImage,
  'remove-unreferenced-images': removeUnreferencedImages,
  'forget-old-notifications': deleteOldNotifications,
  'forget-idempotency-keys': deleteExpiredIdempotencyKeys,
  'remove-unconfirmed-accounts': removeUnconfirmedAccounts,
  'forget-challenges': deleteExpiredChallenges,
  'fill-name-skeletons': fillNameSkeletons,
  'fill-image-sizes': fillImageSizes,
  'fill-article-texts': fillArticleTexts,
  'summarise-article': summarizeArticle,
  'mail-notifications': mailNotifications,
  'mail-digests': mailDigests,
  'send-mail': sendMail,
  'send-link': ({ id }, services) => handleLinkRequest(services, id),
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Scheduled (cron) jobs, in UTC. Processes that share a database run each occurrence once. */
export const schedule: readonly CronItem[] = [
  occurrence('forget-old-notifications', '17 3 * * *', DAY_MS),
  occurrence('remove-unreferenced-images', '27 3 * * *', DAY_MS),
  occurrence('remove-unconfirmed-accounts', '7 3 * * *', DAY_MS),
  occurrence('fill-name-skeletons', '37 3 * * *', DAY_MS),
  occurrence('fill-image-sizes', '47 3 * * *', DAY_MS),
  occurrence('fill-article-texts', '52 3 * * *', DAY_MS),
  occurrence('mail-digests', '7 6 * * *', DAY_MS),
  occurrence('forget-idempotency-keys', '57 * * * *', HOUR_MS),
  occurrence('forget-challenges', '7 * * * *', HOUR_MS),
];

/** An occurrence of the last period that was missed while no process ran is backfilled at the next start. */
function occurrence(task: TaskName, match: string, backfillPeriod: number): CronItem {
  return { task, match, options: { backfillPeriod, jobKey: task, queueName: queueOf(task) } };
}
