/** Pictures and links in imported articles: converts galleries, downloads pictures with `--images`, and replaces links between articles. */
import { createHash } from 'node:crypto';
import ms from 'ms';
import { createImage } from '../../commands/image.js';
import { addressOf } from '../../feeds/feed.js';
import { ADD_RENDERING, renderingValues } from '../../models/article/html.js';
import { excerptOf } from '../../models/article/text.js';
import type { Database } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import { AppError } from '../../platform/errors.js';
import { prepareImage } from '../../services/images/image.js';
import type { ImageStore } from '../../services/images/store.js';
import { renderForWrite } from '../../services/rendering/article-html.js';
import type { Renderer } from '../../services/rendering/renderer.js';
import { FileError } from '../subcommand.js';
import {
  type Attachment,
  linksIn,
  mayHavePictures,
  picturesIn,
  replaceGalleries,
  replaceLinks,
  replacePictures,
} from './content-references.js';
import { DownloadError, type DownloadOptions, download, UnreachableError } from './download.js';
import { LIMITS } from './plan.js';
import { note, type Report } from './report.js';
import { findImported, writeFrom } from './writer.js';

/** Where the pictures are stored. */
export interface PictureStore extends Pick<DownloadOptions, 'isAllowed'> {
  images: ImageStore;
  /** Without a slash at the end. */
  publicUrl: string;
}

const PARALLEL_ARTICLES = 4;
/** Of one run. A further run continues with the remaining pictures. */
const MAX_TOTAL_BYTES = 20 * 1024 ** 3;
const MAX_TOTAL_MS = ms('12h');
/** Successive failures after which the other pictures of a host are left for the next run. */
const MAX_FAILURES_OF_HOST = 10;
/** Entries of the media library that are kept in memory, about 200 bytes each. */
const MAX_ATTACHMENTS = 1_000_000;

interface Illustrated {
  id: number;
  isDraft: boolean;
  memberId: number;
  content: string;
}

const FIND_ARTICLE = statement<[source: string, postId: string], Illustrated>(
  'import_find_illustrated',
  `select a.id, false as "isDraft", a.member_id as "memberId", a.content from imported_records r join all_articles a on a.id = r.row_id
   where r.source = $1 and r.kind = 'article' and r.key = $2
   union all
   select d.id, true, d.member_id, d.content from imported_records r join drafts d on d.id = r.row_id
   where r.source = $1 and r.kind = 'draft' and r.key = $2`,
);

/** No row if the content has changed since it was read. It keeps its times: only addresses change. */
const REPLACE_CONTENT = statement<
  [articleId: number, before: string, after: string, excerpt: string | null],
  { id: number }
>(
  'import_replace_content',
  'update all_articles set content = $3, excerpt = $4 where id = $1 and content = $2 returning id',
);

const REPLACE_DRAFT = statement<[draftId: number, before: string, after: string], { id: number }>(
  'import_replace_draft',
  'update drafts set content = $3, revision = revision + 1 where id = $1 and content = $2 returning id',
);

/** Of public articles only: an address in an article would show that a private one exists. */
const SLUGS_OF_ARTICLES = statement<[ids: readonly number[]], { id: number; slug: string | null }>(
  'import_slugs_of_articles',
  'select id, slug from articles where id = any($1::bigint[])',
);

/** The key of the stored image, unless it was removed since. */
const FIND_PICTURE = statement<[source: string, picture: string], { key: string }>(
  'import_find_picture',
  `select i.key from imported_records r join images i on i.id = r.row_id
   where r.source = $1 and r.kind = 'image' and r.key = $2`,
);

const RECORD_PICTURE = statement<[source: string, picture: string, imageId: number]>(
  'import_record_picture',
  `insert into imported_records (source, kind, key, row_id) values ($1, 'image', $2, $3)
   on conflict (source, kind, key) do update set row_id = excluded.row_id`,
);

interface Blog {
  source: string;
  url: string;
}

export interface ReferencesOptions {
  database: Database;
  blog: Blog;
  report: Report;
  renderer: Renderer;
  /** Null: the pictures stay on their hosts. */
  store: PictureStore | null;
  /** URL of the page of an article, with `{id}` or `{slug}`. Null: links between articles stay as they are. */
  articleUrl: string | null;
  signal: AbortSignal | undefined;
}

