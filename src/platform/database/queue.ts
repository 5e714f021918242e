/** The job queue (graphile-worker): rows in the same database, so that a job is committed atomically with the change that causes it. */
import { createHash, randomUUID } from 'node:crypto';
import { fixedLimit } from '../config/fixed-limit.js';
import type { Database } from './pool.js';
import { nextTurn as turnInClass } from './queue-tables.js';
import { statement } from './statement.js';

/**
 * Queues with the same jobs. Jobs of one queue run one at a time, in all processes together, so `count` is the number of jobs that run at the same
 * time. Each process has a worker for every queue: jobs that wait for a store or a service that does not respond occupy only their own queues.
 */
export interface QueueGroup {
  readonly name: string;
  readonly count: number;
}

/** @param about what the jobs do, for docs/limits.md */
export function queues(name: string, count: number, about: string): QueueGroup {
  return { name, count: fixedLimit({ area: 'Queues', error: null, value: count, about }) };
}

export function singleQueue(name: string): QueueGroup {
  return { name, count: 1 };
}

/** A kind of job, declared by the module that adds it. A task that can take long, or that waits for something outside of the process, has queues of its own. */
export interface JobType<Payload> {
  /** Databases store it. */
  readonly name: string;
  readonly queues: QueueGroup;
  /** Never set at run time. It must not contain personal data: a job may outlive the member that it refers to. */
  readonly payload?: Payload;
}

export function jobType<Payload>(name: string, queues: QueueGroup): JobType<Payload> {
  return { name, queues };
}

/** @param number selects one of the queues: any whole number from 0 */
export function queueOf({ queues: { name, count } }: JobType<unknown>, number = 0): string {
  return `${name}-${number % count}`;
}

export interface JobOptions<Payload> {
  /** Minimum delay in seconds before the job runs, at most a day: a later time counts as an error of a clock. Default: 0. */
  delaySeconds?: number;
  /** Deduplication key (graphile-worker `job_key`): a new job replaces a waiting job with the same key. Default: a random one. */
  keyOf?: (payload: Payload) => string;
  /** Selects the queue (`queueOf`): jobs with the same number run one after the other. Default: a random one. */
  queueNumberOf?: (payload: Payload) => number;
  /** Jobs of a queue with a lower priority value run first, jobs with the same value in the order of insertion. Default: 0. */
  priority?: number;
  /**
   * Whom the jobs belong to (`memberTurn`, `networkTurn`): the jobs of each client run in turn with those of the others that begin with the same
   * `priority`, a multiple of `TURNS`. The payload has it. Default: their priority is as it is given.
   */
  client?: string | undefined;
}

/** Priority values of one class of jobs whose clients take turns. Classes with lower values run first. */
export const TURNS = 10_000;

/** The last class: graphile-worker stores priorities as smallint. */
export const MAX_PRIORITY = 2 * TURNS;

/** SQL: the priority of the next job of a client. @param first that with which the class begins */
export function nextTurn(task: string, client: string, first: string | number): string {
  return turnInClass(task, client, first, TURNS);
}

const MEMBER = 'm';

/** The client of jobs that a member has caused. */
export function memberTurn(memberId: number): string {
  return `${MEMBER}${memberId}`;
}

/** The client of jobs that a network has caused: 16 bits of its hash, which is not personal data. */
export function networkTurn(network: string): string {
  return `n${createHash('sha256').update(network).digest().readUInt16BE()}`;
}

const ADD_JOBS = statement<
  [
    task: string,
    payloads: string[],
    keys: string[],
    queues: string[],
    priority: number,
    delaySeconds: number,
    client: string | null,
  ]
>(
  'add_jobs',
  `with turn as materialized (
     select case when $7::text is null then $5::int else ${nextTurn('$1::text', '$7::text', '$5::int')} end as priority
   )
   select from turn cross join unnest($2::text[], $3::text[], $4::text[]) with ordinality as j(payload, key, queue, number),
     lateral graphile_worker.add_job($1::text, j.payload::json, queue_name => j.queue, job_key => j.key,
       priority => least(turn.priority + j.number - 1, $5::int + ${TURNS - 1})::int, run_at => now() + $6 * interval '1 second')`,
);

/**
 * Adds jobs. The second and further ones have ascending priority values, so that a few jobs that are added later do not wait for many. A failed job
 * is retried with increasing delay, up to 25 times in three days: tasks must be idempotent.
 */
export async function addJobs<Payload>(
  database: Database,
  type: JobType<Payload>,
  payloads: readonly NoInfer<Payload>[],
  {
    delaySeconds = 0,
    keyOf = () => randomUUID(),
    queueNumberOf = randomNumber,
    priority = 0,
    client,
  }: JobOptions<NoInfer<Payload>> = {},
): Promise<void> {
  if (payloads.length === 0) return;
  const texts = payloads.map((payload) => JSON.stringify(client === undefined ? payload : { ...payload, client }));
  const keys = payloads.map((payload) => `${type.name}:${keyOf(payload)}`);
  const queues = payloads.map((payload) => queueOf(type, queueNumberOf(payload)));
  const values = [type.name, texts, keys, queues, priority, delaySeconds, client ?? null] as const;
  await database.query(ADD_JOBS, [...values]);
}

function randomNumber(): number {
  return Math.floor(Math.random() * 1024);
}

export interface QueueDepth {
  task: string;
  state: 'due' | 'scheduled' | 'retrying' | 'failed';
  jobs: number;
}

/** A job without a key has been replaced (`DELETE_REPLACED`): it may still run. */
export const QUEUE_DEPTH = statement<[], QueueDepth>(
  'queue_depth',
  `select task_identifier as task, count(*) as jobs,
     case when key is null then 'due' when attempts >= max_attempts then 'failed' when attempts > 0 then 'retrying'
          when run_at > now() then 'scheduled' else 'due' end as state
   from graphile_worker.jobs group by 1, 3`,
);
