/**
 * Shortcodes of WordPress (developer.wordpress.org/plugins/shortcodes) as HTML, where there is an equivalent: those of its core, of
 * WordPress.com and of SyntaxHighlighter. Others stay as text.
 */
import { escapeHtml } from '../../../services/rendering/escape.js';
import { NOW_LINKS } from '../../losses.js';
import type { Reduction } from '../../source.js';
import { decodeEntities } from '../../text.js';
import { finderIn, LINES, type Markup, TagScanner } from './tags.js';

/** In them, shortcodes stay as they are. */
const CODE_ELEMENTS: ReadonlySet<string> = new Set('pre code script style svg textarea xmp title plaintext'.split(' '));
/** Elements that hide the rest of a text if they are not closed. */
const HIDING: ReadonlySet<string> = new Set('script style textarea xmp title plaintext'.split(' '));

/** Names of languages that SyntaxHighlighter has as shortcodes, besides `code` and `sourcecode`. */
const LANGUAGES: ReadonlySet<string> = new Set(
  (
    'actionscript3 applescript arduino as3 bash c cf clojure coldfusion cpp csharp css delphi diff erl erlang fsharp go golang groovy haskell html ' +
    'java javafx javascript js jscript matlab objc obj-c pascal patch perl php pl plain powershell ps py python r rails rb ror ruby scala shell sql ' +
    'swift tex text vb vbnet xhtml xml xslt yaml yml'
  ).split(' '),
);

const MAX_ATTRIBUTES_LENGTH = 2_000;

export interface ConvertedShortcodes {
  html: string;
  reduced: Reduction[];
}

/** @param galleryOf writes a gallery, whose pictures are not known yet */
export function convertShortcodes(text: string, galleryOf: (shortcode: string) => string): ConvertedShortcodes {
  return new Converter(text, galleryOf).convert();
}

interface Shortcode {
  name: string;
  attributes: ReadonlyMap<string, string>;
  /** Null if it has no end tag. */
  content: string | null;
  text: string;
}

class Converter {
  readonly #text: string;
  readonly #galleryOf: (shortcode: string) => string;
  readonly #scanner: TagScanner;
  readonly #parts: string[] = [];
  readonly #embeds: string[] = [];
  readonly #unclosed: string[] = [];
  readonly #unknown = new Map<string, number>();
  readonly #find: (mark: string, from: number) => number;
  readonly #closed: ReadonlySet<string>;
  #formulas = 0;
  #isInLink = false;
  /** Where the text begins that is not written yet, and whether a line begins there. */
  #from = 0;
  #isLineStart = true;

  constructor(text: string, galleryOf: (shortcode: string) => string) {
    this.#text = text;
    this.#galleryOf = galleryOf;
    this.#find = finderIn(text);
    this.#scanner = new TagScanner(text, CODE_ELEMENTS);
    this.#closed = new Set([...text.matchAll(/\[\/([\w-]+)\]/g)].map(([, name = '']) => name));
  }

