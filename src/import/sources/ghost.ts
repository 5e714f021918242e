/** Ghost: the JSON export, alone or in a ZIP archive or folder with its images (`content/images`). */
import { posix } from 'node:path';
import querystring from 'node:querystring';
import { FileError } from '../../platform/errors.js';
import { CommentLimit } from '../comment-limit.js';
import { dateOf } from '../dates.js';
import { htmlToMarkdown } from '../html-to-markdown.js';
import type { InputEntry } from '../input/entries.js';
import type { Input } from '../input.js';
import { type Beginning, beginningOfDocument, elementsOf, findDocument, type Row, textOf } from '../json-elements.js';
import { importLimit } from '../limit.js';
import { htmlLosses, unlessTooComplex } from '../losses.js';
import { outsideCode } from '../outside-code.js';
import type {
  ImportSource,
  Product,
  Reduction,
  SourceArticle,
  SourceComment,
  SourceImage,
  SourceItem,
  SourcePerson,
} from '../source.js';
import { placeholders, plainLine } from '../text.js';
import { editorHtml } from './ghost-editor.js';
import { convertHtml } from './markdown/html.js';

export const ghost: Product = {
  name: 'a Ghost export (JSON, or ZIP with images)',
  open: async (input) => {
    const file = await findDocument(input, isExport);
    return file && GhostSource.open(input, file);
  },
  isExport: async (file) => /\.json$/i.test(file.path) && isExport(await beginningOfDocument(file)),
};

function isExport({ paths }: Beginning): boolean {
  return paths.has('db.0.meta') || paths.has('db.0.data') || (paths.has('meta') && paths.has('data'));
}

const maxTableLength = importLimit({
  value: 256 * 1024 * 1024,
  unit: 'characters',
  about:
    'Tags, authors, members and comments in a Ghost export, which are in memory during its import. An export with more is rejected.',
});

/** The tables that are joined with posts, by the columns that are read. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  tags: ['id', 'name', 'visibility'],
  users: ['id', 'name', 'email'],
  members: ['id', 'name', 'email'],
  posts_tags: ['post_id', 'tag_id', 'sort_order'],
  posts_authors: ['post_id', 'author_id', 'sort_order'],
  posts_meta: [
    'post_id',
    'feature_image_alt',
    'feature_image_caption',
    'meta_title',
    'meta_description',
    'og_image',
    'twitter_image',
  ],
  comments: ['id', 'post_id', 'member_id', 'parent_id', 'status', 'html', 'created_at'],
  settings: ['id', 'key', 'value'],
};

const TABLE = new RegExp(`^(?:db\\.0\\.)?data\\.(${Object.keys(TABLES).join('|')})\\.\\d+$`);
const POST = /^(?:db\.0\.)?data\.posts\.(\d+)$/;

class Tables {
  readonly rows: Record<string, Map<string, Row[]>> = {};
  #length = 0;

  /** By `post_id` where a row has one, by `key` for settings, else by `id`. */
  add(table: string, row: Row): void {
    const read = Object.fromEntries((TABLES[table] ?? []).map((name) => [name, row[name]]));
    if (table === 'settings' && row.key !== 'title') return;
    this.#length += JSON.stringify(read).length;
    if (this.#length > maxTableLength)
      throw new FileError(`its tags, authors, members and comments have more than ${maxTableLength} characters`);
    const byKey = this.rows[table] ?? new Map();
    this.rows[table] = byKey;
    const key = textOf(row.post_id ?? row.key ?? row.id);
    const rows = byKey.get(key);
    if (rows) rows.push(read);
    else byKey.set(key, [read]);
  }

  /** In their order. */
  all(table: string, key: unknown): Row[] {
    const rows = this.rows[table]?.get(textOf(key)) ?? [];
    return rows.toSorted((one, other) => Number(one.sort_order ?? 0) - Number(other.sort_order ?? 0));
  }

  one(table: string, key: unknown): Row | undefined {
    return this.all(table, key)[0];
  }

  /** The rows of `table` that a column of the rows of `by` refers to. */
  joined(by: string, key: unknown, column: string, table: string): Row[] {
    return this.all(by, key).flatMap((row): Row[] => {
      const found = this.one(table, row[column]);
      return found ? [found] : [];
    });
  }
}

