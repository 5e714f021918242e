/** Adds many images to a store, which appear together at the end or, if that is not reached, not at all. */
import { mkdir, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Disk } from 'flydrive';
import { giveToOwner, removeFolder, temporaryName } from '../../platform/config/data-dir.js';

/** The file of a name never changes: a file that exists already is kept. */
export interface ImageRestore {
  /** @param name a file name in the store */
  add(name: string, image: Buffer): Promise<void>;
  /** Makes all added images available. */
  commit(): Promise<void>;
  /** Removes the images that were added here, also after `commit`. Never rejects. */
  discard(): Promise<void>;
}

/** Base of the names of temporary folders. Those of ended processes are removed when the store is opened. */
export const RESTORE_FOLDER = 'restore';

/** The images are written to a folder in the store, and then moved out of it. */
export class FolderRestore implements ImageRestore {
  readonly #directory: string;
  readonly #staging: string;
  readonly #committed: string[] = [];
  /** The topmost folder that did not exist: that of the images, or the data folder. */
  #created: string | undefined;

  constructor(directory: string) {
    this.#directory = directory;
    this.#staging = join(directory, temporaryName(RESTORE_FOLDER));
  }

  async add(name: string, image: Buffer): Promise<void> {
    if (await stat(join(this.#directory, name)).catch(() => undefined)) return;
    const created = await mkdir(this.#staging, { recursive: true, mode: 0o700 });
    if (created === this.#directory) await giveToOwner(created, dirname(created));
    if (created !== this.#staging) this.#created ??= created;
    const path = join(this.#staging, name);
    await writeFile(path, image, { flag: 'wx', flush: true });
    await giveToOwner(path, this.#directory);
  }

  async commit(): Promise<void> {
    for (const name of await readdir(this.#staging).catch((): string[] => [])) {
      await rename(join(this.#staging, name), join(this.#directory, name));
      this.#committed.push(name);
    }
    await removeFolder(this.#staging);
  }

  async discard(): Promise<void> {
    await removeFolder(this.#staging);
    for (const name of this.#committed) await rm(join(this.#directory, name), { force: true }).catch(() => {});
    // These fail for a folder that is not empty.
    if (this.#created) await rmdir(this.#directory).catch(() => {});
    if (this.#created) await rmdir(this.#created).catch(() => {});
  }
}

/** A bucket cannot rename: the images have their names from the beginning, but no row refers to them before the end. */
export class BucketRestore implements ImageRestore {
  readonly #disk: Disk;
  readonly #put: (name: string, image: Buffer) => Promise<void>;
  readonly #added: string[] = [];

  constructor(disk: Disk, put: (name: string, image: Buffer) => Promise<void>) {
    this.#disk = disk;
    this.#put = put;
  }

  async add(name: string, image: Buffer): Promise<void> {
    if (await this.#disk.exists(name)) return;
    this.#added.push(name);
    await this.#put(name, image);
  }

  async commit(): Promise<void> {}

  async discard(): Promise<void> {
    for (const name of this.#added) await this.#disk.delete(name).catch(() => {});
  }
}
