/** All data of one member as a streamed ZIP of JSON files, Markdown files and images. */
import { finished, Readable } from 'node:stream';
import yazl from 'yazl';
import { IMAGES_OF_MEMBER } from '../models/image.js';
import { type Statement, statement } from '../platform/database/statement.js';
import { isSameEmailSql } from '../platform/email-address.js';
import type { ImageStore, StoredImage } from '../services/images/store.js';
import { wholeImage } from './image-references.js';
import { markdownOf, type TextFolder, textsIn } from './markdown-texts.js';
import { MEMBER_FILES, type MemberFile } from './member-files.js';
import { pages, pagesByNumber, pagesByTime, type Snapshot } from './snapshot.js';

export interface FoundMember {
  id: number;
  nickname: string;
}

/** Finds a member by id or by email. */
export const FIND_MEMBER = statement<[id: string | null, email: string | null], FoundMember>(
  'export_find_member',
  `select id, nickname from members where id = $1::bigint or ${isSameEmailSql('email', '$2')}`,
);

export interface MemberArchive {
  zip: Readable;
  /** Names of images that are missing in the store: all of them when `zip` has ended. */
  missing: string[];
}

/**
 * `zip` reads from the snapshot and from the store, one entry at a time: it must be consumed or destroyed before the transaction of the
 * snapshot ends. The first image is looked up before, so that an unreachable store is an error in place of a partial archive.
 */
export async function memberArchive(
  snapshot: Snapshot,
  images: ImageStore,
  { id }: Pick<FoundMember, 'id'>,
  now: Date,
): Promise<MemberArchive> {
  const missing: string[] = [];
  const keys = await snapshot.read(IMAGES_OF_MEMBER, [id]);
  const present = imagesOf(keys, images, missing);
  const first = await present.next();
  const file = new yazl.ZipFile();
  const zip = file.outputStream as Readable;
  file.on('error', (error: Error) => zip.destroy(error));
  let reading: Readable | undefined;
  zip.once('close', () => reading?.destroy());
  /** yazl has no error listener on its source streams, and keeps reading them after the archive stream is destroyed. */
  const forwardErrors = (source: Readable) => {
    reading = zip.destroyed ? source.destroy() : source;
    return source.once('error', (error) => zip.destroy(error));
  };
  const entry = { mtime: now, mode: 0o100600 };
  for (const each of MEMBER_FILES) {
    file.addReadStreamLazy(each.name, entry, (give) =>
      give(null, forwardErrors(Readable.from(jsonOf(snapshot, each, images, id)))),
    );
  }
  const addImage = ({ name, image }: FoundImage) =>
    new Promise<void>((resolve, reject) => {
      file.addReadStreamLazy(name, { ...entry, compress: false, size: image.size }, (give) => {
        image.open().then((stream) => {
          finished(stream, () => resolve());
          give(null, forwardErrors(stream));
        }, reject);
      });
    });
  const paths = new Map(keys.map(({ key }) => [`${key}.webp`, `../${pathOf(images, key)}`]));
  const addText = (name: string, text: string) =>
    new Promise<void>((resolve) => {
      file.addReadStreamLazy(name, entry, (give) => {
        const stream = Readable.from([text]);
        finished(stream, () => resolve());
        give(null, forwardErrors(stream));
      });
    });
  const addRest = async () => {
    // The next text is read when the one before has been sent.
    for await (const text of textsIn(snapshot, Object.keys(TEXT_FOLDERS) as TextFolder[], id)) {
      if (zip.destroyed) return;
      await addText(
        `${text.folder}/${text.name}.md`,
        markdownOf(text, (name) => paths.get(wholeImage(name))),
      );
    }
    // Each image is looked up when the one before has been read.
    for (let next = first; !next.done; next = await present.next()) {
      if (zip.destroyed) return;
      await addImage(next.value);
    }
    file.addBuffer(Buffer.from(describeArchive(now, missing)), 'README.txt', entry);
    file.end();
  };
  addRest().catch((error) => zip.destroy(error));
  return { zip, missing };
}

/** The path of an image in the archive. */
function pathOf(images: ImageStore, key: string): string {
  return images.url(key, '').slice(1);
}

interface FoundImage {
  name: string;
  image: StoredImage;
}

/** @param missing receives the names of images that are not in the store */
async function* imagesOf(
  keys: readonly { key: string }[],
  images: ImageStore,
  missing: string[],
): AsyncGenerator<FoundImage, void> {
  for (const { key } of keys) {
    const name = pathOf(images, key);
    const image = await images.read(name.slice(name.lastIndexOf('/') + 1));
    if (image) yield { name, image };
    else missing.push(name);
  }
}

async function* jsonOf(snapshot: Snapshot, file: MemberFile, images: ImageStore, memberId: number) {
  const entry = (row: Row) => JSON.stringify(withImagePath(row, images), undefined, 2);
  if (file.holds === 'one') {
    const [row = {}] = await snapshot.read(file.rows, [memberId]);
    yield `${entry(row)}\n`;
    return;
  }
  let before = '[\n';
  for await (const rows of listsOf(snapshot, file, memberId)) {
    for (const row of rows) {
      yield before + entry(row);
      before = ',\n';
    }
  }
  yield before === ',\n' ? '\n]\n' : '[]\n';
}

type Row = Record<string, unknown>;

/** The rows of a list, page by page. */
async function* listsOf(snapshot: Snapshot, { holds, rows, pageRows }: MemberFile, memberId: number) {
  const paged = rows as Statement<
    readonly unknown[],
    Row & { id: number; createdAt: Date; articleId: number; number: number }
  >;
  if (holds === 'pages') yield* pages(snapshot, paged, pageRows, memberId);
  else if (holds === 'pagesByTime') yield* pagesByTime(snapshot, paged, pageRows, memberId);
  else if (holds === 'pagesByNumber') yield* pagesByNumber(snapshot, paged, pageRows, memberId);
  else yield await snapshot.read(rows, [memberId]);
}

function withImagePath(row: Row, images: ImageStore): Row {
  return typeof row.image === 'string' ? { ...row, image: pathOf(images, row.image) } : row;
}

/** Folders of Markdown files, with descriptions for README.txt. */
const TEXT_FOLDERS: Readonly<Record<TextFolder, string>> = {
  articles: 'Your public articles as Markdown files, for editors and site generators.',
  private: 'Your private articles as Markdown files.',
  drafts: 'Your drafts as Markdown files.',
};

/** @param missing names of images that are missing in the store, and so in the archive */
function describeArchive(now: Date, missing: readonly string[]): string {
  const width = Math.max(...MEMBER_FILES.map(({ name }) => name.length));
  const folders = Object.entries(TEXT_FOLDERS).map(([name, about]) => ({ name: `${name}/`, about }));
  const files = [...MEMBER_FILES, ...folders].map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`);
  return [
    `Your data in Daybook, as it was at ${now.toISOString()}`,
    '',
    'This archive contains all data stored about you. Files are in UTF-8.',
    'Times are in UTC (ISO 8601). Lists are in order of creation, the oldest first.',
    '',
    ...files,
    `  ${'images/'.padEnd(width)}  Your profile image, those of your articles, and those that you uploaded for their content.`,
    '',
    ...missingImages(missing),
    'Content of other members, including comments on your articles, is not included. Passwords, session keys and API tokens are',
    'stored only as irreversible hashes, and are not included.',
    '',
  ].join('\n');
}

function missingImages(missing: readonly string[]): string[] {
  if (missing.length === 0) return [];
  return ['These images were not found in the image storage:', ...missing.map((name) => `  ${name}`), ''];
}
