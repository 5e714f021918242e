/** Imports a file, a folder or a ZIP archive of Markdown, or of HTML with front matter: of Hugo, Jekyll, Obsidian, Velog backups and Daybook. */
import { posix } from 'node:path';
import { unescapeShortcodes } from '../../export/generator-safe.js';
import { splitDatedName } from '../dates.js';
import { EntryError, type InputEntry } from '../input/entries.js';
import { type Input, readText } from '../input.js';
import { encodingLosses, TOO_COMPLEX } from '../losses.js';
import type { ImportSource, Product, SourceArticle, SourceImage, SourceItem } from '../source.js';
import { readContent } from './markdown/content.js';
import {
  areOrphans,
  daybookImages,
  readDaybookComments,
  readDaybookMembers,
  reasonInArchive,
  storedImage,
} from './markdown/daybook.js';
import { type ReadFields, readFields } from './markdown/fields.js';
import { FrontMatterError, readFrontMatter } from './markdown/front-matter.js';
import { recognitionOf } from './markdown/recognition.js';
import { CountedFiles, hasFrontMatter, PAGES, roleOf } from './markdown/roles.js';
import {
  addressOfPath,
  HTML,
  isOwnExport,
  MARKDOWN,
  originOfSite,
  resolveFile,
  type Site,
  siteOf,
} from './markdown/site.js';

const open: Product['open'] = async (input, { now }) => new MarkdownSource(await siteOf(input), now);

/** Before the products whose exports are JSON files: their recognition would open each file with comments. */
export const daybook: Product = {
  name: 'an export of Daybook as Markdown files',
  open: async (input, options) => (isOwnExport(input) ? open(input, options) : null),
};

export const markdown: Product = {
  name: 'Markdown files (a file, a folder or a ZIP archive)',
  open: async (input, options) => ((await isMarkdown(input)) ? open(input, options) : null),
};

/** Any file with Markdown in a folder or an archive; HTML and a single file need front matter, since every text is Markdown. */
async function isMarkdown(input: Input): Promise<boolean> {
  const [first] = input.entries();
  if (!first) return false;
  if (input.kind !== 'file') {
    const files = [...input.entries()];
    if (files.some(({ path }) => MARKDOWN.test(path))) return true;
    for (const file of files) if (HTML.test(file.path) && (await hasFrontMatter(file))) return true;
    return false;
  }
  try {
    return readFrontMatter((await readText(first)).text).fields !== null;
  } catch (error) {
    if (error instanceof EntryError || error instanceof FrontMatterError) return false;
    throw error;
  }
}

class MarkdownSource implements ImportSource {
  readonly product = 'Markdown';
  readonly origin: string;
  readonly url: string | null;
  readonly recognition: string;
  readonly #site: Site;
  readonly #now: Date;
  readonly #progress = { read: 0, size: 0 };

  constructor(site: Site, now: Date) {
    this.#site = site;
    this.#now = now;
    this.origin = originOfSite(site);
    this.url = site.url;
    this.recognition = recognitionOf(site);
    for (const _ of site.input.entries()) this.#progress.size++;
  }

  /** In files, of which those of pictures take no time. */
  progress() {
    return this.#progress;
  }

  reads(path: string): boolean {
    return this.#site.kind === 'daybook' || !/\.(?:json|xml)$/i.test(path);
  }

