/** The queue of work for later: rows of the same database, so that a job is there exactly when its change is. */
import type { Transaction } from 'sequelize';
import type { Database } from './pool.js';
import { statement } from './statement.js';

/** One request for a summary. */
export interface SummaryRequest {
  articleId: number;
  revision: number;
  /** By the author, not by writing or editing the article. */
  isRequested?: true;
}

/** What each task is given. Never personal data: a job may outlive the member that it was about. */
export interface TaskPayloads {
  'remove-unused-image': { key: string };
  /** From the schedule, which adds what is of no use here. */
  'forget-old-notifications': unknown;
  /** At each start and from the schedule. */
  'fill-name-skeletons': unknown;
  'summarise-article': SummaryRequest;
}

export type TaskName = keyof TaskPayloads;

export interface JobOptions<Name extends TaskName> {
  /** Of the change that the job follows from; without one it is added at once. */
  transaction?: Transaction;
  /** Seconds until it runs at the earliest. */
  delay?: number;
  /** Two waiting jobs with one key are one job, the later one. */
  keyOf?: (payload: TaskPayloads[Name]) => string;
  /** Of the jobs in one queue a single one runs at a time, whichever process runs it. */
  queue?: string;
  /** Jobs with a lower one run first; those with the same one in the order in which they were added. Default: 0. */
  priority?: number;
}

/** Values: task, payloads and keys of the jobs in two arrays, seconds to wait, queue or null, priority. */
const ADD_JOBS = statement<never>(
  'add_jobs',
  `select from unnest($2::text[], $3::text[]) as j(payload, key),
     lateral graphile_worker.add_job($1, j.payload::json, queue_name => $5, job_key => j.key, priority => $6,
       run_at => now() + $4 * interval '1 second')`,
);

/** A job that fails is tried again, later each time, up to 25 times in three days: tasks must bear to run twice. */
export async function addJobs<Name extends TaskName>(
  database: Database,
  task: Name,
  payloads: readonly TaskPayloads[Name][],
  { transaction, delay = 0, keyOf, queue, priority = 0 }: JobOptions<Name> = {},
): Promise<void> {
  if (payloads.length === 0) return;
  const keys = payloads.map((payload) => (keyOf ? `${task}:${keyOf(payload)}` : null));
  const texts = payloads.map((payload) => JSON.stringify(payload));
  await database.query(ADD_JOBS, [task, texts, keys, delay, queue ?? null, priority], transaction);
}
