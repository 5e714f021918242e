/** A row and its image, written together: in the end both are there, or neither. */

import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { addJobs } from '../database/queue.js';
import { newImageKey } from '../images/store.js';
import type { PreparedImage, Services } from '../services.js';
import { type ImageStore } from '../services.js';

/** @param write writes the row with the key of the image, which is undefined where there is none */
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
    // Should this fail too, the job that came with the file is still there.
    await removeLater(database, [key]).catch(() => {});
    throw error;
  }
}

/** Seconds: far longer than a request can take from saving an image to committing its row. */
const TIME_TO_COMMIT = 3_600;

/** For images that the transaction takes out of use. */
export function removeLater(database: Database, keys: readonly string[], transaction?: Transaction): Promise<void> {
  const payloads = keys.map((key) => ({ key }));
  return addJobs(database, 'remove-unused-image', payloads, { ...(transaction && { transaction }), keyOf });
}

/**
 * Saves an image for a row that is written afterwards. The job that looks after it is there before the file is, so that
 * a crash in between leaves nothing behind. Call `removeLater` where it turns out that the row will not be written.
 * @returns its key
 */
export async function saveForRow(
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
