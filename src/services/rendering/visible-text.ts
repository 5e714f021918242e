/** Extracts the visible text of sanitized HTML. */
import { normalizeSpace, PROSE, ROW } from '../../models/article/text.js';

/** Elements that begin and end a line. Other elements do not separate words, except cells of tables. */
const BLOCKS = new Set(
  (
    'h1 h2 h3 h4 h5 h6 p br hr blockquote pre ul ol li dl dt dd table thead tbody tr figure figcaption details ' +
    'summary'
  ).split(' '),
);
const CELLS = new Set(['th', 'td']);

/** A tag or a text. Sanitized HTML contains `<` and `>` only around tags, and `"` within a tag only around attribute values. */
export const TOKEN = /<(\/?)([a-z][a-z0-9]*)([^<>]*)>|[^<]+/g;
const ALTERNATIVE = /\salt="([^"]*)"/;

/** Those of the sanitizer, and those of escaped source text. */
const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#38;': '&',
  '&#60;': '<',
  '&#62;': '>',
  '&#34;': '"',
};

/**
 * Without markup, link targets and other attributes, with alternative texts of images and with code. Runs in linear time.
 * @returns lines as `models/article/text.ts` describes them
 */
export function visibleText(html: string): string {
  const lines = new Lines();
  for (const [token, slash, name, attributes = ''] of html.matchAll(TOKEN)) {
    if (name === undefined) lines.addText(decode(token));
    else if (name === 'img') lines.addImage(decode(ALTERNATIVE.exec(attributes)?.[1] ?? ''));
    else if (CELLS.has(name)) lines.addText(' ');
    else if (BLOCKS.has(name)) lines.addBoundary(name, slash === '/');
  }
  return lines.end();
}

/** The text of a token. */
export function decode(html: string): string {
  return html.includes('&')
    ? html.replace(/&(?:amp|lt|gt|quot|#(?:38|60|62|34));/g, (one) => ENTITIES[one] ?? one)
    : html;
}

class Lines {
  readonly #lines: string[] = [];
  /** Parts of the current line. */
  #parts: string[] = [];
  /** Open elements. */
  #preformatted = 0;
  #tables = 0;
  #isAfterImage = false;

  addText(text: string): void {
    if (this.#isAfterImage && /^[\p{L}\p{N}]/u.test(text)) this.#parts.push(' ');
    this.#isAfterImage = false;
    if (this.#preformatted === 0) {
      this.#parts.push(text);
      return;
    }
    const [first = '', ...others] = text.split('\n');
    this.#parts.push(first);
    for (const line of others) {
      this.#endLine();
      this.#parts.push(line);
    }
  }

  /** An alternative text is separated from the words beside it, but not from punctuation after it. */
  addImage(alternative: string): void {
    if (alternative === '') return;
    this.#parts.push(' ', alternative);
    this.#isAfterImage = true;
  }

  addBoundary(name: string, isEnd: boolean): void {
    this.#endLine();
    const change = isEnd ? -1 : 1;
    if (name === 'pre') this.#preformatted = Math.max(0, this.#preformatted + change);
    if (name === 'table') this.#tables = Math.max(0, this.#tables + change);
  }

  end(): string {
    this.#endLine();
    return this.#lines.join('');
  }

  #endLine(): void {
    this.#isAfterImage = false;
    const line = normalizeSpace(this.#parts.join(''));
    this.#parts = [];
    if (line !== '') this.#lines.push((this.#preformatted + this.#tables > 0 ? ROW : PROSE) + line);
  }
}
