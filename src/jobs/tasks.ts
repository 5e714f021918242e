/** What the jobs do: each task by its name. */
import type { Services } from '../services.js';
import { forgetOldNotifications } from './old-notifications.js';
import type { TaskName, TaskPayloads } from './queue.js';
import { removeUnusedImage } from './unused-image.js';

/** Throws where it should be tried again. */
export type Task<Payload> = (payload: Payload, services: Services) => Promise<void>;

export const tasks: { readonly [Name in TaskName]: Task<TaskPayloads[Name]> } = {
  'remove-unused-image': removeUnusedImage,
  'forget-old-notifications': forgetOldNotifications,
};
