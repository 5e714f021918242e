/** Stores the images of an import as images of the authors: files of the source, and with `--images` those of other hosts. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import ms from 'ms';
import { insertImage, withImage } from '../commands/image.js';
import { lockMember } from '../models/member/member.js';
import type { Database } from '../platform/database/pool.js';
import { statement } from '../platform/database/statement.js';
import { AppError } from '../platform/errors.js';
import { MAX_IMAGE_BYTES, prepareImage } from '../services/images/image.js';
import type { ImageStore, PreparedImage } from '../services/images/store.js';
import { DownloadError, type DownloadOptions, download, UnreachableError } from './download.js';
import { EntryError } from './input/entries.js';
import { note, type Report } from './report.js';
import type { SourceImage } from './source.js';
import { findImported, type Journal } from './writer.js';

/** Where the pictures are stored. */
export interface PictureStore extends Pick<DownloadOptions, 'isAllowed'> {
  images: ImageStore;
  /** Without a slash at the end. */
  publicUrl: string;
}

/** Of one run. A further run continues with the remaining pictures. */
const MAX_TOTAL_BYTES = 20 * 1024 ** 3;
const MAX_TOTAL_MS = ms('12h');
/** Successive failures after which the other pictures of a host are left for the next run. */
const MAX_FAILURES_OF_HOST = 10;

export interface StoredPicture {
  id: number;
  key: string;
  width: number;
  height: number;
}

/** No row if the image was removed since. */
const FIND_PICTURE = statement<[source: string, picture: string], StoredPicture>(
  'import_find_picture',
  `select i.id, i.key, i.width, i.height from imported_records r join images i on i.id = r.row_id
   where r.source = $1 and r.kind = 'image' and r.key = $2`,
);

const RECORD_PICTURE = statement<[source: string, picture: string, imageId: number]>(
  'import_record_picture',
  `insert into imported_records (source, kind, key, row_id) values ($1, 'image', $2, $3)
   on conflict (source, kind, key) do update set row_id = excluded.row_id`,
);

/** Nothing if the record exists. */
const SET_PROFILE_IMAGE = statement<[source: string, recordKey: string, memberId: number, image: string, side: number]>(
  'import_set_profile_image',
  `with recorded as (
     insert into imported_records (source, kind, key, row_id) values ($1, 'member', $2, $3) on conflict do nothing returning row_id
   )
   update members set profile_image = $4, profile_image_side = $5 where id = (select row_id from recorded) and profile_image is null`,
);

export interface PicturesOptions {
  database: Database;
  journal: Journal;
  report: Report;
  store: PictureStore;
  /** In a dry run, pictures are read and checked, and not stored. */
  isDryRun: boolean;
  signal: AbortSignal | undefined;
}

export class Pictures {
  readonly #options: PicturesOptions;
  readonly #failures = new Map<string, number>();
  readonly #running = new Map<string, Promise<StoredPicture>>();
  readonly #dry = new Map<string, StoredPicture>();
  readonly #startedAt = Date.now();
  #bytes = 0;

  constructor(options: PicturesOptions) {
    this.#options = options;
  }

  get publicUrl(): string {
    return this.#options.store.publicUrl;
  }

  /** The address of a stored picture. */
  urlOf({ key }: StoredPicture): string {
    const { images, publicUrl } = this.#options.store;
    return images.url(key, publicUrl);
  }

  /** @returns the address of a picture of another host that is stored already, else null */
  async findFromHost(url: string, memberId: number): Promise<string | null> {
    const { journal } = this.#options;
    const [found] = await journal.run(FIND_PICTURE, [journal.source, pictureKey(`${memberId}\n${url}`)]);
    return found ? this.urlOf(found) : null;
  }

  /** Downloads a picture. @returns null if it could not be stored, which is reported */
  fromHost(url: string, memberId: number, place: string): Promise<StoredPicture | null> {
    const store = () => this.#storeOnce(`${memberId}\n${url}`, memberId, () => this.#download(new URL(url)));
    return this.#reporting(store, `${place} ${url}`, place);
  }

  /** Stores a file of the source: equal files of an author are one image. @returns null if it could not be stored, which is reported */
  fromFile({ reference, open }: SourceImage, memberId: number, place: string): Promise<StoredPicture | null> {
    const store = async () => {
      const bytes = await readAll(open);
      const content = createHash('sha256').update(bytes).digest('hex');
      return this.#storeOnce(`${memberId}\nfile ${content}`, memberId, async () => bytes, true);
    };
    return this.#reporting(store, `${place} ${reference}`, place);
  }

