/** Turns an uploaded file into the two WebP images that are kept, with bounded memory whatever the file says. */

import sharp, { type SharpOptions } from 'sharp';
import { type TaskOptions, WeightedSemaphore } from '../concurrency/weighted-semaphore.js';
import { fixedLimit } from '../config/limit.js';
import { AppError } from '../errors.js';
import { MAX_FILE_BYTES } from '../http/multipart.js';
import { say } from '../messages/message.js';
import { observeQueue } from '../observability/metrics/queue.js';
import type { PreparedImage } from '../services.js';
import { checkAvifIndex } from './avif.js';
import { type ImageFormat, recogniseImage } from './format.js';

const IMAGES = { area: 'Images' } as const;

export const MAX_IMAGE_BYTES = MAX_FILE_BYTES;
export const MAX_IMAGE_PIXELS = fixedLimit({
  ...IMAGES,
  error: 'IMAGE_INVALID',
  value: 40_000_000,
  unit: 'count',
  about: 'Pixels of an image, all frames together.',
});
export const MAX_IMAGE_FRAMES = fixedLimit({
  ...IMAGES,
  error: 'IMAGE_INVALID',
  value: 1_000,
  unit: 'count',
  about: 'Frames of an animated image.',
});
/** Pixels on the longer side. */
export const IMAGE_SIDE = 2_048;
export const THUMBNAIL_SIDE = 320;

const MAX_SECONDS =
  fixedLimit({
    ...IMAGES,
    error: 'IMAGE_INVALID',
    value: 20_000,
    unit: 'ms',
    about: 'How long the processing of an image takes.',
  }) / 1000;

/** Above this an image is processed alone: the decoder of AVIF needs up to 18 bytes for a pixel. */
const HEAVY_PIXELS = 16_000_000;

// sharp runs on Node's four threads, which files, DNS and password hashes use too: two of them are enough for images.
// A member never holds more than one task, so that slow formats leave the other permit to the images of others.
const processing = observeQueue(
  new WeightedSemaphore({
    work: 'images',
    permits: 2,
    tasksPerKey: fixedLimit({
      ...IMAGES,
      error: null,
      value: 1,
      unit: 'count',
      about: 'Images of one member that are processed at the same time, in each process. Others wait.',
    }),
    maxWaiting: fixedLimit({
      ...IMAGES,
      error: 'SERVICE_UNAVAILABLE',
      value: 16,
      unit: 'count',
      about:
        'Images that wait, in each process. When the queue is full, the last image of the member with the most is rejected.',
    }),
    maxWaitingPerKey: fixedLimit({
      ...IMAGES,
      error: 'RATE_LIMITED',
      value: 8,
      unit: 'count',
      about: 'Images of one member that wait, in each process.',
    }),
    maxWaitMs: fixedLimit({
      ...IMAGES,
      error: 'SERVICE_UNAVAILABLE',
      value: 20_000,
      unit: 'ms',
      about: 'How long an image waits.',
    }),
  }),
);

// These hold for the process; nothing else in it uses sharp. An upload is decoded once, so a cache would only hold memory.
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
// The loader of UltraHDR JPEGs stays out: the plain one reads them too, with a tenth of the memory.
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((loader) => `VipsForeignLoad${loader}Buffer`),
});

/**
 * Decodes, scales down and encodes again, so that nothing of the file itself is ever served.
 *
 * @param task the member that uploads it
 * @throws AppError IMAGE_INVALID, PAYLOAD_TOO_LARGE; RATE_LIMITED or SERVICE_UNAVAILABLE where too many images wait
 */
export async function prepareImage(bytes: Uint8Array, task: TaskOptions): Promise<PreparedImage> {
  if (bytes.length > MAX_IMAGE_BYTES) {
    const megabytes = (bytes.length / 1024 / 1024).toFixed(1);
    throw new AppError('PAYLOAD_TOO_LARGE', { message: say('imageTooLarge', megabytes) });
  }
  const format = recogniseImage(bytes);
  if (format === 'AVIF') checkAvifIndex(bytes);
  const size = await processing.run(task, () => decoding(format, () => readSize(bytes, format)));
  checkSize(size);
  const weight = size.width * size.height * size.frames > HEAVY_PIXELS ? 2 : 1;
  return processing.run({ ...task, weight }, () => decoding(format, () => encode(bytes, size.frames > 1)));
}

interface Size {
  width: number;
  /** Of one frame. */
  height: number;
  frames: number;
}

/** Reads only the header: no pixel is decoded, so no limit is needed yet and the message can tell the size. */
async function readSize(bytes: Uint8Array, format: ImageFormat): Promise<Size> {
  // Only these two are kept animated. Of the images in one AVIF file the main one counts.
  const animated = format === 'GIF' || format === 'WebP';
  const header = await sharp(bytes, { ...SAFELY, animated, limitInputPixels: false }).metadata();
  if (format === 'AVIF' && header.compression !== 'av1') throw new Error(`AVIF with ${header.compression}`);
  return {
    width: header.width,
    height: header.pageHeight ?? header.height,
    frames: animated ? (header.pages ?? 1) : 1,
  };
}

function checkSize({ width, height, frames }: Size): void {
  const megapixels = (width * height * frames) / 1_000_000;
  if (frames > MAX_IMAGE_FRAMES) {
    throw new AppError('IMAGE_INVALID', { message: say('imageTooManyFrames', frames, MAX_IMAGE_FRAMES) });
  }
  if (megapixels <= MAX_IMAGE_PIXELS / 1_000_000) return;
  throw new AppError('IMAGE_INVALID', {
    message: say('imageTooManyPixels', width, height, frames, megapixels.toFixed(1)),
  });
}

async function encode(bytes: Uint8Array, animated: boolean): Promise<PreparedImage> {
  const source = sharp(bytes, { ...SAFELY, animated, limitInputPixels: MAX_IMAGE_PIXELS });
  // Frames cannot be turned. sharp drops all metadata and converts to sRGB unless told otherwise.
  const { data, info } = await (animated ? source : source.autoOrient())
    .resize({ width: IMAGE_SIDE, height: IMAGE_SIDE, fit: 'inside', withoutEnlargement: true })
    // At the default effort an animation at the limit takes several seconds.
    .webp({ quality: 82, effort: animated ? 2 : 4 })
    .timeout({ seconds: MAX_SECONDS })
    .toBuffer({ resolveWithObject: true });
  // From our own image, so that the file goes through its decoder only once.
  const thumbnail = await sharp(data)
    .resize({ width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 82 })
    .toBuffer();
  return { image: data, thumbnail, width: info.width, height: info.pageHeight ?? info.height };
}

/** Phones write JPEGs that only deserve a warning; a file that ends early is refused. */
const SAFELY: SharpOptions = { sequentialRead: true, failOn: 'error' };

/** The decoders' own messages name their source files and are of no use to a client; the log has them as the cause. */
async function decoding<Result>(format: ImageFormat, work: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  try {
    return await work();
  } catch (cause) {
    const isLate = performance.now() - started > MAX_SECONDS * 1000;
    const message = isLate ? say('imageTooSlow', format, MAX_SECONDS) : say('imageDamaged', format);
    throw new AppError('IMAGE_INVALID', { message, cause });
  }
}