export class References {
  readonly #attachments = new Map<string, Attachment>();
  readonly #ofPost = new Map<string, Attachment[]>();
  readonly #posts = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #running = new Map<string, Promise<string>>();
  readonly #startedAt = Date.now();
  #bytes = 0;

  constructor(readonly options: ReferencesOptions) {}

  addAttachment(attachment: Attachment): void {
    if (!/^https?:\/\/.*\.(?:jpe?g|png|gif|webp|avif)$/i.test(attachment.url)) return;
    if (this.#attachments.size >= MAX_ATTACHMENTS) return;
    this.#attachments.set(attachment.id, attachment);
    const siblings = this.#ofPost.get(attachment.parent);
    if (siblings) siblings.push(attachment);
    else this.#ofPost.set(attachment.parent, [attachment]);
  }

  /** A post is processed at the end, since it may refer to any later item of the file. */
  addPost(postId: string, content: string): void {
    const { url } = this.options.blog;
    if (mayHavePictures(content) || linksIn(content, url).some((link) => isOf(url, link))) this.#posts.add(postId);
  }

  /** @throws FileError if the import was stopped */
  async save(onProgress: () => void): Promise<void> {
    this.options.report.pictures.articles = this.#posts.size;
    const posts = this.#posts.values();
    const work = async () => {
      for (const postId of posts) {
        if (this.options.signal?.aborted) throw new FileError('the import was stopped');
        await this.#savePost(postId);
        this.options.report.pictures.articlesDone++;
        onProgress();
      }
    };
    const results = await Promise.allSettled(Array.from({ length: PARALLEL_ARTICLES }, work));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw this.options.signal?.aborted ? new FileError('the import was stopped') : failed.reason;
  }

  async #savePost(postId: string): Promise<void> {
    const { source, url } = this.options.blog;
    const [article] = await this.options.database.query(FIND_ARTICLE, [source, postId]);
    if (!article) return;
    const post = `post ${postId}`;
    const galleries = replaceGalleries(article.content, this.#ofPost.get(postId) ?? [], this.#attachments);
    if (galleries.unknown > 0)
      this.#note('skipped', 'galleries whose pictures are not in the file: they stay as text', post, galleries.unknown);
    const urls = picturesIn(galleries.text, url);
    const stored =
      this.options.store === null ? this.#leave(urls, post) : await this.#storeAll(urls, article.memberId, post);
    const pictures = replacePictures(galleries.text, url, (address) => stored.get(address));
    const links = await this.#relink(pictures, post);
    const content = links.text;
    if (content === article.content) return;
    if ([...content].length > LIMITS.content)
      return this.#note('skipped', 'articles that would be too long with the addresses of their pictures', post);
    if (!(await this.#replaceContent(article, content)))
      return this.#note('skipped', 'articles that were edited meanwhile: run the import again', post);
    if (links.replaced > 0)
      this.#note('changed', 'links to other articles: now to their new pages', post, links.replaced);
    if (galleries.replaced > 0) this.#note('changed', 'galleries: now a list of pictures', post, galleries.replaced);
  }

  /** Links to articles of the same blog. */
  async #relink(text: string, post: string): Promise<{ text: string; replaced: number }> {
    const { articleUrl, blog, report, database } = this.options;
    const postIds = new Map<string, string>();
    for (const link of linksIn(text, blog.url)) {
      const postId = report.oldAddresses.postIdOf(link);
      if (postId !== undefined) postIds.set(link, postId);
    }
    if (postIds.size === 0) return { text, replaced: 0 };
    if (articleUrl === null) {
      const reason = 'links to other articles: they lead to the old host (set ARTICLE_URL, and run the import again)';
      this.#note('skipped', reason, post, postIds.size);
      return { text, replaced: 0 };
    }
    const keys = [...new Set(postIds.values())];
    const ids = await findImported(
      { source: blog.source, run: (...query) => database.query(...query) },
      'article',
      keys,
    );
    const linked = await database.query(SLUGS_OF_ARTICLES, [[...ids.values()]]);
    const slugs = new Map(linked.map(({ id, slug }) => [id, slug]));
    let replaced = 0;
    const relinked = replaceLinks(text, blog.url, (link) => {
      const id = ids.get(postIds.get(link) ?? '');
      const slug = id === undefined ? undefined : slugs.get(id);
      if (id === undefined || slug === undefined) return undefined;
      const address = addressOf(articleUrl, { id, slug }) ?? undefined;
      if (address !== undefined) replaced++;
      return address;
    });
    return { text: relinked, replaced };
  }

  #leave(urls: readonly string[], post: string): Map<string, string> {
    if (urls.length > 0)
      this.#note('skipped', 'pictures: they stay on their old host (--images downloads them)', post, urls.length);
    return new Map();
  }

  /** @returns the new address of each picture that is stored now */
  async #storeAll(urls: readonly string[], memberId: number, post: string): Promise<Map<string, string>> {
    const stored = new Map<string, string>();
    for (const url of urls) {
      try {
        stored.set(url, await this.#storeOnce(url, memberId));
      } catch (error) {
        if (this.options.signal?.aborted || !(error instanceof DownloadError || error instanceof AppError)) throw error;
        const reason = error instanceof AppError ? error.message.replace(/\.$/, '') : error.message;
        this.options.report.pictures.failed++;
        this.#note('skipped', `pictures that could not be stored: ${reason}`, `${post} ${url.slice(0, 200)}`);
      }
    }
    return stored;
  }

  /** Articles of one member share an image. */
  #storeOnce(url: string, memberId: number): Promise<string> {
    const picture = createHash('sha256').update(`${memberId}\n${url}`).digest('hex');
    const running = this.#running.get(picture);
    if (running) {
      return running.then((address) => {
        this.options.report.pictures.existing++;
        return address;
      });
    }
    const result = this.#store(new URL(url), memberId, picture).finally(() => this.#running.delete(picture));
    this.#running.set(picture, result);
    return result;
  }

