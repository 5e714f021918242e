/** Scheduled (cron) jobs, in UTC. Processes that share a database run each occurrence once. */
import type { CronItem } from 'graphile-worker';
import type { TaskName } from '../database/queue.js';

const DAY = 86_400_000;

export const schedule: readonly CronItem[] = [
  daily('forget-old-notifications', '17 3 * * *'),
  daily('fill-name-skeletons', '37 3 * * *'),
];

/** Occurrences of the last day that were missed while no process ran are backfilled at the next start. */
function daily(task: TaskName, match: string): CronItem {
  return { task, match, options: { backfillPeriod: DAY, jobKey: task } };
}
