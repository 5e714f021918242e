/** Imports a WordPress export post by post, each in its own transaction. */
import type { Rendered } from '../../models/article/html.js';
import { type Database, sqlState } from '../../platform/database/pool.js';
import { renderForWrite } from '../../services/rendering/article-html.js';
import { Renderer } from '../../services/rendering/renderer.js';
import { FileError } from '../subcommand.js';
import { saveArticle } from './articles.js';
import { saveDraft } from './drafts.js';
import { saveMembers } from './members.js';
import { authorPerson, type Person, toLogin } from './person.js';
import { type ArticlePlan, type PlanContext, planItem } from './plan.js';
import type { AuthorRecord, BlogRecord, ItemRecord } from './records.js';
import { type PictureStore, References } from './references.js';
import { note, Report } from './report.js';
import { parseRssDate, plainLine } from './text.js';
import { readExport } from './wordpress.js';
import { findImported, type Writer, writeFrom } from './writer.js';

export interface Progress {
  /** Bytes read. `size` is the file size in bytes; 0 if unknown, as for a pipe. */
  read: number;
  size: number;
  report: Report;
}

export interface LoadOptions {
  /** Imports password-protected posts, which become public. */
  publishProtected?: boolean;
  /** URL of the page of an article, with `{id}` or `{slug}`. Null: links between articles stay as they are. */
  articleUrl?: string | null;
  /** Called after `connect`: the pictures are downloaded. Absent: they stay on their hosts. */
  openPictures?: (() => Promise<PictureStore>) | undefined;
  onProgress?: (progress: Progress) => void;
  /** Aborting stops the import after the current post. */
  signal?: AbortSignal;
}

/** SQLSTATE classes 22 (data exception) and 23 (integrity constraint violation): the error is in the data. */
const REJECTED_DATA = /^2[23]/;

/**
 * Imports the file at `path`. Connects once the file is known to be an export. `report` counts what is committed, also after an error.
 * @throws FileError if the file cannot be read to its end, or the import was stopped; posts already committed stay.
 */
export async function loadExport(
  connect: () => Promise<Database>,
  path: string,
  report: Report,
  { publishProtected = false, articleUrl = null, openPictures, onProgress, signal }: LoadOptions = {},
): Promise<void> {
  let loader: Loader | undefined;
  let progress = { read: 0, size: 0, report };
  const onBytes = (read: number, size: number) => {
    progress = { read, size, report };
    onProgress?.(progress);
  };
  const renderer = new Renderer();
  try {
    for await (const record of readExport(path, { onBytes })) {
      if (signal?.aborted) throw new FileError('the import was stopped');
      if (record.kind === 'blog') {
        const database = await connect();
        const store = (await openPictures?.()) ?? null;
        loader = new Loader(database, record, report, { renderer, publishProtected, articleUrl, store, signal });
      } else if (record.kind === 'author') loader?.addAuthor(record);
      else await loader?.loadItem(record);
    }
    await loader?.saveAuthors();
    await loader?.references.save(() => onProgress?.(progress));
  } finally {
    await renderer.stop();
  }
}

interface LoaderOptions {
  renderer: Renderer;
  publishProtected: boolean;
  articleUrl: string | null;
  store: PictureStore | null;
  signal: AbortSignal | undefined;
}

class Loader {
  readonly references: References;
  readonly #database: Database;
  readonly #renderer: Renderer;
  readonly #report: Report;
  readonly #source: string;
  readonly #context: PlanContext;
  readonly #authors = new Map<string, Person>();
  #unsaved: Person[] = [];

  constructor(database: Database, blog: BlogRecord, report: Report, options: LoaderOptions) {
    const { publishProtected, renderer, ...others } = options;
    this.#database = database;
    this.#renderer = renderer;
    this.#report = report;
    this.#source = toSource(blog.url);
    report.source = this.#source;
    const source = { source: this.#source, url: blog.url };
    this.references = new References({ database, blog: source, report, renderer, ...others });
    this.#context = {
      authorOf: (creator) => this.#authors.get(toLogin(creator)) ?? authorPerson(creator, '', creator),
      exportedAt: parseRssDate(blog.exportedAt) ?? new Date(),
      publishProtected,
      now: new Date(database.now()),
    };
  }

  addAuthor({ login, email, displayName }: AuthorRecord): void {
    const person = authorPerson(login, email, displayName);
    this.#authors.set(toLogin(login), person);
    this.#unsaved.push(person);
  }

  /** Saves authors before items, so that a commenter with an author's email is matched to that author. */
  async saveAuthors(): Promise<void> {
    if (this.#unsaved.length === 0) return;
    const people = this.#unsaved;
    this.#unsaved = [];
    const part = await writeFrom(this.#database, this.#source, async (writer) => {
      const part = new Report();
      await saveMembers(writer, people, part);
      return part;
    });
    this.#report.include(part);
  }

  async loadItem(item: ItemRecord): Promise<void> {
    await this.saveAuthors();
    if (item.type === 'attachment')
      this.references.addAttachment({ id: item.id, parent: item.parent, url: item.attachmentUrl, title: item.title });
    const { article, skipped } = planItem(item, this.#context);
    if (article) await this.#write(article);
    if (article) {
      if (article.state !== 'DRAFT') this.#report.oldAddresses.add(article.address, article.key);
      this.references.addPost(article.key, article.content);
    }
    this.#report.addNotes(skipped);
  }

  async #write(article: ArticlePlan): Promise<void> {
    const rendered = await this.#render(article);
    try {
      const part = await writeFrom(this.#database, this.#source, async (writer) => {
        const part = new Report();
        if (article.state === 'DRAFT') await saveDraft(writer, article, part);
        else await saveArticle(writer, article, rendered, part);
        return part;
      });
      this.#report.include(part);
    } catch (error) {
      if (!REJECTED_DATA.test(sqlState(error) ?? '')) throw error;
      this.#report.rejected++;
      const reason = `articles that the database rejected: ${(error as Error).message}`;
      this.#report.addNotes([note('skipped', reason, `post ${article.key}`)]);
    }
  }

  /** Null for a draft, and if the post was imported before, since its content is not written again. */
  async #render({ key, state, content }: ArticlePlan): Promise<Rendered | null> {
    if (state === 'DRAFT') return null;
    const run: Writer['run'] = (prepared, values) => this.#database.query(prepared, values);
    const imported = await findImported({ source: this.#source, run }, 'article', [key]);
    return imported.has(key) ? null : renderForWrite(this.#renderer, content, 'import');
  }
}

/** Normalizes the blog URL: a change of scheme or trailing slash must not import the articles twice. */
function toSource(url: string): string {
  return plainLine(url)
    .replace(/^https?:\/\//i, '')
    .replace(/\/+$/, '')
    .toLowerCase();
}
