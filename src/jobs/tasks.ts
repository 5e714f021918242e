/** What the jobs do: each task by its name. */

import type { TaskName, TaskPayloads } from '../database/queue.js';
import type { Services } from '../services.js';
import { fillNameSkeletons } from './name-skeletons.js';
import { forgetOldNotifications } from './old-notifications.js';
import { summariseArticle } from './summary.js';
import { removeUnusedImage } from './unused-image.js';

/** One run of a job. */
export interface JobRun {
  /** 1 for the first. Also counts those that ended with their process. */
  readonly attempt: number;
  /** The process is about to stop: what throws now runs again elsewhere. */
  readonly signal: AbortSignal;
}

/** Throws where it should be tried again. */
export type Task<Payload> = (payload: Payload, services: Services, run: JobRun) => Promise<void>;

export const tasks: { readonly [Name in TaskName]: Task<TaskPayloads[Name]> } = {
  'remove-unused-image': removeUnusedImage,
  'forget-old-notifications': forgetOldNotifications,
  'fill-name-skeletons': fillNameSkeletons,
  'summarise-article': summariseArticle,
};
