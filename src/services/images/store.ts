/** Stores processed images in a local folder or an S3 bucket, under random keys. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, opendir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import ms from 'ms';
import { withTimeout } from '../../platform/concurrency/timeout.js';
import { removeAbandonedFolders } from '../../platform/config/data-dir.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import type { ImageStoreConfig } from '../../platform/config/settings/storage.js';
import { ServiceFailure } from '../../platform/errors.js';
import { openBucket } from './bucket.js';
import { BucketRestore, FolderRestore, type ImageRestore, RESTORE_FOLDER } from './restore.js';

/** Widths in pixels of the smaller sizes that are stored with an image. */
export const IMAGE_WIDTHS = [320, 640, 1280, 1920] as const;
/** Sides in pixels of the square sizes that are stored with a profile image. */
export const PROFILE_IMAGE_SIDES = [64, 128, 256] as const;
/** Of a stored size. */
export type ImageWidth = (typeof IMAGE_WIDTHS | typeof PROFILE_IMAGE_SIDES)[number];

/** The widths of the sizes of an image with this width, in ascending order: each is smaller than the image. */
export function widthsBelow(width: number): ImageWidth[] {
  return IMAGE_WIDTHS.filter((smaller) => smaller < width);
}

/** The sides of the square sizes of a profile image, in ascending order. None is enlarged. @param side the shorter one of the image */
export function squaresWithin(side: number): ImageWidth[] {
  return PROFILE_IMAGE_SIDES.filter((square) => square <= side);
}

/** The media type of every stored file. */
export const IMAGE_TYPE = 'image/webp';

export interface PreparedImage {
  /** WebP without metadata, with the orientation applied, animated if the file was animated. */
  image: Buffer;
  /** The same image in each of `widthsBelow(width)`; of a profile image, also its middle in each of `squaresWithin` its shorter side. */
  sizes: { width: ImageWidth; bytes: Buffer }[];
  /** Pixels of `image`. */
  width: number;
  height: number;
}

/** Where images are stored. Operations that fail, or take too long, throw a ServiceFailure. */
export interface ImageStore {
  /** If it fails, all sizes are removed. @param key a new one @returns the key under which all sizes are stored */
  save(image: Pick<PreparedImage, 'image' | 'sizes'>, key?: string): Promise<string>;
  /** Removes all sizes. No error if they do not exist. */
  remove(key: string): Promise<void>;
  /** @param name file name as in the URL @returns undefined if it does not exist */
  read(name: string): Promise<StoredImage | undefined>;
  /** Of a bucket: lists it. @throws ServiceFailure if it cannot be listed */
  check(): Promise<void>;
  /** The names of all files, in no order. */
  names(): AsyncIterable<string>;
  restore(): ImageRestore;
  /** URL of an image. @param publicUrl without a trailing slash @param width of a smaller size */
  url(key: string, publicUrl: string, width?: ImageWidth): string;
}

/** An image in one width. */
export interface SizedImage {
  url: string;
  /** In pixels. */
  width: number;
}

/** The smaller sizes of an image. @param width of the image; null if it is not known, then there are none */
export function sizesOf(images: ImageStore, key: string, width: number | null, publicUrl: string): SizedImage[] {
  return widthsBelow(width ?? 0).map((smaller) => ({ url: images.url(key, publicUrl, smaller), width: smaller }));
}

/** The square sizes of a profile image. @param side the shorter one of the image; null if its sizes do not exist yet */
export function squaresOf(images: ImageStore, key: string, side: number | null, publicUrl: string): SizedImage[] {
  return squaresWithin(side ?? 0).map((width) => ({ url: images.url(key, publicUrl, width), width }));
}

export interface StoredImage {
  /** Size in bytes. */
  size: number;
  /** The caller must consume or destroy the stream. */
  open(): Promise<Readable>;
}

/** 128 random bits in lower-case hexadecimal: not guessable, not related to the member, and safe on case-insensitive file systems. */
export function newImageKey(): string {
  return randomBytes(16).toString('hex');
}

