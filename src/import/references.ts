/** What articles refer to, after all of them are imported: pictures on other hosts, galleries, and links between articles. */
import { addressOf } from '../feeds/feed.js';
import { ADD_RENDERING, renderingValues } from '../models/article/html.js';
import { excerptOf } from '../models/article/text.js';
import { statement } from '../platform/database/statement.js';
import { StoppedError } from '../platform/errors.js';
import { renderForWrite } from '../services/rendering/article-html.js';
import type { Renderer } from '../services/rendering/renderer.js';
import { featureKeyOf } from './articles.js';
import {
  addressesIn,
  LINKS,
  mayHavePictures,
  PICTURES,
  replaceAddresses,
  replaceReferences,
} from './content-references.js';
import type { Pictures } from './pictures.js';
import { type ArticlePlan, altOf, LIMITS, LONG_ALT, noteOf } from './plan.js';
import { note, type Report, type What } from './report.js';
import type { ImportSource } from './source.js';
import { copyOf } from './text.js';
import { findImported, type Journal, recordImported, storedKey } from './writer.js';

const PARALLEL_ARTICLES = 4;

interface StoredText {
  id: number;
  isDraft: boolean;
  memberId: number;
  content: string;
  hasImage: boolean;
  /** Whether the revision is the one that the import wrote. */
  isUnedited: boolean;
}

/** Nothing that a moderator has removed, which its author cannot edit either. */
const FIND_TEXT = statement<[source: string, key: string], StoredText>(
  'import_find_text',
  `select a.id, false as "isDraft", a.member_id as "memberId", a.content, a.image is not null as "hasImage",
     a.revision = r.revision as "isUnedited"
   from imported_records r join all_articles a on a.id = r.row_id
   where r.source = $1 and r.kind = 'article' and r.key = $2 and a.removed_at is null
   union all
   select d.id, true, d.member_id, d.content, d.image_id is not null, false from imported_records r join drafts d on d.id = r.row_id
   where r.source = $1 and r.kind = 'draft' and r.key = $2`,
);

/**
 * No row if the content has changed since it was read, or, if that is required, the revision is not the one that the import wrote. It keeps its times. The
 * revision of an article that was not edited before is recorded: the import wrote it too.
 */
const REPLACE_CONTENT = statement<
  [source: string, key: string, before: string, after: string, excerpt: string | null, isUnedited: boolean],
  { id: number }
>(
  'import_replace_content',
  `with replaced as (
     update all_articles a set content = $4, excerpt = $5
     from imported_records r
     where r.source = $1 and r.kind = 'article' and r.key = $2 and a.id = r.row_id and a.content = $3 and a.removed_at is null
       and (not $6 or a.revision = r.revision)
     returning a.id, a.revision
   ), recorded as (
     update imported_records r set revision = p.revision from replaced p
     where r.source = $1 and r.kind = 'article' and r.key = $2 and r.revision = p.revision - 1
   )
   select id from replaced`,
);

const REPLACE_DRAFT = statement<[draftId: number, before: string, after: string], { id: number }>(
  'import_replace_draft',
  'update drafts set content = $3, revision = revision + 1 where id = $1 and content = $2 returning id',
);

const SET_IMAGE = statement<
  [articleId: number, key: string, width: number, height: number, alt: string | null],
  { id: number }
>(
  'import_set_image',
  `update all_articles set image = $2, image_width = $3, image_height = $4, image_alt = $5 where id = $1 and image is null returning id`,
);

const SET_DRAFT_IMAGE = statement<[draftId: number, imageId: number, alt: string | null], { id: number }>(
  'import_set_draft_image',
  'update drafts set image_id = $2, image_alt = $3, revision = revision + 1 where id = $1 and image_id is null returning id',
);

/** Of public articles only: an address in an article would show that a private one exists. */
export const SLUGS_OF_ARTICLES = statement<[ids: readonly number[]], { id: number; slug: string }>(
  'import_slugs_of_articles',
  'select id, slug from articles where id = any($1::bigint[])',
);

