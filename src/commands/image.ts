/** Writes a row and its image files together: eventually both exist, or neither. Uploads and deletes the images of members. */
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
import type { Reader } from '../models/reader.js';
import type { Config } from '../platform/config/index.js';
import type { Database, Transaction } from '../platform/database/pool.js';
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
export function enqueueImageRemoval(db: Database, keys: readonly string[], client: string): Promise<void> {
  const payloads = keys.map((key) => ({ key }));
  return addJobs(db, REMOVE_UNUSED_IMAGE, payloads, { keyOf, client });
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
    database.transaction(async (db) => {
      await lockMember(db, memberId, credentialId);
      if (limits) await requireImageQuota(db, memberId, limits, bytesOf(image));
      return insertImage(db, memberId, image, saved?.key ?? '');
    }),
  );
}

/** The part of `createImage` that runs in a transaction. @param key of the saved image */
export async function insertImage(
  db: Transaction,
  memberId: number,
  image: PreparedImage,
  key: string,
): Promise<ImageRow> {
  const { width, height } = image;
  const [added] = await db.query(ADD_IMAGE, [memberId, key, width, height, bytesOf(image)]);
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
  db: Database,
  memberId: number,
  { maxImages, maxBytes }: Config['imageLimits'],
  bytes = 1,
): Promise<void> {
  const [usage = { images: 0, bytes: 0 }] = await db.query(IMAGE_USAGE, [memberId]);
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
  { memberId, reader }: { memberId: number; reader: Reader },
): Promise<ImageRow> {
  return database.transaction(async (db) => {
    const [image] = await db.query(LOCK_IMAGE, [id, memberId]);
    if (!image) throw new AppError('IMAGE_NOT_FOUND');
    const [article] = await db.query(ARTICLE_WITH_IMAGE, [id, memberId, reader]);
    if (article) {
      const message = article.id === null ? createMessage('imageInUseByOne') : createMessage('imageInUse', article.id);
      throw new AppError('IMAGE_IN_USE', { message });
    }
    const [draft] = await db.query(DRAFT_WITH_IMAGE, [id, memberId]);
    if (draft) throw new AppError('IMAGE_IN_USE', { message: createMessage('imageInUseByDraft') });
    await db.query(DELETE_IMAGE, [id]);
    await enqueueImageRemoval(db, [image.key], memberTurn(memberId));
    return image;
  });
}
