/** Task implementations by task name. */

import type { TaskName, TaskPayloads } from '../database/queue.js';
import type { Task } from './job.js';
import { fillNameSkeletons } from './name-skeletons.js';
import { forgetOldNotifications } from './old-notifications.js';
import { summariseArticle } from './summary.js';
import { removeUnusedImage } from './unused-image.js';

export const tasks: { readonly [Name in TaskName]: Task<TaskPayloads[Name]> } = {
  'remove-unused-image': removeUnusedImage,
  'forget-old-notifications': forgetOldNotifications,
  'fill-name-skeletons': fillNameSkeletons,
  'summarise-article': summariseArticle,
};
