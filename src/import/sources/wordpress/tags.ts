/** Finds the tags of HTML as browsers do, which tolerate more than Markdown and XML. */

/** A tag, a comment, or an element with its content. */
export interface Markup {
  /** Of an element or tag, in lower case; empty for a comment. */
  name: string;
  isEnd: boolean;
  /** Whether it is a comment or an element with its content, in which no other tag is markup. */
  isWhole: boolean;
  end: number;
}

const NAME = /<(\/?)([a-z][^\s/>]{0,60})/iy;

export class TagScanner {
  readonly #text: string;
  /** Elements whose content is no text for the caller. */
  readonly #wholes: ReadonlySet<string>;
  readonly #find: (mark: string, from: number) => number;
  readonly #unclosed = new Set<string>();

  constructor(text: string, wholes: ReadonlySet<string>) {
    this.#text = text;
    this.#wholes = wholes;
    this.#find = finderIn(text);
  }

  /** @returns what begins with the `<` at `at`; null if it is text, since it does not end */
  at(at: number): Markup | null {
    const text = this.#text;
    const comment = { name: '', isEnd: false, isWhole: true };
    if (text.startsWith('<!--', at)) return this.#until('-->', at + 4, comment);
    if (/[!?]/.test(text[at + 1] ?? '')) return this.#until('>', at, comment);
    NAME.lastIndex = at;
    const [begun, slash, written = ''] = NAME.exec(text) ?? [];
    if (begun === undefined) return null;
    const name = written.toLowerCase();
    const end = this.#tagEnd(at + begun.length);
    if (end === -1) return null;
    const tag = { name, isEnd: slash === '/', isWhole: false, end };
    if (tag.isEnd || !this.#wholes.has(name)) return tag;
    const closed = this.#closing(name, end);
    return closed === -1 ? tag : { ...tag, isWhole: true, end: closed };
  }

  #until(mark: string, from: number, found: Omit<Markup, 'end'>): Markup | null {
    const at = this.#find(mark, from);
    return at === -1 ? null : { ...found, end: at + mark.length };
  }

  /** A quote opens a value only after `=` (HTML Standard, 13.2.5). One that is not closed is none. */
  #tagEnd(from: number): number {
    if (this.#unclosed.has('>')) return -1;
    const next = /=\s*(["'])|>/g;
    next.lastIndex = from;
    for (let found = next.exec(this.#text); found; found = next.exec(this.#text)) {
      const [, quote] = found;
      if (quote === undefined) return next.lastIndex;
      const closed = this.#find(quote, next.lastIndex);
      if (closed !== -1) next.lastIndex = closed + 1;
    }
    this.#unclosed.add('>');
    return -1;
  }

  #closing(name: string, from: number): number {
    if (this.#unclosed.has(`</${name}`)) return -1;
    const closing = new RegExp(`</${name}(?![^\\s/>])[^>]*>`, 'gi');
    closing.lastIndex = from;
    if (closing.exec(this.#text)) return closing.lastIndex;
    this.#unclosed.add(`</${name}`);
    return -1;
  }
}

/** `indexOf` for positions that grow: what was found, or not, is not searched again. */
export function finderIn(text: string): (mark: string, from: number) => number {
  const found = new Map<string, number>();
  return (mark, from) => {
    const known = found.get(mark);
    if (known !== undefined && (known === -1 || known >= from)) return known;
    const at = text.indexOf(mark, from);
    found.set(mark, at);
    return at;
  };
}

/** Elements that begin and end a line. */
export const LINES: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote caption center col colgroup dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 ' +
    'h5 h6 header hgroup hr legend li main menu nav ol optgroup option p pre search section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
);

export const VOID: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);