  async #store(url: URL, memberId: number, picture: string): Promise<string> {
    const { images, publicUrl, isAllowed } = this.options.store as PictureStore;
    const { source } = this.options.blog;
    const [found] = await this.options.database.query(FIND_PICTURE, [source, picture]);
    if (found) {
      this.options.report.pictures.existing++;
      return images.url(found.key, publicUrl);
    }
    const bytes = await this.#download(url, isAllowed);
    const prepared = await prepareImage(bytes, {
      key: picture,
      ...(this.options.signal && { signal: () => this.options.signal as AbortSignal }),
    });
    const { id, key } = await createImage(
      { database: this.options.database, images },
      { memberId, accessId: null },
      prepared,
    );
    await this.options.database.query(RECORD_PICTURE, [source, picture, id]);
    this.options.report.pictures.added++;
    return images.url(key, publicUrl);
  }

  async #download(url: URL, isAllowed: PictureStore['isAllowed']): Promise<Buffer> {
    if (this.#bytes > MAX_TOTAL_BYTES || Date.now() - this.#startedAt > MAX_TOTAL_MS)
      throw new DownloadError('this run has reached its limit of 20 GB and 12 hours, run it again to continue');
    const failures = this.#failures.get(url.host) ?? 0;
    if (failures >= MAX_FAILURES_OF_HOST) throw new DownloadError(`${url.host} does not respond`);
    try {
      const bytes = await download(url, { isAllowed, signal: this.options.signal });
      this.#failures.delete(url.host);
      this.#bytes += bytes.length;
      return bytes;
    } catch (error) {
      if (error instanceof UnreachableError) this.#failures.set(url.host, failures + 1);
      throw error;
    }
  }

  /** @returns whether the content was still the one that was read */
  async #replaceContent({ id, isDraft, content }: Illustrated, replaced: string): Promise<boolean> {
    if (isDraft) return (await this.options.database.query(REPLACE_DRAFT, [id, content, replaced])).length > 0;
    const rendered = await renderForWrite(this.options.renderer, replaced, 'import', this.options.store?.publicUrl);
    return writeFrom(this.options.database, this.options.blog.source, async ({ run }) => {
      const excerpt = rendered && excerptOf(rendered.text);
      const [row] = await run(REPLACE_CONTENT, [id, content, replaced, excerpt]);
      if (row && rendered) await run(ADD_RENDERING, renderingValues(id, rendered));
      return row !== undefined;
    });
  }

  #note(what: 'skipped' | 'changed', reason: string, example: string, count = 1): void {
    this.options.report.addNotes([note(what, reason, example, count)]);
  }
}

/** Whether an address is on the host of the blog. */
function isOf(blogUrl: string, address: string): boolean {
  const host = (url: string) => url.replace(/^https?:\/\/(?:www\.)?/i, '').split('/')[0];
  return host(blogUrl) === host(address);
}