class GhostSource implements ImportSource {
  readonly product = 'Ghost';
  readonly origin: string;
  /** Exports do not contain it: addresses of the blog begin with `__GHOST_URL__`. */
  readonly url = null;
  readonly recognition: string;
  readonly #input: Input;
  readonly #file: InputEntry;
  readonly #tables: Tables;
  #read = 0;

  static async open(input: Input, file: InputEntry): Promise<GhostSource> {
    const tables = new Tables();
    for await (const { path, value } of elementsOf(file, (path) => TABLE.test(path))) {
      tables.add(TABLE.exec(path)?.[1] ?? '', value);
    }
    return new GhostSource(input, file, tables);
  }

  constructor(input: Input, file: InputEntry, tables: Tables) {
    this.#input = input;
    this.#file = file;
    this.recognition = `a Ghost export, since ${file.path} is one`;
    this.#tables = tables;
    // The id of a row is unique since Ghost 1.0, and does not change with the title of the blog.
    const { id, value } = tables.one('settings', 'title') ?? {};
    this.origin = `ghost/${/^[0-9a-f]{24}$/.test(textOf(id)) ? id : plainLine(textOf(value)).toLowerCase()}`;
  }

  progress() {
    return { read: this.#read, size: this.#file.size };
  }

  reads(path: string): boolean {
    return path === this.#file.path;
  }

  async *items(): AsyncGenerator<SourceItem> {
    this.#read = 0;
    for (const [, [user]] of this.#tables.rows.users ?? []) {
      if (user) yield { kind: 'member', person: personOf(user) };
    }
    const onBytes = (count: number) => {
      this.#read += count;
    };
    const posts = new Set<string>();
    for await (const { path, value } of elementsOf(this.#file, (path) => POST.test(path), onBytes)) {
      const place = `data.posts[${POST.exec(path)?.[1]}]`;
      const titled = `${place} "${plainLine(textOf(value.title))}"`;
      if (value.type === 'page' || value.page === 1 || value.page === true) {
        yield { kind: 'left out', place: titled, reason: 'pages: only posts become articles' };
      } else {
        posts.add(textOf(value.id));
        yield unlessTooComplex(titled, () => this.#toArticle(value, place));
      }
    }
    yield* this.#withoutPost(posts);
  }

  *#withoutPost(posts: ReadonlySet<string>): Generator<SourceItem> {
    const { comments = new Map<string, Row[]>(), members = new Map<string, Row[]>() } = this.#tables.rows;
    const writers = new Set<string>();
    let count = 0;
    for (const [postId, rows] of comments) {
      for (const { member_id } of rows) writers.add(textOf(member_id));
      if (!posts.has(postId)) count += rows.length;
    }
    if (count > 0) {
      const reason = 'comments on pages, and on posts that are not in the export';
      yield { kind: 'left out', place: 'data.comments', reason, count };
    }
    const readers = [...members.keys()].filter((id) => !writers.has(id)).length;
    if (readers > 0)
      yield { kind: 'left out', place: 'data.members', reason: 'members without comments', count: readers };
  }

  #toArticle(post: Row, place: string): SourceArticle {
    const reduced: Reduction[] = [];
    const state = stateOf(post, reduced);
    const { content, images } = this.#contentOf(post, reduced);
    const meta = this.#tables.one('posts_meta', post.id) ?? {};
    const image = this.#featureImageOf(post, meta, reduced);
    reduced.push(...unusedOf(post, meta));
    return {
      kind: 'article',
      key: textOf(post.id),
      place,
      author: this.#authorOf(post, reduced),
      state,
      title: textOf(post.title),
      content,
      metadata: { description: textOf(post.custom_excerpt), canonicalUrl: textOf(post.canonical_url) },
      slug: textOf(post.slug) || null,
      categories: [],
      tags: this.#tagsOf(post, reduced),
      createdAt:
        (state === 'DRAFT' || state === 'SCHEDULED' ? null : dateOf(post.published_at)) ?? dateOf(post.created_at),
      updatedAt: dateOf(post.updated_at),
      publishAt: state === 'SCHEDULED' ? dateOf(post.published_at) : null,
      image,
      images,
      addresses: [`https://${this.origin.replace(/[^a-z0-9]+/g, '-')}.invalid/${textOf(post.slug)}/`],
      comments: this.#commentsOn(post, reduced),
      reduced,
    };
  }

  #authorOf(post: Row, reduced: Reduction[]): SourcePerson | null {
    const authors = this.#tables.joined('posts_authors', post.id, 'author_id', 'users');
    const [author = this.#tables.one('users', post.author_id), ...others] = authors;
    for (const other of others)
      reduced.push({ reason: 'further authors: an article has one', detail: textOf(other.name) });
    return author ? personOf(author) : null;
  }

  /** The first one is the primary tag. Readers of the blog do not see internal ones. */
  #tagsOf(post: Row, reduced: Reduction[]): string[] {
    const tags = this.#tables.joined('posts_tags', post.id, 'tag_id', 'tags');
    const isInternal = (tag: Row) => tag.visibility === 'internal' || textOf(tag.name).startsWith('#');
    for (const tag of tags.filter(isInternal)) {
      reduced.push({ reason: 'internal tags: readers of articles would see them', detail: textOf(tag.name) });
    }
    return tags.filter((tag) => !isInternal(tag)).map(({ name }) => textOf(name));
  }