/** A file name in the store, which is also the last path segment of the image's URL. */
export const IMAGE_NAME = /^[0-9a-f]{32}(?:-(?:64|128|256|320|640|1280|1920))?\.webp$/;

/** The file of a name never changes. One day limits how long caches serve a deleted image. */
export const IMAGE_CACHE_CONTROL = 'public, max-age=86400';

const TIMEOUT_MS = fixedLimit({
  area: 'Images',
  error: 'SERVICE_UNAVAILABLE',
  value: 10_000,
  unit: 'ms',
  about: 'Maximum time in which the image store saves, finds or removes an image in all sizes.',
});

/** Time in which a bucket that existed counts as existing. */
const CHECK_INTERVAL_MS = 10_000;

/** The local folder is created on the first save. Does not connect to S3 yet. @param timeoutMs of one operation */
export async function openImageStore(config: ImageStoreConfig, timeoutMs = TIMEOUT_MS): Promise<ImageStore> {
  if (config.storage === 's3') {
    const disk = await openBucket(config, timeoutMs);
    return new DiskImageStore({ disk, timeoutMs, name: `the image store (bucket ${config.bucket})` });
  }
  const { directory } = config;
  await removeLeftovers(directory);
  const driver = new AtomicFSDriver({ location: directory, visibility: 'private' });
  return new DiskImageStore({
    disk: new Disk(driver),
    timeoutMs,
    name: `the image store (folder ${directory})`,
    directory,
  });
}

interface StoreOptions {
  readonly disk: Disk;
  readonly timeoutMs: number;
  /** For errors. */
  readonly name: string;
  /** Of local files. */
  readonly directory?: string;
}

class DiskImageStore implements ImageStore {
  readonly #name: string;
  readonly #timeoutMs: number;
  #checkedAt = Number.NEGATIVE_INFINITY;
  private readonly disk: Disk;
  private readonly directory: string | undefined;

  constructor({ disk, timeoutMs, name, directory }: StoreOptions) {
    this.disk = disk;
    this.directory = directory;
    this.#name = name;
    this.#timeoutMs = timeoutMs;
  }

  async save({ image, sizes }: Pick<PreparedImage, 'image' | 'sizes'>, key = newImageKey()): Promise<string> {
    await this.#bounded(async () => {
      const full = this.disk.put(nameOf(key), image, WRITE_OPTIONS);
      const results = await Promise.allSettled([full, ...this.#put(sizes, key)]);
      const failed = results.find((result) => result.status === 'rejected');
      if (!failed) return;
      // Best effort: an error of this deletion must not replace the first error.
      await this.#delete(namesOf(key)).catch(() => {});
      throw failed.reason;
    });
    return key;
  }

  async remove(key: string): Promise<void> {
    const names = namesOf(key);
    await this.#bounded(() => this.#delete(names));
  }

  async read(name: string): Promise<StoredImage | undefined> {
    if (!IMAGE_NAME.test(name)) return undefined;
    const found = await this.#bounded(() =>
      this.disk.getMetaData(name).catch(async (error) => {
        if (!isMissing(error)) throw error;
        await this.#requireBucket();
        return undefined;
      }),
    );
    return found && { size: found.contentLength, open: () => this.#bounded(() => this.#open(name)) };
  }

