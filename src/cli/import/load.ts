/** Brings a WordPress export into the journal, one post after the other, each in a transaction of its own. */

import { type Database, sqlState } from '../../database/pool.js';
import type { RenderedHtml } from '../../models/article-html.js';
import { renderForWrite } from '../../rendering/article-html.js';
import { saveArticle } from './articles.js';
import { parseRssDate } from './date.js';
import { saveMembers } from './members.js';
import { authorPerson, type Person, toLogin } from './person.js';
import { type ArticlePlan, type PlanContext, planItem } from './plan.js';
import { type AuthorRecord, type BlogRecord, ImportError, type ItemRecord } from './records.js';
import { note, Report } from './report.js';
import { plainLine } from './text.js';
import { readExport } from './wordpress.js';
import { findImported, type Writer, writeFrom } from './writer.js';

export interface Progress {
  /** Bytes of the file. The size is 0 for what has none, such as a pipe. */
  read: number;
  size: number;
  report: Report;
}

export interface LoadOptions {
  /** Leaves out posts that a password protects. */
  skipProtected?: boolean;
  onProgress?: (progress: Progress) => void;
  /** Stops after the post at hand. */
  signal?: AbortSignal;
}

/** SQLSTATE classes 22 and 23: this data, not the database, is at fault. */
const REFUSAL = /^2[23]/;

/**
 * Loads `path`, connecting once the file has proved to be an export, counting into `report`, which holds what is committed whenever this throws.
 * @throws ImportError where the file cannot be read to its end; the posts before that stay.
 */
export async function loadExport(
  connect: () => Promise<Database>,
  path: string,
  report: Report,
  { skipProtected = false, onProgress, signal }: LoadOptions = {},
): Promise<void> {
  let loader: Loader | undefined;
  const onBytes = (read: number, size: number) => onProgress?.({ read, size, report });
  for await (const record of readExport(path, { onBytes })) {
    if (signal?.aborted) throw new ImportError('it was stopped');
    if (record.kind === 'blog') loader = new Loader(await connect(), record, report, skipProtected);
    else if (record.kind === 'author') loader?.addAuthor(record);
    else await loader?.loadItem(record);
  }
  await loader?.saveAuthors();
}

class Loader {
  readonly #database: Database;
  readonly #report: Report;
  readonly #source: string;
  readonly #context: PlanContext;
  readonly #authors = new Map<string, Person>();
  #unsaved: Person[] = [];

  constructor(database: Database, blog: BlogRecord, report: Report, skipProtected: boolean) {
    this.#database = database;
    this.#report = report;
    this.#source = toSource(blog.url);
    this.#context = {
      authorOf: (creator) => this.#authors.get(toLogin(creator)) ?? authorPerson(creator, '', creator),
      exportedAt: parseRssDate(blog.exportedAt) ?? new Date(),
      skipProtected,
    };
  }

  addAuthor({ login, email, displayName }: AuthorRecord): void {
    const person = authorPerson(login, email, displayName);
    this.#authors.set(toLogin(login), person);
    this.#unsaved.push(person);
  }

  /** Authors go first, so that a commenter with an author's email is found to be that author. */
  async saveAuthors(): Promise<void> {
    if (this.#unsaved.length === 0) return;
    const people = this.#unsaved;
    this.#unsaved = [];
    const part = await writeFrom(this.#database, this.#source, async (writer) => {
      const made = new Report();
      await saveMembers(writer, people, made);
      return made;
    });
    this.#report.include(part);
  }

  async loadItem(item: ItemRecord): Promise<void> {
    await this.saveAuthors();
    const { article, skipped } = planItem(item, this.#context);
    if (article) await this.#write(article);
    this.#report.tell(skipped);
  }

  async #write(article: ArticlePlan): Promise<void> {
    const html = await this.#render(article);
    try {
      const part = await writeFrom(this.#database, this.#source, async (writer) => {
        const made = new Report();
        await saveArticle(writer, article, html, made);
        return made;
      });
      this.#report.include(part);
    } catch (error) {
      if (!REFUSAL.test(sqlState(error) ?? '')) throw error;
      this.#report.refused++;
      const reason = `articles that the database refused: ${(error as Error).message}`;
      this.#report.tell([note('skipped', reason, `post ${article.key}`)]);
    }
  }

  /** Null where the post has been imported before, since its content is not written again. */
  async #render({ key, content }: ArticlePlan): Promise<RenderedHtml | null> {
    const run: Writer['run'] = (prepared, values) => this.#database.query(prepared, values);
    const imported = await findImported({ source: this.#source, run }, 'article', [key]);
    return imported.has(key) ? null : renderForWrite(content, 'import');
  }
}

/** A blog is the same with and without TLS and a slash at the end: moving it must not double its articles. */
function toSource(url: string): string {
  return plainLine(url)
    .replace(/^https?:\/\//i, '')
    .replace(/\/+$/, '')
    .toLowerCase();
}