  #contentOf(post: Row, reduced: Reduction[]): { content: string; images: SourceImage[] } {
    const cards = placeholders(`${textOf(post.lexical)}${textOf(post.mobiledoc)}`, 'markdown');
    const toMarkdown = (text: string) => outsideCode(text, (part) => convertHtml({ reduced }, part));
    const html = textOf(post.html) || editorHtml(post, reduced, (card) => cards.put(toMarkdown(card)));
    if (html === '') return { content: toMarkdown(textOf(post.markdown)), images: [] };
    const local = withoutPlaceholder(html);
    for (const loss of htmlLosses(local)) reduced.push(loss);
    const content = withoutPlaceholder(cards.restore(htmlToMarkdown(withoutSizes(local), PLAYERS)));
    return { content, images: this.#imagesIn(content, reduced) };
  }

  #imagesIn(content: string, reduced: Reduction[]): SourceImage[] {
    const references = new Set(
      [...content.matchAll(/(?<=["'(<\s])\/content\/(?:images|media|files)\/[^\s"'<>()[\]]+/g)].map(([path]) => path),
    );
    return [...references].flatMap((reference) => {
      const isImage = reference.startsWith('/content/images/');
      const image = isImage ? this.#imageOf(reference, null) : null;
      const what = isImage ? 'images that are not in the archive' : 'files other than images';
      if (!image) reduced.push({ reason: `${what}: links to them stay, and lead nowhere`, detail: reference });
      return image ?? [];
    });
  }

  #imageOf(reference: string, alt: string | null): SourceImage | null {
    const folder = posix.dirname(this.#file.path);
    const path = querystring.unescape(reference).replace(/^\//, '');
    const paths = [path, path.replace(/\/size\/w\d+(?:h\d+)?(?:\/format\/\w+)?/, '')];
    const found = paths.flatMap((one) => [
      posix.join(folder, one),
      one,
      posix.join(folder, one.replace('content/', '')),
    ]);
    const file = found.map((one) => this.#input.find(one)).find((one) => one !== null);
    return file ? { reference, alt, open: () => file.open() } : null;
  }

  #featureImageOf(post: Row, meta: Row, reduced: Reduction[]): SourceImage | null {
    const reference = withoutPlaceholder(textOf(post.feature_image ?? post.image));
    const alt = plainLine(textOf(meta.feature_image_alt)) || null;
    const caption = plainLine(textOf(meta.feature_image_caption));
    if (caption) reduced.push({ reason: 'captions of feature images', detail: caption });
    if (reference === '') return null;
    if (/^https?:\/\//i.test(reference)) return { reference, alt, open: null };
    const image = this.#imageOf(reference, alt);
    if (!image) reduced.push({ reason: 'feature images that are not in the archive', detail: reference });
    return image;
  }

  #commentsOn(post: Row, reduced: Reduction[]): SourceComment[] {
    const limit = new CommentLimit();
    const admitted = this.#tables.all('comments', post.id).filter(({ html }) => limit.admits(textOf(html)));
    reduced.push(...limit.losses);
    return admitted.map((comment) => this.#toComment(comment));
  }

  #toComment(comment: Row): SourceComment {
    const member = this.#tables.one('members', comment.member_id);
    const leftOut = { hidden: 'comments that were hidden', deleted: 'comments that were deleted' }[
      textOf(comment.status)
    ];
    return {
      key: textOf(comment.id),
      parentKey: textOf(comment.parent_id) || null,
      author: { key: null, name: textOf(member?.name), email: textOf(member?.email) || null },
      content: textOf(comment.html),
      format: 'html',
      createdAt: dateOf(comment.created_at),
      ...(leftOut && { leftOut }),
    };
  }
}

function personOf({ id, name, email }: Row): SourcePerson {
  return { key: textOf(id), name: textOf(name), email: textOf(email) || null };
}

function stateOf({ status, visibility, published_at }: Row, reduced: Reduction[]): SourceArticle['state'] {
  const isPublic = (visibility ?? 'public') === 'public';
  if (status === 'scheduled') {
    if (isPublic && dateOf(published_at)) return 'SCHEDULED';
    reduced.push({ reason: 'scheduled posts for members: drafts without a schedule, since they would become public' });
    return 'DRAFT';
  }
  if (status !== 'published' && status !== 'sent') return 'DRAFT';
  if (isPublic && status === 'published') return 'PUBLIC';
  const readers = status === 'sent' ? 'sent by email only' : `for ${textOf(visibility)}`;
  reduced.push({ reason: `posts ${readers.slice(0, 60)}: private` });
  return 'PRIVATE';
}

const UNUSED: [reason: string, columns: string[]][] = [
  ['code injection: articles have no scripts', ['codeinjection_head', 'codeinjection_foot']],
  [
    'titles, descriptions and images for search engines and social networks',
    ['meta_title', 'meta_description', 'og_image', 'twitter_image'],
  ],
];

function unusedOf(post: Row, meta: Row): Reduction[] {
  return UNUSED.filter(([, columns]) => columns.some((name) => textOf(post[name]) || textOf(meta[name]))).map(
    ([reason, columns]) => ({
      reason,
      detail: columns
        .map((name) => textOf(post[name]))
        .join(' ')
        .trim()
        .slice(0, 200),
    }),
  );
}

/** Addresses in the blog become relative to it. */
function withoutPlaceholder(text: string): string {
  return text.replaceAll('__GHOST_URL__', '');
}

/** Controls of players, whose texts are not content. */
const PLAYERS = /\bkg-(?:audio-(?:player|thumbnail)|video-(?:overlay|player))/;

/** The editor sets the dimensions of each file: pages show the images in the width of the text. */
function withoutSizes(html: string): string {
  return html.replace(/<img\b[^<>]*>/g, (image) =>
    /\bkg-image\b/.test(image) ? image.replace(/\s(?:width|height)="\d+"/g, '') : image,
  );
}
