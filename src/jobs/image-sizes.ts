/** Completes images that were stored by an earlier version: the sizes and heights of article images, and the square sizes of profile images. */
import { buffer } from 'node:stream/consumers';
import { enqueueImageRemoval } from '../commands/image.js';
import { SET_IMAGE_SIZE, UNMEASURED_ARTICLE_IMAGES } from '../models/article/article.js';
import { SET_PROFILE_IMAGE_SIDE, UNMEASURED_PROFILE_IMAGES } from '../models/member/member.js';
import type { Statement } from '../platform/database/statement.js';
import { AppError } from '../platform/errors.js';
import { prepareImage, readStoredSize } from '../services/images/image.js';
import type { Services } from '../services/index.js';
import { type JobRun, loggable } from './job.js';

const BATCH = 100;

/** One image at a time. Files that are missing or damaged are skipped. Aborted, it continues in the next run. */
export async function fillImageSizes(_payload: unknown, services: Services, { signal }: JobRun): Promise<void> {
  await eachOf(UNMEASURED_ARTICLE_IMAGES, services, signal, (article) => fillArticle(services, article));
  await eachOf(UNMEASURED_PROFILE_IMAGES, services, signal, (member) => fillProfile(services, member));
}

async function eachOf<Row extends { id: number }>(
  statement: Statement<[last: number, limit: number], Row>,
  { database }: Services,
  signal: AbortSignal,
  fill: (row: Row) => Promise<void>,
): Promise<void> {
  for (let last = 0, size = BATCH; size === BATCH; ) {
    const rows = await database.query(statement, [last, BATCH]);
    for (const row of rows) {
      signal.throwIfAborted();
      await fill(row);
    }
    size = rows.length;
    last = rows.at(-1)?.id ?? last;
  }
}

async function fillArticle(
  services: Services,
  { id, key, isPrivate, hasSizes }: { id: number; key: string; isPrivate: boolean; hasSizes: boolean },
): Promise<void> {
  const { database, images } = services;
  const read = async (image: Buffer) => {
    if (hasSizes) return readStoredSize(image);
    const prepared = await prepareImage(image, { key: 'sizes' });
    await images.addSizes(prepared.sizes, key);
    return prepared;
  };
  const found = await measure(services, key, read, loggable(id, isPrivate));
  if (!found) return;
  const [row] = await database.query(SET_IMAGE_SIZE, [id, key, found.width, found.height]);
  // The image was replaced meanwhile, and its files may have been removed before they were saved again.
  if (!row) await enqueueImageRemoval(database, [key], 'sizes');
}

async function fillProfile(services: Services, { id, key }: { id: number; key: string }): Promise<void> {
  const { database, images } = services;
  const read = async (image: Buffer) => {
    const prepared = await prepareImage(image, { key: 'sizes' }, { isProfile: true });
    await images.addSizes(prepared.sizes, key);
    return prepared;
  };
  const found = await measure(services, key, read, { memberId: id });
  if (!found) return;
  const [row] = await database.query(SET_PROFILE_IMAGE_SIDE, [id, key, Math.min(found.width, found.height)]);
  if (!row) await enqueueImageRemoval(database, [key], 'sizes');
}

/** @returns undefined for a file that is missing or damaged */
async function measure<Measured>(
  { images, log }: Services,
  key: string,
  read: (image: Buffer) => Promise<Measured>,
  logged: object,
): Promise<Measured | undefined> {
  const stored = await images.read(`${key}.webp`);
  if (!stored) return undefined;
  try {
    return await read(await buffer(await stored.open()));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn({ code: error.key, ...logged }, 'making the sizes of an image failed');
    return undefined;
  }
}
