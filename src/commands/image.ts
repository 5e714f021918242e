/** Writes a row and its image files together: eventually both exist, or neither. Uploads and deletes the images of members. */
import type { Transaction } from 'sequelize';
import {
  ADD_IMAGE,
  ARTICLE_WITH_IMAGE,
  DELETE_IMAGE,
  DRAFT_WITH_IMAGE,
  IMAGE_USAGE,
  type ImageRow,
  LOCK_IMAGE,
} from '../models/image.js';
import { lockMember } from '../models/member/member.js';
import type { Config } from '../platform/config/index.js';
import type { Database } from '../platform/database/pool.js';
import { addJobs, jobType, memberTurn, queues } from '../platform/database/queue.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { newImageKey, type PreparedImage } from '../services/images/store.js';
import type { Services } from '../services/index.js';

export const REMOVE_UNUSED_IMAGE = jobType<{ key: string }>(
  'remove-unused-image',
  queues(
    'image-removals',
    2,
    'Concurrent removals of images from the image store, of all processes together. Further ones wait.',
  ),
);

/** The client of removals that follow no deletion by a member. */
const FAILED_WRITES = 'failed writes';

/** Job delay in seconds: far longer than a request can take from saving an image to committing its row. */
const TIME_TO_COMMIT_SECONDS = 3_600;

export interface SavedImage {
  key: string;
  /** In pixels. */
  width: number;
  height: number;
}

type ImageServices = Pick<Services, 'database' | 'images'>;

/**
 * Saves the image, then runs `write`. The delayed clean-up job is added before the files are saved, so that a crash in between
 * leaves no orphaned file.
 * @param write writes the row; its argument is undefined without an image
 */
export async function withImage<Result>(
  { database, images }: ImageServices,
  image: PreparedImage | undefined,
  write: (saved: SavedImage | undefined) => Promise<Result>,
): Promise<Result> {
  if (!image) return write(undefined);
  const key = newImageKey();
  await addJobs(database, REMOVE_UNUSED_IMAGE, [{ key }], { delaySeconds: TIME_TO_COMMIT_SECONDS, keyOf });
  await images.save(image, key);
  try {
    return await write({ key, width: image.width, height: image.height });
  } catch (error) {
    // If this fails too, the delayed job still removes the files.
    await enqueueImageRemoval(database, [key], FAILED_WRITES).catch(() => {});
    throw error;
  }
}

/** Adds jobs that remove the files of images which the transaction stops using, in turn with those of other clients. */
export function enqueueImageRemoval(
  database: Database,
  keys: readonly string[],
  client: string,
  transaction?: Transaction,
): Promise<void> {
  const payloads = keys.map((key) => ({ key }));
  return addJobs(database, REMOVE_UNUSED_IMAGE, payloads, { ...(transaction && { transaction }), keyOf, client });
}

function keyOf({ key }: { key: string }): string {
  return key;
}

/**
 * Adds an image to those of a member.
 * @param credentialId of the session or API token; null without a request
 * @param limits absent: no limits
 * @throws AppError IMAGE_LIMIT_REACHED, and the error of `lockMember`
 */
export function createImage(
  services: ImageServices,
  { memberId, credentialId }: { memberId: number; credentialId: string | null },
  image: PreparedImage,
  limits?: Config['imageLimits'],
): Promise<ImageRow> {
  const { database } = services;
  return withImage(services, image, (saved) =>
    database.inTransaction(async (transaction) => {
      await lockMember(database, memberId, credentialId, transaction);
      if (limits) await requireImageQuota(database, memberId, limits, bytesOf(image), transaction);
      return insertImage(database, memberId, image, saved?.key ?? '', transaction);
    }),
  );
}

/** The part of `createImage` that runs in a transaction. @param key of the saved image */
export async function insertImage(
  database: Database,
  memberId: number,
  image: PreparedImage,
  key: string,
  transaction: Transaction,
): Promise<ImageRow> {
  const { width, height } = image;
  const [added] = await database.query(ADD_IMAGE, [memberId, key, width, height, bytesOf(image)], transaction);
  return added as ImageRow;
}

/** In all sizes. */
function bytesOf({ image, sizes }: PreparedImage): number {
  return sizes.reduce((sum, { bytes }) => sum + bytes.length, image.length);
}

/**
 * Exact under `lockMember`; without it, rejects most images before they are processed.
 * @throws AppError IMAGE_LIMIT_REACHED if one more image of `bytes` exceeds the limits of the member
 */
export async function requireImageQuota(
  database: Database,
  memberId: number,
  { maxImages, maxBytes }: Config['imageLimits'],
  bytes = 1,
  transaction?: Transaction,
): Promise<void> {
  const [usage = { images: 0, bytes: 0 }] = await database.query(IMAGE_USAGE, [memberId], transaction);
  if (usage.images >= maxImages)
    throw new AppError('IMAGE_LIMIT_REACHED', { message: createMessage('imageCountReached', maxImages) });
  if (usage.bytes + bytes <= maxBytes) return;
  const [used, most] = [usage.bytes, maxBytes].map((size) => Math.floor(size / 1024 / 1024)) as [number, number];
  throw new AppError('IMAGE_LIMIT_REACHED', { message: createMessage('imageBytesReached', used, most) });
}

/**
 * References by articles and drafts of other members do not prevent it: they must not be able to keep an image that its owner deletes.
 * @throws AppError IMAGE_NOT_FOUND, also for the images of others, or IMAGE_IN_USE
 */
export function deleteImage(
  database: Database,
  id: number,
  { memberId, articleReaderId }: { memberId: number; articleReaderId: number },
): Promise<ImageRow> {
  return database.inTransaction(async (transaction) => {
    const [image] = await database.query(LOCK_IMAGE, [id, memberId], transaction);
    if (!image) throw new AppError('IMAGE_NOT_FOUND');
    const [article] = await database.query(ARTICLE_WITH_IMAGE, [id, memberId, articleReaderId], transaction);
    if (article) {
      const message = article.id === null ? createMessage('imageInUseByOne') : createMessage('imageInUse', article.id);
      throw new AppError('IMAGE_IN_USE', { message });
    }
    const [draft] = await database.query(DRAFT_WITH_IMAGE, [id, memberId], transaction);
    if (draft) throw new AppError('IMAGE_IN_USE', { message: createMessage('imageInUseByDraft') });
    await database.query(DELETE_IMAGE, [id], transaction);
    await enqueueImageRemoval(database, [image.key], memberTurn(memberId), transaction);
    return image;
  });
}