  convert(): ConvertedShortcodes {
    const text = this.#text;
    const next = /[<[]/g;
    for (let found = next.exec(text); found; found = next.exec(text)) {
      const { index } = found;
      const end = found[0] === '<' ? this.#convertMarkup(index) : this.#convertShortcode(index);
      if (end !== null) next.lastIndex = end;
    }
    this.#flush(text.length, true);
    const html = this.#parts.join('');
    return { html, reduced: this.#reductions() };
  }

  #reductions(): Reduction[] {
    const unknown = [...this.#unknown].map(([name, count]) => ({ ...UNKNOWN, detail: `[${name}]`, count }));
    const embeds = this.#embeds.map((address) => ({ reason: NOW_LINKS, detail: address.slice(0, 200) }));
    const unclosed = this.#unclosed.map((detail) => ({ ...UNCLOSED, detail }));
    return [
      ...unknown,
      ...embeds,
      ...unclosed,
      ...(this.#formulas > 0 ? [{ ...FORMULAS, count: this.#formulas }] : []),
    ];
  }

  /** Writes the text before `end`. */
  #flush(end: number, isLineEnd: boolean): void {
    const lines = this.#text.slice(this.#from, end).split('\n');
    const isWhole = (index: number) => (index > 0 || this.#isLineStart) && (index < lines.length - 1 || isLineEnd);
    this.#parts.push(lines.map((line, index) => (isWhole(index) ? this.#linked(line) : line)).join('\n'));
    this.#from = end;
  }

  /** An address alone in a line is an embedded page. */
  #linked(line: string): string {
    const [, address] = /^(https?:\/\/[^\s<>"[\]]+)$/.exec(line.trim()) ?? [];
    return address === undefined || this.#isInLink ? line : this.#linkTo(address);
  }

  #linkTo(address: string): string {
    this.#embeds.push(address);
    const escaped = escapeHtml(decodeEntities(address));
    return `<a href="${escaped}">${escaped}</a>`;
  }

  #convertMarkup(at: number): number | null {
    const markup = this.#scanner.at(at);
    const isLine = markup !== null && (LINES.has(markup.name) || markup.name === 'br' || markup.name === '');
    if (markup === null) return this.#escape(at, at + 1);
    this.#flush(at, isLine);
    this.#isLineStart = isLine;
    if (markup.name === 'a') this.#isInLink = !markup.isEnd;
    if (HIDING.has(markup.name) && !markup.isWhole && !markup.isEnd) {
      this.#unclosed.push(`<${markup.name}>`);
      return this.#escape(at, markup.end);
    }
    this.#parts.push(asHtml(this.#text.slice(at, markup.end), markup));
    this.#from = markup.end;
    return markup.end;
  }

  /** Text that only looks like a tag. */
  #escape(at: number, end: number): number {
    this.#flush(at, false);
    this.#parts.push(escapeHtml(this.#text.slice(at, end)));
    this.#from = end;
    this.#isLineStart = false;
    return end;
  }

  #convertShortcode(at: number): number | null {
    const isShown = this.#text[at + 1] === '[';
    const begin = isShown ? at + 1 : at;
    const found = this.#read(begin);
    if (found === null) return null;
    const end = begin + found.text.length;
    const shown = isShown && isKnown(found) && this.#text[end] === ']' ? showShortcode(found) : null;
    const html = shown ?? (isShown ? null : this.#toHtml(found));
    if (html === null) {
      if (!isShown && this.#isLikely(found, at, end)) this.#count(found.name);
      return null;
    }
    this.#flush(at, false);
    this.#parts.push(html);
    this.#from = end + (shown === null ? 0 : 1);
    this.#isLineStart = true;
    return this.#from;
  }

  #count(name: string): void {
    this.#unknown.set(name, (this.#unknown.get(name) ?? 0) + 1);
  }

  #read(at: number): Shortcode | null {
    const begun = /\[([a-z_][\w-]*)(?=[\s\]=/:])/iy;
    begun.lastIndex = at;
    const [, written] = begun.exec(this.#text) ?? [];
    const end = written === undefined ? -1 : this.#find(']', begun.lastIndex);
    if (written === undefined || end === -1 || end - at > MAX_ATTRIBUTES_LENGTH) return null;
    const name = written.toLowerCase();
    // Captions of old versions are attributes, and can contain brackets.
    const inner = this.#find('[', begun.lastIndex);
    if (inner !== -1 && inner < end && !/caption$/.test(name)) return null;
    const attributes = attributesOf(this.#text.slice(begun.lastIndex, end).replace(/\/$/, ''));
    const content = this.#contentOf(name, written, end + 1);
    const text = this.#text.slice(at, end + 1) + (content === null ? '' : `${content}[/${written}]`);
    return { name, attributes, content, text };
  }

  #contentOf(name: string, written: string, from: number): string | null {
    const isCode = isCodeName(name);
    if (!isCode && !ENCLOSING.has(name)) return null;
    const closing = `[/${written}]`;
    const at = isCode || /caption$/.test(name) ? this.#find(closing, from) : this.#text.indexOf('[', from);
    return at !== -1 && this.#text.startsWith(closing, at) ? this.#text.slice(from, at) : null;
  }

  /** @returns null if it has no equivalent */
  #toHtml(shortcode: Shortcode): string | null {
    const { name, content, attributes } = shortcode;
    if (name === 'gallery') return this.#galleryOf(shortcode.text);
    if (name === 'caption' || name === 'wp_caption') return content === null ? null : figureOf(attributes, content);
    if (isCodeName(name)) return content === null ? null : codeOf(name, attributes, content);
    if (name === 'latex' && content !== null) {
      this.#formulas++;
      return `<code>${escapeHtml(decodeEntities(content.trim()))}</code>`;
    }
    const address = addressOf(shortcode);
    return address === null ? null : `\n\n${this.#linkTo(address)}\n\n`;
  }

