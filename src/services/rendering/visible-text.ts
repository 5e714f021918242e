/** Extracts the visible text of sanitized HTML. */
import { ALTERNATIVE, CONTINUED, HEADING, NOTE, normalizeSpace, PROSE, ROW } from '../../models/article/text.js';
import { decode, TOKEN } from './html-tokens.js';

/** Elements that begin and end a line. Other elements do not separate words, except cells of tables. */
const BLOCKS = new Set(
  (
    'h1 h2 h3 h4 h5 h6 p br hr blockquote pre ul ol li dl dt dd table thead tbody tr figure figcaption details ' +
    'summary section div'
  ).split(' '),
);
const CELLS = new Set(['th', 'td']);

const ALT = /\salt="([^"]*)"/;
const HEADINGS = /^h[1-6]$/;
/** The number of a footnote, and the link back to it. */
const FOOTNOTE_LINK = /\srole="doc-(?:noteref|backlink)"/;
/** Of texts in `<q>`, and of those within them. */
const QUOTES = [
  ['“', '”'],
  ['‘', '’'],
] as const;

/**
 * Without markup, link targets and other attributes, numbers of footnotes, with alternative texts of images and with code. The readings of `<ruby>`
 * are in parentheses after its text, so that both are words. Runs in linear time.
 * @returns lines as `models/article/text.ts` describes them
 */
export function visibleText(html: string): string {
  const lines = new Lines();
  let quotes = 0;
  let isHidden = false;
  for (const [token, slash, name, attributes = ''] of html.matchAll(TOKEN)) {
    const isEnd = slash === '/';
    if (name === 'a') isHidden = !isEnd && FOOTNOTE_LINK.test(attributes);
    // The parentheses in `<rp>` are for browsers that do not know `<ruby>`.
    if (name === 'rp') isHidden = !isEnd;
    if (isHidden) continue;
    if (name === undefined) lines.addText(decode(token));
    else if (name === 'img') lines.addImage(decode(ALT.exec(attributes)?.[1] ?? ''));
    else if (name === 'q') {
      if (isEnd) quotes--;
      lines.addText(QUOTES[Math.max(0, quotes) % 2]?.[isEnd ? 1 : 0] ?? '');
      if (!isEnd) quotes++;
    } else if (name === 'rt') lines.setReading(!isEnd);
    else if (name === 'ruby') lines.addReadings();
    else if (CELLS.has(name)) lines.addText(' ');
    else if (BLOCKS.has(name)) lines.addBoundary(name, isEnd);
  }
  return lines.end();
}

class Lines {
  readonly #lines: string[] = [];
  /** Parts of the current line. */
  #parts: string[] = [];
  /** Of the current `<ruby>`. */
  #readings: string[] = [];
  #isReading = false;
  /** Open elements. */
  #preformatted = 0;
  #tables = 0;
  #headings = 0;
  #notes = 0;
  /** An image is within the current line of prose. */
  #isContinued = false;

  addText(text: string): void {
    if (this.#isReading) {
      this.#readings.push(text);
      return;
    }
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

  /** The alternative text is a line of its own, which excerpts leave out. */
  addImage(alternative: string): void {
    if (alternative === '') return;
    const isProse = this.#kind() === PROSE || this.#kind() === CONTINUED;
    const isContinued = this.#push(this.#kind()) || this.#isContinued;
    this.#add(ALTERNATIVE, alternative);
    this.#isContinued = isProse && isContinued;
  }

  setReading(isReading: boolean): void {
    this.#isReading = isReading;
  }

  addReadings(): void {
    this.#isReading = false;
    const readings = this.#readings.join('');
    this.#readings = [];
    if (readings.trim() !== '') this.#parts.push(`(${readings})`);
  }

  addBoundary(name: string, isEnd: boolean): void {
    this.#endLine();
    const change = isEnd ? -1 : 1;
    if (name === 'pre') this.#preformatted = Math.max(0, this.#preformatted + change);
    if (name === 'table') this.#tables = Math.max(0, this.#tables + change);
    if (name === 'section') this.#notes = Math.max(0, this.#notes + change);
    if (HEADINGS.test(name)) this.#headings = Math.max(0, this.#headings + change);
  }

  end(): string {
    this.#endLine();
    return this.#lines.join('');
  }

  #endLine(): void {
    this.#push(this.#kind());
    this.#isContinued = false;
  }

  #kind(): string {
    if (this.#notes > 0) return NOTE;
    if (this.#headings > 0) return HEADING;
    if (this.#preformatted + this.#tables > 0) return ROW;
    return this.#isContinued ? CONTINUED : PROSE;
  }

  /** @returns whether the line has text */
  #push(kind: string): boolean {
    this.addReadings();
    const isPushed = this.#add(kind, this.#parts.join(''));
    this.#parts = [];
    return isPushed;
  }

  #add(kind: string, text: string): boolean {
    const line = normalizeSpace(text);
    if (line !== '') this.#lines.push(kind + line);
    return line !== '';
  }
}
