/** Files of images that no row names: replaced, taken away, or saved for a row that was never written. */
import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { addJobs } from '../database/queue.js';
import { statement } from '../database/statement.js';
import type { PreparedImage } from '../images/image.js';
import { type ImageStore, newImageKey } from '../images/store.js';
import type { Services } from '../services.js';

/** Seconds: far longer than a request can take from saving an image to committing its row. */
const TIME_TO_COMMIT = 3_600;

/** No row where nothing names the image. Values: its key. */
const USE_OF_IMAGE = statement<{ used: true }>(
  'use_of_image',
  `select true as used where exists (select from members where profile_image = $1)
                          or exists (select from articles where image = $1)`,
);

/** Harmless for an image that is in use after all, or gone already. */
export async function removeUnusedImage({ key }: { key: string }, { database, images }: Services): Promise<void> {
  const [use] = await database.query(USE_OF_IMAGE, [key]);
  if (!use) await images.remove(key);
}

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
