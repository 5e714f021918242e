/** Writes a row and its image file together: eventually both exist, or neither. */
import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { addJobs } from '../database/queue.js';
import { newImageKey, type PreparedImage } from '../images/store.js';
import type { Services } from '../services.js';

/** Job delay in seconds: far longer than a request can take from saving an image to committing its row. */
const TIME_TO_COMMIT_SECONDS = 3_600;

/**
 * Saves the image, then runs `write`. The delayed clean-up job is added before the file is saved, so that a crash in between
 * leaves no orphaned file.
 * @param write writes the row; its argument is the key of the image, or undefined without an image
 */
export async function withImage<Result>(
  { database, images }: Pick<Services, 'database' | 'images'>,
  image: PreparedImage | undefined,
  write: (key: string | undefined) => Promise<Result>,
): Promise<Result> {
  if (!image) return write(undefined);
  const key = newImageKey();
  await addJobs(database, 'remove-unused-image', [{ key }], { delay: TIME_TO_COMMIT_SECONDS, keyOf });
  await images.save(image, key);
  try {
    return await write(key);
  } catch (error) {
    // If this fails too, the delayed job still removes the file.
    await enqueueImageRemoval(database, [key]).catch(() => {});
    throw error;
  }
}

/** Adds jobs that remove images which the transaction stops using. */
export function enqueueImageRemoval(
  database: Database,
  keys: readonly string[],
  transaction?: Transaction,
): Promise<void> {
  const payloads = keys.map((key) => ({ key }));
  return addJobs(database, 'remove-unused-image', payloads, { ...(transaction && { transaction }), keyOf });
}

function keyOf({ key }: { key: string }): string {
  return key;
}