  /** Whether a text in brackets is a shortcode: it has attributes or an end, or is alone in its line. */
  #isLikely({ name, attributes, text }: Shortcode, at: number, end: number): boolean {
    if (isKnown({ name }) || /\/\]$/.test(text) || this.#closed.has(name)) return true;
    if ([...attributes.keys()].some((key) => !/^\d+$/.test(key))) return true;
    const before = /(?:^|[\n>])[ \t]{0,20}$/.test(this.#text.slice(Math.max(0, at - 21), at));
    return (
      before &&
      /^[a-z0-9_-]+$/.test(text.slice(1, -1)) &&
      /^[ \t]{0,20}(?:[\n<]|$)/.test(this.#text.slice(end, end + 22))
    );
  }
}

const UNKNOWN = { reason: 'shortcodes of WordPress without a counterpart: they stay as text' };
const UNCLOSED = { reason: 'tags without an end that would hide the rest of the text: now text' };
const FORMULAS = { reason: 'formulas: now code' };

const SHOWN_SHORTCODE =
  /\[(\[\/?(?:gallery|(?:wp_)?caption|audio|video|playlist|embed|code|sourcecode)(?![\w-])[^[\]]*\])\]/g;

/** Old elements that show their content as text. */
function asHtml(html: string, { name, isWhole }: Markup): string {
  if (isWhole && (name === 'pre' || name === 'code')) return html.replace(SHOWN_SHORTCODE, '$1');
  if (!isWhole || !/^(?:textarea|xmp)$/.test(name)) return html;
  const content = html.replace(/^<[^>]*>/, '').replace(/<\/[^<]*$/, '');
  return `<pre>${name === 'xmp' ? escapeHtml(content) : content.replaceAll('<', '&lt;')}</pre>`;
}

const ENCLOSING: ReadonlySet<string> = new Set('caption wp_caption embed audio video gist latex'.split(' '));
const KNOWN: ReadonlySet<string> = new Set([
  ...ENCLOSING,
  ...'gallery playlist youtube vimeo code sourcecode'.split(' '),
]);

function isCodeName(name: string): boolean {
  return name === 'code' || name === 'sourcecode' || LANGUAGES.has(name);
}

/** A language is also a word, such as `[text]`. */
function isKnown({ name, content = null }: { name: string; content?: string | null }): boolean {
  return KNOWN.has(name) || (content !== null && isCodeName(name));
}

/** `[[gallery]]` shows `[gallery]`. */
function showShortcode({ text, name }: Shortcode): string {
  return isCodeName(name) ? escapeHtml(text).replaceAll('\n', '<br>') : text;
}

/** `name="value"`, `name=value`, and values without a name by their position. */
function attributesOf(text: string): ReadonlyMap<string, string> {
  const found = text.matchAll(/(?:([\w-]+)\s*=\s*|(?<!=)=)?(?:"([^"]*)"|'([^']*)'|([^\s"'=]+(?:=[^\s"']*)?))/g);
  return new Map(
    [...found].map(([, name, quoted, single, bare], index) => [
      name?.toLowerCase() ?? `${index}`,
      quoted ?? single ?? bare ?? '',
    ]),
  );
}

const IMAGE = /^\s*((?:<a\b[^<>]*>\s*)?<img\b[^<>]*>(?:\s*<\/a\s*>)?)/i;

/** The picture, then its caption, which was an attribute in old versions. */
function figureOf(attributes: ReadonlyMap<string, string>, content: string): string {
  const [before = '', picture] = IMAGE.exec(content) ?? [];
  const given = attributes.get('caption');
  const caption = given ?? (picture === undefined ? '' : content.slice(before.length).trim());
  const shown = given === undefined && picture !== undefined ? picture : content.trim();
  return caption === '' ? shown : `\n\n<figure>${shown}<figcaption>${caption}</figcaption></figure>\n\n`;
}

/** Code that has no `<` and `>` was stored with entities by the editor. */
function codeOf(name: string, attributes: ReadonlyMap<string, string>, content: string): string {
  const isGeneric = name === 'code' || name === 'sourcecode';
  const language =
    attributes.get('language') ?? attributes.get('lang') ?? (isGeneric ? (attributes.get('0') ?? '') : name);
  const code = (/[<>]/.test(content) ? content : decodeEntities(content)).replace(/^[ \t]*\n/, '').trimEnd();
  const named =
    /^[\w+#-]+$/.test(language) && !/^(?:plain|text)$/.test(language)
      ? ` class="language-${escapeHtml(language)}"`
      : '';
  return `\n\n<pre><code${named}>${escapeHtml(code)}</code></pre>\n\n`;
}

const MEDIA = 'src mp3 m4a ogg wav wma flac mp4 m4v webm ogv wmv flv'.split(' ');

/** @returns of a player or an embedded page; null if it has none */
function addressOf({ name, attributes, content }: Shortcode): string | null {
  const [first = ''] = attributes.values();
  const given =
    content?.trim() ||
    (attributes.get('0') ?? attributes.get('url') ?? attributes.get('id') ?? first).replace(/^[=:]/, '');
  if (name === 'audio' || name === 'video') {
    const named = MEDIA.map((key) => attributes.get(key)).find(Boolean);
    return webAddress(named ?? given.split('|')[0] ?? '');
  }
  const pages: Readonly<Record<string, string>> = {
    embed: '',
    youtube: 'https://www.youtube.com/watch?v=',
    vimeo: 'https://vimeo.com/',
    gist: 'https://gist.github.com/',
  };
  const page = pages[name];
  if (page === undefined) return null;
  return webAddress(given) ?? (page !== '' && /^[\w/-]+$/.test(given) ? page + given : null);
}

function webAddress(text: string): string | null {
  return /^https?:\/\/[^\s<>"]+$/i.test(text) ? text : null;
}
