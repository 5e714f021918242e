/** The job queue (graphile-worker): rows in the same database, so that a job is committed atomically with the change that causes it. */
import type { Transaction } from 'sequelize';
import type { Database } from './pool.js';
import { statement } from './statement.js';

/** One request for a summary. */
export interface SummaryRequest {
  articleId: number;
  revision: number;
  /** Set if the author requested the summary explicitly, not by creating or editing the article. */
  isRequested?: true;
}

/**
 * Payload of each task, by its name, which databases store. It must not contain personal data: a job may outlive the member that it refers to.
 * `unknown`: the job is added by the cron schedule (`fill-…` also at each start), and its payload is not used.
 */
export interface TaskPayloads {
  'remove-unused-image': { key: string };
  'forget-old-notifications': unknown;
  'remove-unreferenced-images': unknown;
  'forget-idempotency-keys': unknown;
  'remove-unconfirmed-accounts': unknown;
  'forget-challenges': unknown;
  'fill-name-skeletons': unknown;
  'fill-image-sizes': unknown;
  'fill-article-texts': unknown;
  'summarise-article': SummaryRequest;
  /** Also added by `src/commands/notify.ts`. */
  'mail-notifications': { memberId: number };
  'mail-digests': unknown;
  /** A row of `mails`, which has the address. */
  'send-mail': { messageId: string };
  /** A row of `link_requests`, which has the address. */
  'send-link': { id: string };
}

export type TaskName = keyof TaskPayloads;

export interface JobOptions<Name extends TaskName> {
  /** The transaction of the change that causes the job; without one, the job is added immediately. */
  transaction?: Transaction;
  /** Minimum delay in seconds before the job runs. Default: 0. */
  delaySeconds?: number;
  /** Deduplication key (graphile-worker `job_key`): a new job replaces a waiting job with the same key. */
  keyOf?: (payload: TaskPayloads[Name]) => string;
  /** Jobs in the same named queue run one at a time, across all processes. */
  queue?: string;
  /** Jobs with a lower priority value run first, jobs with the same value in the order of insertion. Default: 0. */
  priority?: number;
}

const ADD_JOBS = statement<
  [
    task: TaskName,
    payloads: string[],
    keys: (string | null)[],
    delaySeconds: number,
    queue: string | null,
    priority: number,
  ]
>(
  'add_jobs',
  `select from unnest($2::text[], $3::text[]) as j(payload, key),
     lateral graphile_worker.add_job($1, j.payload::json, queue_name => $5, job_key => j.key, priority => $6,
       run_at => now() + $4 * interval '1 second')`,
);

/** Adds jobs. A failed job is retried with increasing delay, up to 25 times in three days: tasks must be idempotent. */
export async function addJobs<Name extends TaskName>(
  database: Database,
  task: Name,
  payloads: readonly TaskPayloads[Name][],
  { transaction, delaySeconds = 0, keyOf, queue, priority = 0 }: JobOptions<Name> = {},
): Promise<void> {
  if (payloads.length === 0) return;
  const keys = payloads.map((payload) => (keyOf ? `${task}:${keyOf(payload)}` : null));
  const texts = payloads.map((payload) => JSON.stringify(payload));
  await database.query(ADD_JOBS, [task, texts, keys, delaySeconds, queue ?? null, priority], transaction);
}
