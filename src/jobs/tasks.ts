/** The jobs: handlers by task name, and the schedule. */
import type { CronItem } from 'graphile-worker';
import type { TaskName, TaskPayloads } from '../database/queue.js';
import { forgetOldNotifications, removeUnreferencedImages, removeUnusedImage } from './cleanup.js';
import { fillImageSizes } from './image-sizes.js';
import type { Task } from './job.js';
import { fillNameSkeletons } from './name-skeletons.js';
import { summarizeArticle } from './summary.js';

export const tasks: { readonly [Name in TaskName]: Task<TaskPayloads[Name]> } = {
  'remove-unused-image': removeUnusedImage,
  'remove-unreferenced-images': removeUnreferencedImages,
  'forget-old-notifications': forgetOldNotifications,
  'fill-name-skeletons': fillNameSkeletons,
  'fill-image-sizes': fillImageSizes,
  'summarise-article': summarizeArticle,
};

const DAY_MS = 86_400_000;

/** Scheduled (cron) jobs, in UTC. Processes that share a database run each occurrence once. */
export const schedule: readonly CronItem[] = [
  daily('forget-old-notifications', '17 3 * * *'),
  daily('remove-unreferenced-images', '27 3 * * *'),
  daily('fill-name-skeletons', '37 3 * * *'),
  daily('fill-image-sizes', '47 3 * * *'),
];

/** Occurrences of the last day that were missed while no process ran are backfilled at the next start. */
function daily(task: TaskName, match: string): CronItem {
  return { task, match, options: { backfillPeriod: DAY_MS, jobKey: task } };
}
