/** Makes the smaller sizes of article images that were stored without them, by version 0.1 or a process of it that still runs. */
import { buffer } from 'node:stream/consumers';
import { enqueueImageRemoval } from '../commands/image.js';
import { ARTICLES_WITHOUT_IMAGE_SIZES, SET_IMAGE_WIDTH } from '../models/article/article.js';
import { AppError } from '../platform/errors.js';
import { prepareImage } from '../services/images/image.js';
import type { Services } from '../services/index.js';
import { type JobRun, loggable } from './job.js';

const BATCH = 100;

/** One image at a time. Files that are missing or damaged are skipped. Aborted, it continues in the next run. */
export async function fillImageSizes(_payload: unknown, services: Services, { signal }: JobRun): Promise<void> {
  for (let last = 0, size = BATCH; size === BATCH; ) {
    const articles = await services.database.query(ARTICLES_WITHOUT_IMAGE_SIZES, [last, BATCH]);
    for (const article of articles) {
      signal.throwIfAborted();
      await fillSizes(services, article);
    }
    size = articles.length;
    last = articles.at(-1)?.id ?? last;
  }
}

async function fillSizes(
  { database, images, log }: Services,
  { id, key, isPrivate }: { id: number; key: string; isPrivate: boolean },
): Promise<void> {
  const stored = await images.read(`${key}.webp`);
  if (!stored) return;
  const image = await buffer(await stored.open());
  const prepared = await prepareImage(image, { key: 'sizes' }).catch((error) => {
    if (!(error instanceof AppError)) throw error;
    log.warn({ code: error.key, ...loggable(id, isPrivate) }, 'making the sizes of an image failed');
  });
  if (!prepared) return;
  await images.addSizes(prepared.sizes, key);
  const [row] = await database.query(SET_IMAGE_WIDTH, [id, key, prepared.width]);
  // The image was replaced meanwhile, and its files may have been removed before they were saved again.
  if (!row) await enqueueImageRemoval(database, [key]);
}
