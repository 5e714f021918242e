/** The journal as a folder of Markdown files, images and comments, from which it can be restored. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LRUCache } from 'lru-cache';
import { imagesIn, wholeImage } from '../../export/image-references.js';
import { markdownOf, type Text, type TextFolder, textsIn } from '../../export/markdown-texts.js';
import { inPages, type Snapshot } from '../../export/snapshot.js';
import { IS_PENDING } from '../../models/member/member.js';
import { toDate } from '../../platform/database/columns.js';
import { statement } from '../../platform/database/statement.js';
import type { ImageStore } from '../../services/images/store.js';
import { quantity } from '../terminal.js';
import { commentsJson } from './comments.js';

export interface MarkdownCounts {
  members: number;
  texts: number;
  comments: number;
}

export interface MarkdownExport {
  snapshot: Snapshot;
  images: ImageStore;
  publicUrl: string;
  /** Whether private articles, drafts and hidden comments are included. */
  withPrivate: boolean;
  signal: AbortSignal;
  /** Incremented after each record. */
  counts: MarkdownCounts;
  onProgress(): void;
  onMissingImage(address: string, file: string): void;
}

/** File modes before the umask: for public data, and for personal data (owner only). */
const MODES = { public: { file: 0o666, folder: 0o777 }, private: { file: 0o600, folder: 0o700 } } as const;

export function modesOf({ withPrivate }: Pick<MarkdownExport, 'withPrivate'>) {
  return withPrivate ? MODES.private : MODES.public;
}

/** Format version: incremented when a field changes its meaning or is removed. */
const FORMAT_VERSION = 1;

/**
 * For Eleventy, which applies the file with the name of a folder to all files in it: contents are not Liquid templates, pages are beside the folder of
 * images, as the files are, and private texts have no pages.
 */
const FOLDER_DATA: Readonly<Record<TextFolder, object>> = {
  articles: {
    templateEngineOverride: 'md',
    permalink: "articles/{{ page.inputPath | split: '/' | last | replace: '.md', '.html' }}",
  },
  private: { templateEngineOverride: 'md', permalink: false, eleventyExcludeFromCollections: true },
  drafts: { templateEngineOverride: 'md', permalink: false, eleventyExcludeFromCollections: true },
};

/** The same journal gives the same files. @param folder an existing, empty one @returns a sentence on what is not in them; empty if it is all */
export async function writeMarkdown(folder: string, run: MarkdownExport): Promise<string> {
  const folders: TextFolder[] = run.withPrivate ? ['articles', 'private', 'drafts'] : ['articles'];
  const modes = modesOf(run);
  for (const name of [...folders, 'comments', 'images']) await mkdir(join(folder, name), { mode: modes.folder });
  const write = async (path: string, content: string | AsyncIterable<string>) => {
    run.signal.throwIfAborted();
    await writeFile(join(folder, path), content, { flag: 'wx', mode: modes.file });
    run.onProgress();
  };
  const images = new ImageFiles(run.images, folder, modes.file);
  const about = { format: FORMAT_VERSION, url: run.publicUrl, all: run.withPrivate };
  await write('daybook-export.json', json(about));
  const pathOf = async (key: string, nickname: string) => {
    const path = await images.pathOf(`${key}.webp`);
    if (path === null) run.onMissingImage(`${key}.webp`, `the profile of ${nickname}`);
    return path;
  };
  await write('members.json', membersJson(run.snapshot, pathOf, run.counts));
  for (const name of folders) await write(`${name}/${name}.json`, json(FOLDER_DATA[name]));
  for await (const text of textsIn(run.snapshot, folders, null)) {
    await writeText(text, write, images, run);
    run.counts.texts++;
  }
  return run.withPrivate ? describeLeftOut(run.snapshot) : '';
}

