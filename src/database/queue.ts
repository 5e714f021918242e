/** The job queue (graphile-worker): rows in the same database, so that a job is committed atomically with the change that causes it. */
import type { Transaction } from 'sequelize';
import { fixedLimit } from '../config/fixed-limit.js';
import { sharedResource } from '../config/shared-resource.js';
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

sharedResource({
  name: 'Job slots',
  bound: 'Each kind of job has queues of its own; the jobs of one queue run one at a time',
  fairness: 'Jobs of one member are in one queue of their kind.',
  largestShare: '1 job of each kind at a time',
  test: [
    'test/jobs/queue.test.ts',
    'runs the job of one member before most of the jobs that another member added at once',
  ],
});

/**
 * Queues with the same jobs. Jobs of one queue run one at a time, in all processes together, so `count` is the number of jobs that run at the same
 * time. Each process has a worker for every queue: jobs that wait for a store or a service that does not respond occupy only their own queues.
 */
export interface QueueGroup {
  readonly name: string;
  readonly count: number;
}

function queues(name: string, count: number, about: string): QueueGroup {
  return { name, count: fixedLimit({ area: 'Queues', error: null, value: count, unit: 'count', about }) };
}

function singleQueue(name: string): QueueGroup {
  return { name, count: 1 };
}

const NOTIFICATIONS = queues(
  'notifications',
  2,
  'Concurrent jobs of all processes together that combine new notifications in emails. Further ones wait.',
);
const CLEANUP = singleQueue('cleanup');

/** Where the jobs of each task wait. A task that can take long, or that waits for something outside of the process, has queues of its own. */
export const QUEUES: { readonly [Name in TaskName]: QueueGroup } = {
  'remove-unused-image': queues(
    'image-removals',
    2,
    'Concurrent removals of images from the image store, of all processes together. Further ones wait.',
  ),
  'forget-old-notifications': CLEANUP,
  'remove-unreferenced-images': CLEANUP,
  'forget-idempotency-keys': CLEANUP,
  'remove-unconfirmed-accounts': CLEANUP,
  'forget-challenges': CLEANUP,
  'fill-name-skeletons': singleQueue('name-skeletons'),
  'fill-image-sizes': singleQueue('image-sizes'),
  'fill-article-texts': singleQueue('article-texts'),
  'summarise-article': queues(
    'summaries',
    2,
    'Concurrent summaries of all processes together. Further ones wait; authors are served in turn.',
  ),
  'mail-notifications': NOTIFICATIONS,
  'mail-digests': singleQueue('digests'),
  'send-mail': queues(
    'mails',
    2,
    'Emails of all processes together that are sent at the same time. Further ones wait.',
  ),
  'send-link': queues(
    'links',
    2,
    'Requests for links by email that are handled at the same time, in all processes together. Further ones wait.',
  ),
};

/** The group of each name, with the tasks in it. */
export function queueGroups(): Map<string, QueueGroup & { readonly tasks: readonly TaskName[] }> {
  const groups = new Map<string, QueueGroup & { tasks: TaskName[] }>();
  for (const task of Object.keys(QUEUES) as TaskName[]) {
    const group = groups.get(QUEUES[task].name) ?? { ...QUEUES[task], tasks: [] };
    group.tasks.push(task);
    groups.set(group.name, group);
  }
  return groups;
}

/** @param number selects one of the queues of the task: any whole number from 0 */
export function queueOf(task: TaskName, number = 0): string {
  const { name, count } = QUEUES[task];
  return `${name}-${number % count}`;
}

export interface JobOptions<Name extends TaskName> {
  /** The transaction of the change that causes the job; without one, the job is added immediately. */
  transaction?: Transaction;
  /** Minimum delay in seconds before the job runs, at most a day: a later time counts as an error of a clock. Default: 0. */
  delaySeconds?: number;
  /** Deduplication key (graphile-worker `job_key`): a new job replaces a waiting job with the same key. */
  keyOf?: (payload: TaskPayloads[Name]) => string;
  /** Selects the queue (`queueOf`): jobs with the same number run one after the other. Default: a random one. */
  queueNumberOf?: (payload: TaskPayloads[Name]) => number;
  /** Jobs of a queue with a lower priority value run first, jobs with the same value in the order of insertion. Default: 0. */
  priority?: number;
}

const ADD_JOBS = statement<
  [
    task: TaskName,
    payloads: string[],
    keys: (string | null)[],
    queues: string[],
    priorities: number[],
    delaySeconds: number,
  ]
>(
  'add_jobs',
  `select from unnest($2::text[], $3::text[], $4::text[], $5::int[]) as j(payload, key, queue, priority),
     lateral graphile_worker.add_job($1, j.payload::json, queue_name => j.queue, job_key => j.key, priority => j.priority,
       run_at => now() + $6 * interval '1 second')`,
);

/** graphile-worker stores priorities as smallint. */
export const MAX_PRIORITY = 32_767;

/**
 * Adds jobs. The second and further ones have ascending priority values, so that a few jobs that are added later do not wait for many. A failed job
 * is retried with increasing delay, up to 25 times in three days: tasks must be idempotent.
 */
export async function addJobs<Name extends TaskName>(
  database: Database,
  task: Name,
  payloads: readonly TaskPayloads[Name][],
  { transaction, delaySeconds = 0, keyOf, queueNumberOf = randomNumber, priority = 0 }: JobOptions<Name> = {},
): Promise<void> {
  if (payloads.length === 0) return;
  const texts = payloads.map((payload) => JSON.stringify(payload));
  const keys = payloads.map((payload) => (keyOf ? `${task}:${keyOf(payload)}` : null));
  const queues = payloads.map((payload) => queueOf(task, queueNumberOf(payload)));
  const priorities = payloads.map((_, index) => Math.min(priority + index, MAX_PRIORITY));
  await database.query(ADD_JOBS, [task, texts, keys, queues, priorities, delaySeconds], transaction);
}

function randomNumber(): number {
  return Math.floor(Math.random() * 1024);
}