  async *items(): AsyncGenerator<SourceItem> {
    this.#progress.read = 0;
    const counted = new CountedFiles();
    if (this.#site.kind === 'daybook') yield* readDaybookMembers(this.#site);
    for (const file of this.#site.input.entries()) {
      this.#progress.read++;
      const reason = this.#site.isArchive ? reasonInArchive(this.#site, file.path) : null;
      const role = reason === null ? await roleOf(this.#site, file) : { reason };
      if (role === 'text') yield await this.#read(file);
      else if (role?.isCounted) counted.add(file, role);
      else if (role) yield leftOut(file, role.reason);
      else if (this.#site.kind === 'daybook' && areOrphans(this.#site, file.path))
        yield leftOut(file, 'comments on articles that are not in the source');
    }
    for (const files of counted.all()) yield { kind: 'left out', ...files };
  }

  /** HTML of programs without a folder of posts, unless it has a date. */
  #isPage({ path }: InputEntry): boolean {
    const { kind, input } = this.#site;
    if (input.kind === 'file' || !HTML.test(path) || /^(?:jekyll|hugo)$/.test(kind)) return false;
    return namesOf(this.#site, path).date === null;
  }

  async #read(file: InputEntry): Promise<SourceItem> {
    try {
      const decoded = await readText(file);
      const { fields, content, isRepaired } = readFrontMatter(decoded.text);
      const read = readFields(fields ?? {}, this.#site, this.#now);
      if (read.isPage || (this.#isPage(file) && !read.createdAt)) return leftOut(file, PAGES);
      if (isRepaired) read.reduced.push({ reason: 'front matter that is not valid YAML: read line by line' });
      read.reduced.push(...encodingLosses(decoded));
      return await articleOf(this.#site, file, read, content);
    } catch (error) {
      if (error instanceof FrontMatterError)
        return leftOut(file, `files whose front matter cannot be read: ${error.message}`);
      if (error instanceof EntryError) return leftOut(file, `files that cannot be read: ${error.message}`);
      if (error instanceof RangeError) return leftOut(file, TOO_COMPLEX);
      throw error;
    }
  }
}

function leftOut({ path }: InputEntry, reason: string): SourceItem {
  return { kind: 'left out', place: path, reason };
}

async function articleOf(site: Site, file: InputEntry, read: ReadFields, text: string): Promise<SourceArticle> {
  const { path } = file;
  const named = namesOf(site, path);
  const exported = site.kind === 'daybook' ? await readDaybookComments(site, path, read.key) : null;
  const own = read.isEscaped ? unescapeShortcodes(text) : text;
  const body = exported ? own : text.replace(/^\n+/, '');
  const [line = ''] = (read.title === null && /^\s*# [^\n]*\n?/.exec(body)) || [];
  const heading = headingIn(line);
  const { content, images, tags, reduced } = readContent(site, path, heading === '' ? body : body.slice(line.length));
  const createdAt = read.createdAt ?? named.date?.date ?? null;
  const keyDate = read.createdUtc ?? (named.isDay ? null : (named.date?.utc ?? null));
  const title = read.title ?? (heading || named.title);
  const image = imageOf(site, path, read);
  const state = exported ? exported.state : named.isDraft ? 'DRAFT' : read.state;
  const missing = image === 'missing' ? [{ reason: 'feature images whose file is not in the source' }] : [];
  return {
    kind: 'article',
    key:
      (site.isArchive ? null : read.key) ??
      keyOf(site, (!site.isArchive && exported?.name) || path, keyDate?.toISOString() ?? title),
    place: path,
    author: read.author,
    state,
    title,
    content,
    ...(exported && {
      exportKey: read.key,
      formerSlugs: read.formerSlugs,
      publishedAt: state === 'DRAFT' ? read.publishedAt : null,
    }),
    metadata: read.metadata,
    slug: read.slug ?? (exported ? null : named.slug),
    categories: read.categories.length > 0 ? read.categories : named.categories,
    tags: [...read.tags, ...tags],
    series: read.series,
    ...(read.translationKey !== null && { translationKey: read.translationKey }),
    createdAt,
    updatedAt: read.updatedAt,
    publishAt: state === 'SCHEDULED' ? read.publishAt : null,
    image: image === 'missing' ? null : image,
    images: exported ? daybookImages(site, content) : images,
    addresses: addressesOf(site, path, named.slug, read.addresses),
    comments: exported?.comments ?? [],
    reduced: [...read.reduced, ...reduced, ...missing, ...(exported?.losses ?? [])],
  };
}

/** Without the number signs at its end, which a space has to precede: `# C#` is about C#. Empty for a line without a heading. */
function headingIn(line: string): string {
  const text = line.trim().slice(1).trim();
  const rest = text.replace(/(?<!#)#+$/, '');
  return rest === rest.trimEnd() && rest !== '' ? text : rest.trim();
}

/** @param name of an export of this service without the folder, in which a text is no longer when its visibility has changed */
function keyOf({ url, root, kind, input, isArchive }: Site, name: string, other: string): string {
  // Of a folder without an address, more texts may come later beside the only folder in it.
  const isRooted = (kind !== 'daybook' || isArchive) && (url !== null || input.kind === 'archive');
  const inner = isRooted ? name.slice(root.length) : name;
  return url === null ? `${inner} ${other}` : inner;
}

/** What the path says: the names of Jekyll and of page bundles of Hugo (`post/index.md`). */
function namesOf(site: Site, path: string) {
  const folders = path.slice(site.root.length).split('/');
  const file = (folders.pop() ?? '').replace(MARKDOWN, '').replace(HTML, '');
  const isBundle = /^index(?:\.[a-z-]{2,8})?$/i.test(file) && folders.length > 0;
  const name = isBundle ? (folders.at(-1) ?? '') : file;
  const { date, rest, isDay } = splitDatedName(name, site.zone);
  const words = rest.replaceAll('-', ' ');
  const posts = folders.indexOf('_posts');
  return {
    date,
    isDay,
    slug: rest,
    title: date && !isDay ? words.charAt(0).toUpperCase() + words.slice(1) : name,
    isDraft: folders.includes('_drafts'),
    categories: site.kind === 'jekyll' ? folders.slice(0, Math.max(0, posts)) : [],
  };
}

function imageOf(site: Site, path: string, { image }: ReadFields): SourceImage | 'missing' | null {
  if (!image) return null;
  if (/^(?:https?:)?\/\//.test(image.reference)) {
    const reference = image.reference.replace(/^\/\//, 'https://');
    return { reference, alt: image.alt, open: null };
  }
  const file = resolveFile(site, path, image.reference);
  if (file && site.kind === 'daybook') return storedImage(image.reference, file, image.alt);
  return file ? { reference: image.reference, alt: image.alt, open: () => file.open() } : 'missing';
}

/** The path in the source first, to which relative links in contents are relative; then the addresses of the site. */
function addressesOf(site: Site, path: string, name: string, given: readonly string[]): string[] {
  const base = addressOfPath(path);
  const inner = path.slice(site.root.length).replace(/^content\//, '');
  const folder = inner.includes('/') ? posix.dirname(inner) : '';
  const pretty = `/${posix.join(/(?:^|\/)index\.[^/]*$/.test(inner) ? posix.dirname(folder) : folder, name)}/`;
  const paths = [...given.filter((address) => !address.includes(':') || /^https?:/.test(address)), pretty];
  return [base, ...paths.flatMap((each) => [base, site.url].flatMap((from) => (from ? absolute(each, from) : [])))];
}

function absolute(path: string, from: string): string[] {
  return URL.canParse(path, from) ? [new URL(path, from).href] : [];
}