/** With `--all`: what an import could not add as it is, since nothing in the files says that it is removed or held. */
const LEFT_OUT = statement<[], LeftOut>(
  'export_markdown_left_out',
  `select (select count(*) from all_articles where removed_at is not null) as articles, (select count(*) from held_comments) as held,
     (select count(*) from comments c join all_articles a on a.id = c.article_id
      where c.removed_at is not null and c.deleted_at is null and a.removed_at is null) as removed`,
);

interface LeftOut {
  articles: number;
  held: number;
  removed: number;
}

/** A sentence; empty if there is nothing. */
async function describeLeftOut({ read }: Snapshot): Promise<string> {
  const [{ articles, held, removed } = { articles: 0, held: 0, removed: 0 }] = await read(LEFT_OUT, []);
  const parts = [
    articles > 0 && `${quantity(articles, 'article')} that a moderator has removed, with all comments`,
    held > 0 && `${quantity(held, 'comment')} waiting for approval`,
    removed > 0 && `the content of ${quantity(removed, 'comment')} that a moderator has removed`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? `Not exported: ${parts.join('; ')}.` : '';
}

type Write = (path: string, content: string | AsyncIterable<string>) => Promise<void>;

async function writeText(text: Text, write: Write, images: ImageFiles, run: MarkdownExport): Promise<void> {
  const { snapshot, counts, withPrivate } = run;
  const path = `${text.folder}/${text.name}.md`;
  const paths = new Map<string, string>();
  const found = imagesIn(text.content);
  if (text.image) found.set(`${text.image}.webp`, `${text.image}.webp`);
  for (const [name, address] of found) {
    const image = await images.pathOf(name);
    if (image === null) run.onMissingImage(address, path);
    else paths.set(name, `../${image}`);
  }
  await write(
    path,
    markdownOf(text, (name) => paths.get(name)),
  );
  if (text.folder === 'drafts') return;
  const lines = commentsJson(text.id, { read: snapshot.read, withHidden: withPrivate, counts });
  const first = await lines.next();
  if (!first.done) await write(`comments/${text.name}.json`, startingWith(first.value, lines));
}

async function* startingWith(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

interface Profile {
  nickname: string;
  /** For the keyset. */
  key: string;
  bio: string;
  image: string | null;
  createdAt: Date;
  /** Null if there are none. Front matter has only the titles of those with articles. */
  series: { title: string; description: string; updatedAt: string }[] | null;
}

/** In the order of the index of nicknames, which does not depend on ids. */
const PROFILES = statement<[lastKey: string, size: number], Profile>(
  'export_profiles',
  `select nickname, lower(nickname) as key, bio, profile_image as image, created_at as "createdAt",
     (select json_agg(json_build_object('title', s.title, 'description', s.description, 'updatedAt', s.updated_at at time zone 'UTC')
        order by s.title collate "C", s.id) from series s where s.member_id = members.id) as series
   from members
   where lower(nickname) > $1 and not (${IS_PENDING}) order by lower(nickname) limit $2`,
);

const PAGE_ROWS = 500;

/** An array with one member in each line. @param pathOf the path of an image in the folder; null if it is missing */
async function* membersJson(
  { read }: Snapshot,
  pathOf: (image: string, nickname: string) => Promise<string | null>,
  counts: { members: number },
): AsyncGenerator<string> {
  let before = '[\n';
  for await (const page of inPages<Profile>(PAGE_ROWS, (last) => read(PROFILES, [last?.key ?? '', PAGE_ROWS]))) {
    for (const { nickname, bio, image, createdAt, series } of page) {
      const path = image && (await pathOf(image, nickname));
      const listed = series?.map((one) => ({ ...one, updatedAt: toDate(one.updatedAt) }));
      yield before + JSON.stringify({ nickname, bio, image: path, createdAt, series: listed });
      before = ',\n';
    }
    counts.members += page.length;
  }
  yield before === ',\n' ? '\n]\n' : '[]\n';
}

const FOLDER = 'images';

/** Paths that are remembered: an image is often in several texts, and in several sizes. */
const REMEMBERED = 10_000;

class ImageFiles {
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
