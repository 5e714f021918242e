/** Removes image files that no row references: replaced, removed, or saved for a row that was never written. */
import { statement } from '../database/statement.js';
import type { Services } from '../services.js';

/** No row where nothing references the image. */
const USE_OF_IMAGE = statement<[key: string], { used: true }>(
  'use_of_image',
  `select true as used where exists (select from members where profile_image = $1)
                          or exists (select from articles where image = $1)`,
);

/** Does nothing where the image is in use, or has already been removed. */
export async function removeUnusedImage({ key }: { key: string }, { database, images }: Services): Promise<void> {
  const [use] = await database.query(USE_OF_IMAGE, [key]);
  if (!use) await images.remove(key);
}
