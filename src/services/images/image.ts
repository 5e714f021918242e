/** Converts an uploaded file to the WebP images that are stored, in several widths, with bounded memory for any input. */
import type { Sharp, default as SharpModule, SharpOptions, WebpOptions } from 'sharp';
import { type TaskOptions, WeightedSemaphore } from '../../platform/concurrency/weighted-semaphore.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { AppError } from '../../platform/errors.js';
import { MAX_FILE_BYTES } from '../../platform/http/multipart.js';
import { createMessage } from '../../platform/messages/message.js';
import { observeQueue } from '../../platform/observability/metrics/saturation.js';
import { checkAvifIndex } from './avif.js';
import { type ImageFormat, isPlainWebp, recognizeImage } from './format.js';
import { type ImageWidth, type PreparedImage, squaresWithin, widthsBelow } from './store.js';

const IMAGES = { area: 'Images' } as const;
const MIB = 1024 * 1024;

export const MAX_IMAGE_BYTES = MAX_FILE_BYTES;
const MAX_IMAGE_PIXELS = fixedLimit({
  ...IMAGES,
  error: 'IMAGE_INVALID',
  value: 40_000_000,
  about: 'Pixels of an image, summed over all frames.',
});
const MAX_IMAGE_FRAMES = fixedLimit({
  ...IMAGES,
  error: 'IMAGE_INVALID',
  value: 1_000,
  about: 'Frames of an animated image.',
});
/** Maximum length of the longer side. */
const IMAGE_SIDE_PIXELS = 2_048;

const MAX_SECONDS =
  fixedLimit({
    ...IMAGES,
    error: 'IMAGE_INVALID',
    value: 20_000,
    unit: 'ms',
    about: 'Maximum processing time of an image. Its smaller sizes can take as long again.',
  }) / 1000;

/** The AVIF decoder needs up to 18 bytes per pixel: of images with more pixels, one is processed at a time. */
const HEAVY_PIXELS = 16_000_000;
/** Images with at most as many pixels are processed beside an image of any size, so that they do not wait for it. */
const LIGHT_PIXELS = 4_000_000;

const PERMITS = 10;
const HEAVY = 6;
const MEDIUM = 5;
const LIGHT = 4;

// sharp runs on the libuv thread pool (four threads), which file access, DNS and password hashing use too: these permits allow two tasks.
// At most one task per member runs at a time, so that slow formats leave the other one to the images of other members, also of the same network.
const processing = observeQueue(
  new WeightedSemaphore({
    work: 'images',
    permits: PERMITS,
    tasksPerKey: 1,
    maxWaiting: fixedLimit({
      ...IMAGES,
      error: 'SERVICE_UNAVAILABLE',
      value: 16,
      about:
        'Images that wait, in each process. When the queue is full, the newest image of the member with the most is rejected.',
    }),
    maxWaitingPerKey: fixedLimit({
      ...IMAGES,
      error: 'RATE_LIMITED',
      value: 8,
      about: 'Images of one member that wait, in each process.',
    }),
    maxWaitMs: fixedLimit({
      ...IMAGES,
      error: 'SERVICE_UNAVAILABLE',
      value: 20_000,
      unit: 'ms',
      about: 'Maximum time that an image waits.',
    }),
  }),
);

let loading: Promise<typeof SharpModule> | undefined;

