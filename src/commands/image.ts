/** Writes a row and its image file together: eventually both exist, or neither. */

import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { addJobs } from '../database/queue.js';
import { newImageKey } from '../images/store.js';
import type { PreparedImage, Services } from '../services.js';
import { type ImageStore } from '../services.js';

/** @param write writes the row; its argument is the key of the image, or undefined without an image */
export async function withImage<Result>(
  { database, images }: Services,
  image: PreparedImage | undefined,
  write: (key: string | undefined) => Promise<Result>,
): Promise<Result> {
  if (!image) return write(undefined);
  const key = await saveForRow(database, images, image);
  try {
    return await write(key);
  } catch (error) {
    // If this fails too, the delayed job that `saveForRow` added still removes the file.
    await removeLater(database, [key]).catch(() => {});
    throw error;
  }
}

/** Job delay in seconds: far longer than a request can take from saving an image to committing its row. */
const TIME_TO_COMMIT = 3_600;

/** Adds jobs that remove images which the transaction stops using. */
export function removeLater(database: Database, keys: readonly string[], transaction?: Transaction): Promise<void> {
  const payloads = keys.map((key) => ({ key }));
  return addJobs(database, 'remove-unused-image', payloads, { ...(transaction && { transaction }), keyOf });
}

/**
 * Saves an image for a row that is written afterwards. The delayed clean-up job is added before the file is saved, so that
 * a crash in between leaves no orphaned file. Call `removeLater` if the row is not written after all.
 * @returns the key of the image
 */
async function saveForRow(
  database: Database,
  images: ImageStore,
  image: Pick<PreparedImage, 'image' | 'thumbnail'>,
): Promise<string> {
  const key = newImageKey();
  await addJobs(database, 'remove-unused-image', [{ key }], { delay: TIME_TO_COMMIT, keyOf });
  return images.save(image, key);
}

function keyOf({ key }: { key: string }): string {
  return key;
}
