/** A row and its image, written together: in the end both are there, or neither. */

import type { PreparedImage } from '../images/image.js';
import { removeLater, saveForRow } from '../jobs/unused-image.js';
import type { Services } from '../services.js';

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
