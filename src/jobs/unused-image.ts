/** Files of images that no row names: replaced, taken away, or saved for a row that was never written. */
import { statement } from '../database/statement.js';
import type { Services } from '../services.js';

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