export interface ReferencesOptions {
  journal: Journal;
  source: ImportSource;
  report: Report;
  renderer: Renderer;
  /** Downloads pictures of other hosts; null: they stay there. */
  pictures: (() => Promise<Pictures>) | null;
  /** Pictures that an earlier import has downloaded, for contents that are converted again. Null: there are none. */
  storedPictures: (() => Promise<Pictures>) | null;
  /** URL of the page of an article, with `{id}` or `{slug}`. Null: links between articles stay as they are. */
  articleUrl: string | null;
  isDryRun: boolean;
  signal: AbortSignal | undefined;
}

/** A feature image on another host. */
interface Feature {
  url: string;
  alt: string | null;
}

/** An article that refers to something. */
interface Post {
  key: string;
  place: string;
  /** For relative addresses in the content. */
  base: string;
  isIncomplete: boolean;
  feature: Feature | null;
  /** Files of the source, by their references in the content. */
  files: ReadonlyMap<string, string>;
}

/** Outside of a dry run, they are in the stored content. */
const NO_FILES: ReadonlyMap<string, string> = new Map();

export class References {
  readonly #options: ReferencesOptions;
  readonly #posts = new Map<string, Post>();

  constructor(options: ReferencesOptions) {
    this.#options = options;
  }

  /** An article is processed at the end, since it may refer to any later item of the source. */
  addPost(article: ArticlePlan, about: Pick<Post, 'base' | 'isIncomplete' | 'files'>): void {
    const { key, place, content } = article;
    const { base, isIncomplete, files } = about;
    const feature = featureOf(article);
    const refers = mayHavePictures(content) || addressesIn(LINKS, content, base).some((link) => isOf(base, link));
    if (refers || isIncomplete || feature)
      this.#posts.set(copyOf(key), {
        key: copyOf(key),
        place: copyOf(place),
        base: copyOf(base),
        isIncomplete,
        feature: feature && { ...feature, url: copyOf(feature.url) },
        files: this.#options.isDryRun ? new Map([...files].map(([from, to]) => [copyOf(from), to])) : NO_FILES,
      });
  }

  /** @throws FileError if the import was stopped */
  async save(onProgress: () => void): Promise<void> {
    const { report, signal } = this.#options;
    report.pictures.articles = this.#posts.size;
    const posts = this.#posts.values();
    const work = async () => {
      for (const post of posts) {
        if (signal?.aborted) throw new StoppedError('the import was stopped');
        const text = await this.#findText(post.key);
        if (text) await this.#savePost(post, text);
        report.pictures.articlesDone++;
        onProgress();
      }
    };
    const results = await Promise.allSettled(Array.from({ length: PARALLEL_ARTICLES }, work));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw signal?.aborted ? new StoppedError('the import was stopped') : failed.reason;
  }

  /** In a dry run, where new articles are not stored: the content as the source has it. */
  async preview({ key, author, content }: ArticlePlan, isDraft: boolean): Promise<void> {
    const { journal, report } = this.#options;
    const post = this.#posts.get(key);
    if (!post) return;
    this.#posts.delete(key);
    const text = await this.#findText(key);
    const known = text ? text.id : (await findImported(journal, isDraft ? 'draft' : 'article', [key])).get(key);
    if (known === undefined || (!text && known > 0)) return;
    const memberId = author.memberId ?? (await findImported(journal, 'member', [...author.keys])).values().next().value;
    const planned = replaceReferences(content, post.files);
    await this.#savePost(
      post,
      text ?? { id: known, isDraft, memberId: memberId ?? 0, content: planned, hasImage: false, isUnedited: true },
    );
    report.pictures.articlesDone++;
  }

  /**
   * Writes the content of an article that an earlier import added, as this one converts it, unless the article was edited since.
   * @param content with the addresses of stored files
   */
  async update(
    article: Pick<ArticlePlan, 'key' | 'place' | 'notes' | 'image' | 'imageAlt'>,
    content: string,
    about: Pick<Post, 'base' | 'isIncomplete'>,
  ): Promise<void> {
    const { key, place, notes } = article;
    const text = await this.#findText(key);
    if (!text || text.isDraft) return;
    const post = { key, place, ...about, feature: featureOf(article), files: NO_FILES };
    if (!text.isUnedited) {
      if (content !== text.content)
        this.#note('skipped', 'articles that were edited in the journal: --update leaves them', post);
      return;
    }
    this.#posts.delete(key);
    if (post.feature) await this.#saveFeature(post, post.feature, text);
    if (this.#wasRelinked(post, text.content, content))
      return this.#note(
        'skipped',
        'articles whose links lead to new pages: set ARTICLE_URL, and run the update again',
        post,
      );
    const replaced = await this.#replaced(post, { ...text, content });
    if (replaced.text === text.content) return;
    if ([...replaced.text].length > LIMITS.content) return this.#note('skipped', TOO_LONG, post);
    if (!(await this.#replaceContent(post, text, replaced.text, true)))
      return this.#note('skipped', EDITED_MEANWHILE, post);
    this.#options.report.addNotes([...notes, ...replaced.notes, note('changed', CONVERTED_AGAIN, place)], place);
    this.#options.report.setUpdated(place);
  }

  /** Without the setting that an earlier import had, its new links would become old ones again. */
  #wasRelinked(post: Post, stored: string, content: string): boolean {
    const { articleUrl, report } = this.#options;
    const hasOld = (text: string) =>
      addressesIn(LINKS, text, post.base).some((link) => report.oldAddresses.postIdOf(link) !== undefined);
    return articleUrl === null && hasOld(content) && !hasOld(stored);
  }

  async #findText(key: string): Promise<StoredText | undefined> {
    const { journal } = this.#options;
    const [text] = await journal.run(FIND_TEXT, [journal.source, storedKey(key)]);
    return text;
  }

  async #savePost(post: Post, text: StoredText): Promise<void> {
    if (post.feature) await this.#saveFeature(post, post.feature, text);
    const content = await this.#replaced(post, text);
    if (content.text === text.content) return;
    if ([...content.text].length > LIMITS.content) return this.#note('skipped', TOO_LONG, post);
    if (!(await this.#replaceContent(post, text, content.text, false)))
      return this.#note('skipped', EDITED_MEANWHILE, post);
    this.#options.report.addNotes(content.notes, post.place);
    this.#options.report.setUpdated(post.place);
  }

  /** With `notes` for what has changed in the text. */
  async #replaced(post: Post, { content, memberId }: StoredText) {
    const { source, report } = this.#options;
    const completed = (post.isIncomplete && source.completeContent?.(post.key, content)) || null;
    for (const reduction of completed?.reduced ?? [])
      report.addNotes([noteOf('skipped', reduction, post.place)], post.place);
    const complete = completed?.content ?? content;
    const urls = addressesIn(PICTURES, complete, post.base).filter((url) => !/^https?:\/\/[^/]*\.invalid\//.test(url));
    const stored = await this.#storeAll(urls, memberId, post);
    const pictures = replaceAddresses(PICTURES, complete, post.base, (address) => stored.get(address));
    const links = await this.#relink(pictures, post);
    const notes = (completed?.changed ?? []).map((reduction) => noteOf('changed', reduction, post.place));
    if (links.replaced > 0)
      notes.push(note('changed', 'links to other articles: now to their new pages', post.place, links.replaced));
    return { text: links.text, notes };
  }

  /** A feature image of another host. It is not restored if the author has removed it. */
  async #saveFeature(post: Post, feature: Feature, text: StoredText): Promise<void> {
    const { journal, pictures, isDryRun, report, source } = this.#options;
    const key = featureKeyOf(post.key);
    if (text.hasImage || (await findImported(journal, 'image', [key])).size > 0) return;
    const { url, ...given } = source.completeImage?.(feature.url) ?? feature;
    const alt = altOf(given.alt);
    const isOnHost = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
    if (!isOnHost) return this.#note('reduced', 'feature images whose address is not in the source', post);
    if (!pictures)
      return this.#note('reduced', 'feature images: they are missing without --images, which downloads them', post);
    const image = await (await pictures()).fromHost(url, text.memberId, post.place);
    if (!image) return;
    if (alt.isShortened) this.#note('reduced', LONG_ALT, post);
    if (isDryRun) return;
    await journal.transaction(async (writer) => {
      if (text.isDraft) await writer.run(SET_DRAFT_IMAGE, [text.id, image.id, alt.text]);
      else await writer.run(SET_IMAGE, [text.id, image.key, image.width, image.height, alt.text]);
      if ((await findImported(writer, 'image', [key])).size === 0)
        await recordImported(writer, 'image', [{ key, id: image.id }]);
    });
    report.setUpdated(post.place);
  }

  /** Links to articles of the same source. */
  async #relink(text: string, post: Post): Promise<{ text: string; replaced: number }> {
    const { articleUrl, report, journal } = this.#options;
    const keys = new Map<string, string>();
    for (const link of addressesIn(LINKS, text, post.base)) {
      const key = report.oldAddresses.postIdOf(link);
      if (key !== undefined) keys.set(link, key);
    }
    if (keys.size === 0) return { text, replaced: 0 };
    if (articleUrl === null) {
      const reason = 'links to other articles: they lead to the old host (set ARTICLE_URL, and run the import again)';
      this.#note('skipped', reason, post, keys.size);
      return { text, replaced: 0 };
    }
    const ids = await findImported(journal, 'article', [...new Set(keys.values())]);
    const linked = await journal.run(SLUGS_OF_ARTICLES, [[...ids.values()]]);
    const slugs = new Map(linked.map(({ id, slug }) => [id, slug]));
    let replaced = 0;
    const relinked = replaceAddresses(LINKS, text, post.base, (link) => {
      const id = ids.get(keys.get(link) ?? '');
      const slug = id === undefined ? undefined : slugs.get(id);
      if (id === undefined || slug === undefined) return undefined;
      replaced++;
      return addressOf(articleUrl, { id, slug });
    });
    return { text: relinked, replaced };
  }

  /** @returns the new address of each picture that is stored now */
  async #storeAll(urls: readonly string[], memberId: number, post: Post): Promise<Map<string, string>> {
    const { pictures, storedPictures } = this.#options;
    const stored = new Map<string, string>();
    if (!pictures) {
      for (const url of storedPictures ? urls : []) {
        const address = await (await storedPictures?.())?.findFromHost(url, memberId);
        if (address) stored.set(url, address);
      }
      const count = urls.length - stored.size;
      if (count > 0)
        this.#note('skipped', 'pictures: they stay on their old host (--images downloads them)', post, count);
      return stored;
    }
    for (const url of urls) {
      const picture = await (await pictures()).fromHost(url, memberId, post.place);
      if (picture) stored.set(url, (await pictures()).urlOf(picture));
    }
    return stored;
  }

  /** @returns whether the content was still the one that was read */
  async #replaceContent(
    { key }: Post,
    { id, isDraft, content }: StoredText,
    replaced: string,
    isUnedited: boolean,
  ): Promise<boolean> {
    const { journal, renderer, pictures, storedPictures, isDryRun } = this.#options;
    if (isDryRun) return true;
    if (isDraft) return (await journal.run(REPLACE_DRAFT, [id, content, replaced])).length > 0;
    const publicUrl = (await (pictures ?? storedPictures)?.())?.publicUrl;
    const rendered = await renderForWrite(renderer, replaced, { key: 'import' }, publicUrl);
    return journal.transaction(async ({ run }) => {
      const excerpt = rendered && excerptOf(rendered.text);
      const record = [journal.source, storedKey(key)] as const;
      const [row] = await run(REPLACE_CONTENT, [...record, content, replaced, excerpt, isUnedited]);
      if (row && rendered) await run(ADD_RENDERING, renderingValues(id, rendered));
      return row !== undefined;
    });
  }

  #note(what: What, reason: string, { place }: Post, count = 1): void {
    this.#options.report.addNotes([note(what, reason, place, count)], place);
  }
}

const CONVERTED_AGAIN = 'articles whose content was converted again (--update)';
const TOO_LONG = 'articles that would be too long with the addresses of their pictures';
const EDITED_MEANWHILE = 'articles that were edited meanwhile: run the import again';

function featureOf({ image, imageAlt }: Pick<ArticlePlan, 'image' | 'imageAlt'>): Feature | null {
  return image && image.open === null ? { url: image.reference, alt: imageAlt } : null;
}

/** Whether an address is on the host of the blog. */
function isOf(blogUrl: string, address: string): boolean {
  const host = (url: string) => url.replace(/^https?:\/\/(?:www\.)?/i, '').split('/')[0];
  return host(blogUrl) === host(address);
}
