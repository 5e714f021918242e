/** Assembles the events of the XML parser (sax) into the records of an export. */
import { FileError } from '../../../platform/errors.js';
import { CommentLimit } from '../../comment-limit.js';
import { importLimit } from '../../limit.js';
import { copyOf } from '../../text.js';
import { isField, SCOPES, type Scope, toAuthor, toComment, toItem } from './elements.js';
import type { CommentRecord, ExportRecord } from './records.js';

/** Far more than the 100,000 characters of an article. */
const MAX_TEXT_LENGTH = importLimit({
  value: 16 * 1024 * 1024,
  unit: 'characters',
  about: 'One text in a WordPress export, such as the content of a post. The file is read up to a longer one.',
});
const MAX_ITEM_LENGTH = importLimit({
  value: 48 * 1024 * 1024,
  unit: 'characters',
  about:
    'All texts of one item of a WordPress export without its comments, with 100 more for each. The file is read up to a longer one.',
});
const MAX_DEPTH = 100;

interface Field {
  element: string;
  depth: number;
  domain: string;
  parts: string[];
  length: number;
}

export class Collector {
  readonly #emit: (record: ExportRecord) => void;
  readonly #scopes: Scope[] = [];
  #field: Field | undefined;
  #depth = 0;
  #isBlogEmitted = false;

  constructor(emit: (record: ExportRecord) => void) {
    this.#emit = emit;
  }

  open(element: string, attributes: Record<string, string>): void {
    this.#depth++;
    if (this.#depth > MAX_DEPTH) throw new FileError(`elements are nested more than ${MAX_DEPTH} levels deep`);
    if (this.#depth === 1 && element !== 'rss') {
      throw new FileError(`it is not a WordPress export: it begins with <${element.slice(0, 40)}>, expected <rss>`);
    }
    if (this.#field) return;
    const scope = this.#scopes.at(-1);
    const isDirect = this.#depth === (scope?.depth ?? 0) + 1;
    if (isDirect && SCOPES[element] === (scope?.element ?? '')) this.#openScope(element);
    else if (isDirect && scope && isField(scope, element)) {
      this.#field = { element, depth: this.#depth, domain: attributes.domain ?? '', parts: [], length: 0 };
    }
  }

  text(text: string): void {
    if (!this.#field) return;
    this.#field.length += text.length;
    if (this.#field.length > MAX_TEXT_LENGTH) {
      throw new FileError(`the text of <${this.#field.element}> is longer than ${MAX_TEXT_LENGTH} characters`);
    }
    this.#field.parts.push(text);
  }

  close(): void {
    const scope = this.#scopes.at(-1);
    if (this.#field?.depth === this.#depth) this.#closeField(this.#field);
    else if (scope?.depth === this.#depth) this.#closeScope(scope);
    this.#depth--;
  }

  #openScope(element: string): void {
    if (element === 'item' || element === 'wp:author') this.#emitBlog();
    this.#scopes.push({
      element,
      depth: this.#depth,
      texts: new Map(),
      terms: [],
      comments: [],
      limit: new CommentLimit(),
      length: 0,
    });
  }

  #closeField({ element, domain, parts }: Field): void {
    const scope = this.#scopes.at(-1);
    const text = copyOf(parts.join(''));
    this.#field = undefined;
    if (scope) scope.length += domain.length + text.length + 100;
    if (scope && scope.length > MAX_ITEM_LENGTH)
      throw new FileError(`the texts of <${scope.element}> are longer than ${MAX_ITEM_LENGTH} characters`);
    if (element === 'category') scope?.terms.push({ domain, name: text });
    else if (scope && !scope.texts.has(element)) scope.texts.set(element, text);
  }

  #closeScope(scope: Scope): void {
    if (scope.element === 'channel') this.#emitBlog();
    this.#scopes.pop();
    if (scope.element === 'wp:author') this.#emit(toAuthor(scope));
    else if (scope.element === 'item') this.#emit(toItem(scope));
    else if (scope.element === 'wp:comment') this.#addComment(toComment(scope));
    else if (scope.element === 'wp:postmeta') this.#addMeta(scope.texts);
  }

  #addComment(comment: CommentRecord): void {
    const item = this.#scopes.at(-1);
    if (item?.limit.admits(comment.author, comment.email, comment.content)) item.comments.push(comment);
  }

  /** Without a value, the key is none that is read. */
  #addMeta(texts: ReadonlyMap<string, string>): void {
    const value = texts.get('wp:meta_value');
    if (value !== undefined) this.#scopes.at(-1)?.texts.set(texts.get('wp:meta_key') ?? '', value);
  }

  /** The channel metadata is complete when its first author or item begins, or when the channel ends. */
  #emitBlog(): void {
    if (this.#isBlogEmitted) return;
    const texts = this.#scopes.at(-1)?.texts ?? new Map<string, string>();
    if (!texts.has('wp:wxr_version')) throw new FileError('it is not a WordPress export: it has no <wp:wxr_version>');
    const url = ['wp:base_blog_url', 'wp:base_site_url', 'link'].map((name) => texts.get(name)?.trim()).find(Boolean);
    if (!url) throw new FileError('the URL of the blog is missing: it has no <wp:base_blog_url>');
    this.#isBlogEmitted = true;
    this.#emit({ kind: 'blog', url, exportedAt: texts.get('pubDate') ?? '' });
  }
}
