/** Images of an exported folder: files whose names are the hashes of their content. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LRUCache } from 'lru-cache';
import { wholeImage } from '../../export/image-references.js';
import type { ImageStore } from '../../services/images/store.js';

const FOLDER = 'images';

/** Paths that are remembered: an image is often in several texts, and in several sizes. */
const REMEMBERED = 10_000;

export class ImageFiles {
  /** Null: the image is missing. */
  readonly #paths = new LRUCache<string, { path: string | null }>({ max: REMEMBERED });

  /** @param folder an existing one, with a folder for images */
  constructor(
    private readonly store: ImageStore,
    private readonly folder: string,
    private readonly mode: number,
  ) {}

  /** Writes the file unless it exists. @param name of the file in the store @returns the path from the folder; null if it is not in the store */
  async pathOf(name: string): Promise<string | null> {
    const known = this.#paths.get(name);
    if (known) return known.path;
    const path = await this.#write(name);
    this.#paths.set(name, { path });
    return path;
  }

  async #write(name: string): Promise<string | null> {
    const image = (await this.store.read(name)) ?? (await this.store.read(wholeImage(name)));
    if (!image) return null;
    const unfinished = join(this.folder, FOLDER, 'image.part');
    const hash = createHash('sha256');
    const hashed = new Transform({
      transform(chunk, _, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    await pipeline(await image.open(), hashed, createWriteStream(unfinished, { mode: this.mode }));
    const path = `${FOLDER}/${hash.digest('hex')}.webp`;
    await rename(unfinished, join(this.folder, path));
    return path;
  }
}