  /** Stores a file of the source as the image of a member, once: a member who has changed or removed it since keeps that. */
  async addProfileImage({ reference, open }: SourceImage, memberId: number, identity: string): Promise<void> {
    const { database, journal, report, store, isDryRun } = this.#options;
    const { images } = store;
    const recordKey = `image ${identity}`;
    if ((await findImported(journal, 'member', [recordKey])).size > 0) {
      report.pictures.existing++;
      return;
    }
    const save = async () => {
      const prepared = await prepareImage(
        await readAll(open),
        { key: identity },
        { keepsPlainWebp: true, isProfile: true },
      );
      const side = Math.min(prepared.width, prepared.height);
      const record = (key: string) =>
        database.query(SET_PROFILE_IMAGE, [journal.source, recordKey, memberId, key, side]).then(() => {});
      if (!isDryRun) await withImage({ database, images }, prepared, (saved) => record(saved?.key ?? ''));
      report.pictures.added++;
    };
    await this.#reporting(save, `image of a profile: ${reference}`, null);
  }

  async #reporting<Result>(
    store: () => Promise<Result>,
    example: string,
    place: string | null,
  ): Promise<Result | null> {
    const { report, signal } = this.#options;
    try {
      return await store();
    } catch (error) {
      const isExpected = error instanceof DownloadError || error instanceof AppError || error instanceof EntryError;
      if (signal?.aborted || !isExpected) throw error;
      report.pictures.failed++;
      const reason = `pictures that could not be stored: ${error.message.replace(/\.$/, '')}`;
      report.addNotes([note('skipped', reason, example)], place);
      return null;
    }
  }

  /** Articles of one member share an image. */
  #storeOnce(identity: string, memberId: number, read: () => Promise<Buffer>, isFile = false): Promise<StoredPicture> {
    const picture = pictureKey(identity);
    const running = this.#running.get(picture);
    if (running) {
      return running.then((stored) => {
        this.#options.report.pictures.existing++;
        return stored;
      });
    }
    const result = this.#store(picture, memberId, read, isFile).finally(() => this.#running.delete(picture));
    this.#running.set(picture, result);
    return result;
  }

  async #store(
    picture: string,
    memberId: number,
    read: () => Promise<Buffer>,
    isFile: boolean,
  ): Promise<StoredPicture> {
    const { journal, report, signal, isDryRun } = this.#options;
    const [found] = await journal.run(FIND_PICTURE, [journal.source, picture]);
    const stored = found ?? this.#dry.get(picture);
    if (stored) {
      report.pictures.existing++;
      return stored;
    }
    const task = { key: picture, ...(signal && { signal: () => signal }) };
    const prepared = await prepareImage(await read(), task, { keepsPlainWebp: isFile });
    const added = isDryRun ? this.#pretend(picture, prepared) : await this.#add(picture, memberId, prepared);
    report.pictures.added++;
    return added;
  }

  #pretend(picture: string, { width, height }: PreparedImage): StoredPicture {
    const stored = { id: -1, key: picture.slice(0, 32), width, height };
    this.#dry.set(picture, stored);
    return stored;
  }

  /** The image and its record in one transaction: an import that is interrupted between them would store it twice. */
  #add(picture: string, memberId: number, prepared: PreparedImage): Promise<StoredPicture> {
    const { database, journal, store } = this.#options;
    return withImage({ database, images: store.images }, prepared, (saved) =>
      database.transaction(async (db) => {
        await lockMember(db, memberId, null);
        const image = await insertImage(db, memberId, prepared, saved?.key ?? '');
        await db.query(RECORD_PICTURE, [journal.source, picture, image.id]);
        return image;
      }),
    );
  }

  async #download(url: URL): Promise<Buffer> {
    const { store, signal } = this.#options;
    if (this.#bytes > MAX_TOTAL_BYTES || Date.now() - this.#startedAt > MAX_TOTAL_MS)
      throw new DownloadError('this run has reached its limit of 20 GB and 12 hours, run it again to continue');
    const failures = this.#failures.get(url.host) ?? 0;
    if (failures >= MAX_FAILURES_OF_HOST) throw new DownloadError(`${url.host} does not respond`);
    try {
      const bytes = await download(url, { isAllowed: store.isAllowed, signal });
      this.#failures.delete(url.host);
      this.#bytes += bytes.length;
      return bytes;
    } catch (error) {
      if (error instanceof UnreachableError) this.#failures.set(url.host, failures + 1);
      throw error;
    }
  }
}

function pictureKey(identity: string): string {
  return createHash('sha256').update(identity).digest('hex');
}

async function readAll(open: SourceImage['open']): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const stream: Readable | undefined = await open?.();
  for await (const chunk of (stream ?? []) as AsyncIterable<Buffer>) {
    length += chunk.length;
    // One byte more than is permitted: the image is rejected for its size.
    chunks.push(chunk);
    if (length > MAX_IMAGE_BYTES) break;
  }
  return Buffer.concat(chunks);
}
