/**
 * The only module that reads or writes the private tables of graphile-worker, which its next version may change, besides the function `mail_at_once`
 * (migrations/0002-mail-at-once.ts); a test compares their columns.
 * It corrects times that a process with a wrong clock has stored in them, and finds the turn of a new job.
 */
import type { Log } from '../observability/log.js';

/** More than clocks usually differ. */
const MAX_SKEW = "interval '5 minutes'";
/** Longer than every delay and retry. */
const MAX_DELAY = "interval '1 day'";

/** A schedule waits until its last execution, by the clock of the process that added the job, is over. */
export const FUTURE_SCHEDULES = `
  select identifier from graphile_worker._private_known_crontabs
  where greatest(last_execution, known_since) > now() + ${MAX_SKEW} order by identifier`;

/** Then runs of the last day that were missed are backfilled. */
const RESET_SCHEDULES = `
  update graphile_worker._private_known_crontabs
  set last_execution = null, known_since = least(known_since, now() - interval '1 day')
  where greatest(last_execution, known_since) > now() + ${MAX_SKEW} returning identifier`;

const RESET_DELAYED_JOBS = `
  update graphile_worker._private_jobs set run_at = now()
  where run_at > now() + ${MAX_DELAY} and locked_at is null and attempts < max_attempts returning id`;

/**
 * Jobs that another one with the same key replaced while they ran: graphile-worker takes their key, which every job has, and marks them as failed for good. They stay
 * so unless their worker completes them: if they fail, or the worker dies.
 */
export const DELETE_REPLACED = `
  with deleted as (
    delete from graphile_worker._private_jobs
    where key is null and attempts >= max_attempts and locked_at is null returning 1)
  select count(*)::integer as jobs from deleted having count(*) > 0`;

export const HAS_TURN_INDEXES = `select to_regclass('graphile_worker.daybook_jobs_client') is not null as exists`;

/** With which `nextTurn` finds the first waiting job, and the last one of a client: without them, each job would read all that wait. */
export const ADD_TURN_INDEXES = `
  create index daybook_jobs_turn on graphile_worker._private_jobs (task_id, priority) where is_available;
  create index daybook_jobs_client on graphile_worker._private_jobs (task_id, (payload->>'client'), priority)`;

/**
 * SQL: the priority of a new job of a client. It is that of the first waiting job of its class, or the one after the last job of the client: the jobs of each client
 * run in turn with those of others.
 * @param task, client, first SQL for text, text and a number: the priority with which the class begins
 */
export function nextTurn(task: string, client: string, first: string | number, turns: number): string {
  const inClass = `priority between ${first} and ${first} + ${turns - 1}
      and task_id = (select id from graphile_worker._private_tasks where identifier = ${task})`;
  return `greatest(${first},
    (select min(priority) from graphile_worker._private_jobs where is_available and ${inClass}),
    (select max(priority) + 1 from graphile_worker._private_jobs
     where payload->>'client' = ${client} and (is_available or locked_at is not null) and ${inClass}))`;
}

/** The ids of the workers that have locked a job or a queue. */
export const LOCKING_WORKERS = `
  select locked_by from graphile_worker._private_jobs where locked_by is not null
  union select locked_by from graphile_worker._private_job_queues where locked_by is not null`;

export const HAS_JOBS = `select to_regclass('graphile_worker._private_jobs') is not null as exists`;

/** All jobs in the order of their ids, by the meaning of their values: their columns are those of JOB_COLUMNS. */
export const ALL_JOBS = `
  select t.identifier, j.payload, q.queue_name, j.run_at, j.max_attempts, j.key, j.priority,
    array(select jsonb_object_keys(j.flags))::text[], j.attempts, j.last_error
  from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
  order by j.id`;

export const JOB_COLUMNS = `task text, payload json, queue text, run_at timestamptz, max_attempts integer, key text,
  priority integer, flags text[], attempts integer, last_error text`;

/** Resets times that are in the future because the clock of a process or of the database was wrong. */
export async function resetFutureTimes(query: Query, log: Log): Promise<void> {
  const schedules = await query<{ identifier: string }>(RESET_SCHEDULES);
  const jobs = await query<{ id: string }>(RESET_DELAYED_JOBS);
  if (schedules.length + jobs.length === 0) return;
  const schedule = schedules.map(({ identifier }) => identifier);
  log.warn(
    { schedule, jobs: jobs.length },
    'times in the future were reset: the clock of a process or of the database was wrong',
  );
}

type Query = <Row extends object>(text: string) => Promise<Row[]>;