/** With the first image: libvips takes memory and starts threads. */
function loadSharp(): Promise<typeof SharpModule> {
  loading ??= importSharp().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function importSharp(): Promise<typeof SharpModule> {
  const { default: sharp } = await import('sharp');
  // Process-wide settings; nothing else uses sharp. An upload is decoded once, so a cache would only use memory.
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  // The loader of UltraHDR JPEGs stays blocked: the plain JPEG loader reads them too, with a tenth of the memory.
  sharp.unblock({
    operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((loader) => `VipsForeignLoad${loader}Buffer`),
  });
  return sharp;
}

/**
 * Decodes, scales down and re-encodes an image, so that no bytes of the uploaded file are ever served.
 *
 * @param task has the uploading member as its queue key
 * @param keepsPlainWebp whether a file that could be one of this service is stored as it is, if it can be decoded: for imports, so that an image that
 *   was exported stays the same. Not for uploads.
 * @param isProfile whether it is a profile image, which has square sizes too
 * @throws AppError IMAGE_INVALID, PAYLOAD_TOO_LARGE; RATE_LIMITED or SERVICE_UNAVAILABLE where too many images wait
 */
export async function prepareImage(
  bytes: Uint8Array,
  task: TaskOptions,
  { keepsPlainWebp = false, isProfile = false } = {},
): Promise<PreparedImage> {
  if (bytes.length > MAX_IMAGE_BYTES) {
    const [size, max] = [bytes.length / MIB, MAX_IMAGE_BYTES / MIB];
    throw new AppError('PAYLOAD_TOO_LARGE', { message: createMessage('imageTooLarge', size.toFixed(1), max) });
  }
  const format = recognizeImage(bytes);
  if (format === 'AVIF') checkAvifIndex(bytes);
  const sharp = await loadSharp();
  const size = await processing.run({ ...task, weight: LIGHT }, () =>
    decoding(format, () => readSize(sharp, bytes, format)),
  );
  checkSize(size);
  const pixels = size.width * size.height * size.frames;
  const weight = pixels > HEAVY_PIXELS ? HEAVY : pixels > LIGHT_PIXELS ? MEDIUM : LIGHT;
  const prepared = await processing.run({ ...task, weight }, () =>
    decoding(format, () => encode(sharp, bytes, { animated: size.frames > 1, isProfile })),
  );
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isUnscaled = Math.max(size.width, size.height) <= IMAGE_SIDE_PIXELS;
  return keepsPlainWebp && isUnscaled && isPlainWebp(file) ? { ...prepared, image: file } : prepared;
}

interface Size {
  width: number;
  /** Of one frame. */
  height: number;
  frames: number;
}

/** Reads only the header: no pixels are decoded, so no pixel limit is needed, and the error message can contain the size. */
async function readSize(sharp: typeof SharpModule, bytes: Uint8Array, format: ImageFormat): Promise<Size> {
  // Only GIF and WebP stay animated. Of an AVIF file with several images, the primary one is used.
  const animated = format === 'GIF' || format === 'WebP';
  const header = await sharp(bytes, { ...DECODE_OPTIONS, animated, limitInputPixels: false }).metadata();
  if (format === 'AVIF' && header.compression !== 'av1')
    throw new Error(`expected AV1 compression, got ${header.compression}`);
  return {
    width: header.width,
    height: header.pageHeight ?? header.height,
    frames: animated ? (header.pages ?? 1) : 1,
  };
}

function checkSize({ width, height, frames }: Size): void {
  const [megapixels, max] = [(width * height * frames) / 1_000_000, MAX_IMAGE_PIXELS / 1_000_000];
  if (frames > MAX_IMAGE_FRAMES) {
    throw new AppError('IMAGE_INVALID', { message: createMessage('imageTooManyFrames', frames, MAX_IMAGE_FRAMES) });
  }
  if (megapixels <= max) return;
  throw new AppError('IMAGE_INVALID', {
    message: createMessage('imageTooManyPixels', width, height, frames, megapixels.toFixed(1), max),
  });
}

async function encode(
  sharp: typeof SharpModule,
  bytes: Uint8Array,
  { animated, isProfile }: { animated: boolean; isProfile: boolean },
): Promise<PreparedImage> {
  const sizesFor = (width: number, height: number) => [
    ...smallerSizes(width),
    ...(isProfile ? squareSizes(Math.min(width, height)) : []),
  ];
  const secondsLeft = deadline();
  const source = sharp(bytes, { ...DECODE_OPTIONS, animated, limitInputPixels: MAX_IMAGE_PIXELS });
  // Animations cannot be rotated. By default sharp removes all metadata and converts to sRGB.
  const scaled = (animated ? source : source.autoOrient())
    .resize({ width: IMAGE_SIDE_PIXELS, height: IMAGE_SIDE_PIXELS, fit: 'inside', withoutEnlargement: true })
    .timeout({ seconds: secondsLeft() });
  if (animated) {
    // At the default effort (4) an animation of the maximum size takes several seconds.
    const { data, info } = await scaled.webp({ quality: 82, effort: 2 }).toBuffer({ resolveWithObject: true });
    // From the encoded image: all frames as pixels could take 160 MB.
    const { width, pageHeight: height = info.height } = info;
    const sizes = await resize(() => sharp(data, { animated }), sizesFor(width, height), { quality: 82, effort: 0 });
    return { image: data, sizes, width, height };
  }
  // At most 2,048 × 2,048 × 4 bytes. All sizes are made from these pixels, so that nothing is decoded twice.
  const { data, info } = await scaled.raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const pixels = () => sharp(data, { raw: { width, height, channels } });
  const image = await pixels().webp({ quality: 82, effort: 4 }).timeout({ seconds: secondsLeft() }).toBuffer();
  // Effort 2 takes half the time of 4. At quality 78 the files have the size that effort 4 reaches at 82.
  return { image, sizes: await resize(pixels, sizesFor(width, height), { quality: 78, effort: 2 }), width, height };
}

interface SmallerSize {
  width: ImageWidth;
  /** Absent: in proportion. */
  height?: number;
}

function smallerSizes(width: number): SmallerSize[] {
  return widthsBelow(width).map((smaller) => ({ width: smaller }));
}

function squareSizes(side: number): SmallerSize[] {
  return squaresWithin(side).map((side) => ({ width: side, height: side }));
}

async function resize(open: () => Sharp, smaller: readonly SmallerSize[], options: WebpOptions) {
  const sizes: PreparedImage['sizes'] = [];
  const secondsLeft = deadline();
  for (const { width, height } of smaller) {
    const bytes = await open()
      .resize({ width, ...(height && { height }) })
      .webp(options)
      .timeout({ seconds: secondsLeft() })
      .toBuffer();
    sizes.push({ width, bytes });
  }
  return sizes;
}

/** @returns the remaining seconds of MAX_SECONDS from now on, rounded up. @throws Error if there are none */
function deadline(): () => number {
  const end = performance.now() + MAX_SECONDS * 1000;
  return () => {
    const seconds = Math.ceil((end - performance.now()) / 1000);
    if (seconds < 1) throw new Error('the processing took too long');
    return seconds;
  };
}

/** `failOn: 'error'` accepts the JPEGs of some phones, which cause only warnings, and rejects truncated files. */
const DECODE_OPTIONS: SharpOptions = { sequentialRead: true, failOn: 'error' };

/** Replaces the decoders' error messages, which name their source files; the original error is logged as the cause. */
async function decoding<Result>(format: ImageFormat, work: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  try {
    return await work();
  } catch (cause) {
    const isLate = performance.now() - started > MAX_SECONDS * 1000;
    const message = isLate ? createMessage('imageTimeout', format, MAX_SECONDS) : createMessage('imageDamaged', format);
    throw new AppError('IMAGE_INVALID', { message, cause });
  }
}