  /** Waits for the first bytes, so that a file which cannot be read has an error response. */
  async #open(name: string): Promise<Readable> {
    const file = await this.disk.getStream(name);
    await once(file, 'readable');
    return file;
  }

  #put(sizes: PreparedImage['sizes'], key: string): Promise<void>[] {
    return sizes.map(({ width, bytes }) => this.disk.put(nameOf(key, width), bytes, WRITE_OPTIONS));
  }

  async #delete(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.disk.delete(name)));
  }

  async check(): Promise<void> {
    await this.#bounded(() => this.#requireBucket());
  }

  /** S3 responds to HEAD with 404 for a missing bucket too. */
  async #requireBucket(): Promise<void> {
    if (this.directory !== undefined || performance.now() - this.#checkedAt < CHECK_INTERVAL_MS) return;
    await this.disk.listAll('/');
    this.#checkedAt = performance.now();
  }

  /** @throws ServiceFailure also if the work takes too long: it may then have an effect later */
  async #bounded<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      const result = work().then((value) => ({ value }));
      const ended = await withTimeout(result, this.#timeoutMs);
      if (ended) return ended.value;
      throw Object.assign(new Error(`no response within ${this.#timeoutMs / 1000} s`), { code: 'ETIMEDOUT' });
    } catch (error) {
      if (error instanceof TypeError) throw error;
      throw new ServiceFailure(this.#name, reasonOf(error), { cause: error });
    }
  }

  async *names(): AsyncGenerator<string> {
    for await (const name of this.directory === undefined ? bucketNames(this.disk) : fileNames(this.directory)) {
      if (IMAGE_NAME.test(name)) yield name;
    }
  }

  restore(): ImageRestore {
    if (this.directory !== undefined) return new FolderRestore(this.directory);
    return new BucketRestore(this.disk, (name, image) => this.disk.put(name, image, WRITE_OPTIONS));
  }

  url(key: string, publicUrl: string, width?: ImageWidth): string {
    return `${publicUrl}/images/${nameOf(key, width)}`;
  }
}

const WRITE_OPTIONS = { contentType: IMAGE_TYPE, cacheControl: IMAGE_CACHE_CONTROL };

function nameOf(key: string, width?: ImageWidth): string {
  const name = width === undefined ? `${key}.webp` : `${key}-${width}.webp`;
  if (!IMAGE_NAME.test(name))
    throw new TypeError(`Expected an image key of 32 hexadecimal digits, got ${JSON.stringify(key)}.`);
  return name;
}

/** Of all sizes. */
function namesOf(key: string): string[] {
  return [undefined, ...IMAGE_WIDTHS, ...PROFILE_IMAGE_SIDES].map((width) => nameOf(key, width));
}

/** The name or the code of the error of the driver, and the status of S3. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  const { name, code, $metadata } = cause as { name?: string; code?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  return [code ?? name ?? 'unknown', ...(status === undefined ? [] : [`status ${status}`])].join(', ');
}

async function* fileNames(directory: string): AsyncGenerator<string> {
  const folder = await opendir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  for await (const { name } of folder ?? []) yield name;
}

async function* bucketNames(disk: Disk): AsyncGenerator<string> {
  for (let paginationToken: string | undefined, isFirst = true; isFirst || paginationToken; isFirst = false) {
    const page = await disk.listAll('/', { ...(paginationToken && { paginationToken }) });
    for (const object of page.objects) if (object.isFile) yield object.name;
    paginationToken = page.paginationToken;
  }
}

/** flydrive's errors contain the driver's error as `cause`. */
function isMissing(error: unknown): boolean {
  const cause = (error as { cause?: { code?: string; $metadata?: { httpStatusCode?: number } } }).cause;
  return cause?.code === 'ENOENT' || cause?.$metadata?.httpStatusCode === 404;
}

const TEMPORARY_SUFFIX = '.part';

/** Atomic writes with a temporary file and a rename. flydrive writes in place: a crash would leave a truncated file under its final name. */
class AtomicFSDriver extends FSDriver {
  override async put(name: string, contents: string | Uint8Array): Promise<void> {
    const directory = this.options.location.toString();
    const unfinished = join(directory, name + TEMPORARY_SUFFIX);
    await mkdir(directory, { recursive: true });
    try {
      await writeFile(unfinished, contents, { flag: 'wx', flush: true });
      await rename(unfinished, join(directory, name));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }
}

/** Deletes temporary files of crashed processes. Files of the last hour are kept: another process may be writing them. */
async function removeLeftovers(directory: string): Promise<void> {
  await removeAbandonedFolders(directory, RESTORE_FOLDER);
  const anHourAgo = Date.now() - ms('1h');
  const names = await readdir(directory).catch((): string[] => []);
  for (const path of names.filter((name) => name.endsWith(TEMPORARY_SUFFIX)).map((name) => join(directory, name))) {
    const { mtimeMs } = await stat(path);
    if (mtimeMs < anHourAgo) await rm(path, { force: true });
  }
}
