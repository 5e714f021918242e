/** State transitions of a summary request. Each applies to one revision, and has no effect if there is a newer one. */

import type { Transaction } from 'sequelize';
import { hashOf } from '../ai/summariser.js';
import { fixedLimit } from '../config/limit.js';
import type { Database } from '../database/pool.js';
import type { SummaryRequest } from '../database/queue.js';
import { addJobs } from '../database/queue.js';
import { statement } from '../database/statement.js';
import type { SummaryOutcome } from '../models/notification.js';
import type { AnalyzeStatus, Summary } from '../models/summary.js';
import { notifySummary } from './notify.js';

/** A recorded request, for which a job has to be added. */
export interface RequestedSummary {
  revision: number;
  /**
   * Fair queueing between authors: jobs of lower rounds run first. An author's next summary is one round after the author's
   * last unfinished one; the first is in the lowest unfinished round.
   */
  round: number;
}

/** Cached AI responses per article. */
const KEPT_ANSWERS = 10;

/** Values: article id. `set`, `condition`: SQL for an existing row (further assignments, and the WHERE clause of the update). */
const ask = (set: string, condition = '') => `
  insert into article_summaries as s (article_id, member_id, round)
  select a.id, a.member_id, greatest(
    (select min(round) from article_summaries where status in ('PENDING', 'PROCESSING')),
    (select max(round) + 1 from article_summaries
     where member_id = a.member_id and article_id <> a.id and status in ('PENDING', 'PROCESSING')),
    0)
  from articles a where a.id = $1
  on conflict (article_id) do update
    set revision = s.revision + 1, status = 'PENDING', member_id = excluded.member_id, round = excluded.round${set}
    ${condition}
  returning revision, round`;

/** Requests a summary of new content, and clears the tags of the previous content. Values: article id. */
const ASK_ANEW = statement<RequestedSummary>('ask_summary_anew', ask(", tags = '{}'"));

/** Requests a summary of the same content again, unless one is pending or in progress. Values: article id. */
const ASK_AGAIN = statement<RequestedSummary>(
  'ask_summary_again',
  ask('', "where s.status in ('COMPLETED', 'FAILED')"),
);

/** Includes PROCESSING: the process that started it may have crashed. Values: article id, revision. */
const BEGIN = statement<BegunSummary>(
  'begin_summary',
  `update article_summaries s set status = 'PROCESSING' from articles a
   where a.id = s.article_id and s.article_id = $1 and s.revision = $2 and s.status in ('PENDING', 'PROCESSING')
   returning a.content, a.member_id as "authorId"`,
);

interface BegunSummary {
  content: string;
  authorId: number;
}

/** Values: article id, revision. */
const PUT_BACK = statement<never>(
  'put_back_summary',
  `update article_summaries set status = 'PENDING' where article_id = $1 and revision = $2 and status = 'PROCESSING'`,
);

/** Locks the article before its summary, in the same order as edits, to prevent deadlocks. Values: article id. */
const HOLD_ARTICLE = statement<never>(
  'hold_article_for_summary',
  'select from articles where id = $1 for no key update',
);

/** Values: article id, revision, status, tags (null: unchanged). */
const END = statement<{ isEnded: true }>(
  'end_summary',
  `update article_summaries set status = $3, tags = coalesce($4::text[], tags)
   where article_id = $1 and revision = $2 and status = 'PROCESSING' returning true as "isEnded"`,
);

/** The modification time stays unchanged, because the author did not edit the article. Values: article id, summary. */
const SET_SUMMARY = statement<never>('set_summary', 'update articles set ai_summary = $2 where id = $1');

/** Values: key, article id, summary, tags. */
const KEEP_ANSWER = statement<never>(
  'keep_summary_answer',
  `insert into summary_answers as k (key, article_id, summary, tags) values ($1, $2, $3, $4)
   on conflict (key, article_id) do update set created_at = now()`,
);

/** Values: article id. */
const FORGET_ANSWERS = statement<never>(
  'forget_summary_answers',
  `delete from summary_answers where article_id = $1 and key in (
     select key from summary_answers where article_id = $1 order by created_at desc, key offset ${KEPT_ANSWERS})`,
);

export async function requestForNewText(
  database: Database,
  articleId: number,
  transaction: Transaction,
): Promise<RequestedSummary | null> {
  const [asked] = await database.query(ASK_ANEW, [articleId], transaction);
  return asked ?? null;
}

/** @returns null if one is already pending or in progress */
export async function retrySummary(
  database: Database,
  articleId: number,
  transaction: Transaction,
): Promise<RequestedSummary | null> {
  const [asked] = await database.query(ASK_AGAIN, [articleId], transaction);
  return asked ?? null;
}

/** @returns null if the request is already completed or failed, or there is a later revision */
export async function beginSummary(
  database: Database,
  { articleId, revision }: SummaryRequest,
): Promise<BegunSummary | null> {
  const [begun] = await database.query(BEGIN, [articleId, revision]);
  return begun ?? null;
}

/** Resets the status to PENDING, for a later retry. */
export async function putBackSummary(database: Database, { articleId, revision }: SummaryRequest): Promise<void> {
  await database.query(PUT_BACK, [articleId, revision]);
}

/** Writes the summary, its tags and the author's notification in one transaction. */
export function completeSummary(
  database: Database,
  request: SummaryRequest,
  key: Buffer,
  { summary, tags }: Summary,
): Promise<void> {
  const { articleId } = request;
  return end(database, request, 'COMPLETED', tags, async (transaction) => {
    await database.query(SET_SUMMARY, [articleId, summary], transaction);
    await database.query(KEEP_ANSWER, [key, articleId, summary, tags], transaction);
    await database.query(FORGET_ANSWERS, [articleId], transaction);
  });
}

/** An existing summary of the same content is preserved. */
export function failSummary(database: Database, request: SummaryRequest): Promise<void> {
  return end(database, request, 'FAILED', null, async () => {});
}

/** Idempotent: of two concurrent calls for one revision, the second has no effect. */
function end(
  database: Database,
  { articleId, revision }: SummaryRequest,
  outcome: SummaryOutcome & AnalyzeStatus,
  tags: string[] | null,
  write: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  return database.inTransaction(async (transaction) => {
    await database.query(HOLD_ARTICLE, [articleId], transaction);
    const [ended] = await database.query(END, [articleId, revision, outcome, tags], transaction);
    if (!ended) return;
    await write(transaction);
    await notifySummary(database, { articleId, outcome }, transaction);
  });
}

/** Concurrency limit of all processes together. Equal texts share a job queue, so that the second job finds the cached response of the first. */
const SUMMARIES_AT_ONCE = fixedLimit({
  area: 'Queues',
  error: null,
  value: 2,
  unit: 'count',
  about: 'Concurrent summaries of all processes together. Further ones wait; authors are served in turn.',
});

/** graphile-worker stores priorities as smallint. */
const MAX_PRIORITY = 32_767;

/** Adds the job in the transaction that writes the article or requests the summary. Replaces an earlier job that is still queued. */
export function summariseLater(
  database: Database,
  { round, ...request }: SummaryRequest & RequestedSummary,
  content: string,
  transaction: Transaction,
): Promise<void> {
  const queue = `summaries-${hashOf(content).readUInt8() % SUMMARIES_AT_ONCE}`;
  return addJobs(database, 'summarise-article', [request], {
    transaction,
    keyOf: ({ articleId }) => String(articleId),
    queue,
    priority: Math.min(round, MAX_PRIORITY),
  });
}
