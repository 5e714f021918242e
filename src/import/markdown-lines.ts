/** The blocks of a text in Markdown, by its lines: those of CommonMark, with tables and footnotes, and with what other programs add. */

export interface MarkdownLine {
  text: string;
  kind: 'code' | 'html' | 'text' | 'row' | 'other';
  /** Where its content begins, after marks and indentation of quotations, list items and similar. */
  start: number;
  /** The number of the paragraph, row, code or other block that it is in. */
  block: number;
}

/** What the program of the source reads as the first line of a block, whose further lines have an indentation. */
export interface BlockExtensions {
  /** `: Definition` of kramdown and goldmark. */
  definitions?: boolean;
  /** `!!! note`, `??? note` and `=== "Tab"` of MkDocs. */
  admonitions?: boolean;
}

interface Container {
  /** Columns of its further lines; null for a quotation, each line of which has a mark. */
  indent: number | null;
  isEmpty: boolean;
}

interface Leaf {
  kind: 'paragraph' | 'table' | 'fence' | 'indented' | 'html';
  block: number;
  /** Of a fence: the line that ends it. Of HTML: what ends it; null is an empty line. */
  end: RegExp | null;
}

/** Deeper ones are text: each line is compared with all of them. */
const MAX_CONTAINERS = 50;

const FENCE = /^(?:(`{3,})[^`]*$|(~{3,}))/;
const HEADING = /^#{1,6}(?:[ \t]|$)/;
const UNDERLINE = /^(?:=+|-+)[ \t]*$/;
export const RULE = /^([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const ITEM = /^(?:[-*+]|(\d{1,9})[.)])(?=[ \t]|$)/;
const FOOTNOTE = /^\[\^[^\s[\]]+\]:[ \t]*/;
const DEFINITION = /^:[ \t]+(?=\S)/;
const ADMONITION = /^(?:!!!|\?\?\?\+?)[ \t]+[\w-]|^===[!+]*[ \t]+"/;
const DELIMITERS = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** The beginnings of blocks of HTML, and their ends. The last two cannot contain an empty line, the last one cannot interrupt a paragraph. */
const HTML: [begin: RegExp, end: RegExp | null][] = [
  [/^<(?:script|pre|textarea|style)(?:[\s>]|$)/i, /<\/(?:script|pre|textarea|style)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![A-Z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [
    /^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|source|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:\s|\/?>|$)/i,
    null,
  ],
  [
    /^(?:<[a-z][a-z0-9-]*(?:\s+[a-z_:][\w:.-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>|<\/[a-z][a-z0-9-]*\s*>)\s*$/i,
    null,
  ],
];

/** @param isCode whether a line is code that was put aside before */
export function readLines(
  text: string,
  extensions: BlockExtensions = {},
  isCode: (content: string) => boolean = () => false,
): MarkdownLine[] {
  const reader = new LineReader(extensions, isCode);
  for (const line of text.split('\n')) reader.read(line);
  return reader.lines;
}

class LineReader {
  readonly lines: MarkdownLine[] = [];
  readonly #extensions: BlockExtensions;
  readonly #isCode: (content: string) => boolean;
  #containers: Container[] = [];
  #leaf: Leaf | null = null;
  #blocks = 0;
  /** Whether a definition may come after an empty line. */
  #afterTerm = false;
  #line = '';
  #offset = 0;
  #column = 0;
  /** Columns of a tab that were not read yet. */
  #tabRest = 0;

  constructor(extensions: BlockExtensions, isCode: (content: string) => boolean) {
    this.#extensions = extensions;
    this.#isCode = isCode;
  }

  read(line: string): void {
    [this.#line, this.#offset, this.#column, this.#tabRest] = [line, 0, 0, 0];
    let matched = 0;
    while (matched < this.#containers.length && this.#continues(this.#containers[matched])) matched++;
    const isMatched = matched === this.#containers.length;
    if (isMatched && this.#continueLeaf()) return;
    const open = this.#leaf?.kind === 'paragraph' ? this.#leaf : null;
    /** The paragraph that the line may interrupt; it may also continue one in containers without their marks. */
    const paragraph = isMatched ? open : null;
    const close = () => {
      this.#containers.length = matched;
      this.#leaf = null;
    };
    for (let canInterrupt: Leaf | null = paragraph; ; canInterrupt = null) {
      const { rest, indent } = this.#next();
      if (rest === '') {
        close();
        this.#add('other');
        return;
      }
      if (indent >= 4) {
        if (open && this.#leaf) break;
        close();
        this.#leaf = this.#newLeaf('indented');
        this.#add('code', this.#leaf.block);
        return;
      }
      if (this.#isCode(rest)) {
        close();
        this.#add('code', this.#blocks);
        return;
      }
      const container = this.#containerAt(rest, canInterrupt !== null);
      if (container && matched < MAX_CONTAINERS) {
        close();
        this.#containers.push(container);
        matched++;
        continue;
      }
      if (this.#startLeaf(rest, canInterrupt, close, open !== null && this.#leaf !== null)) return;
      break;
    }
    if (this.#leaf === open && open) {
      this.#add('text', open.block);
      return;
    }
    if (this.#leaf?.kind === 'table' && isMatched) {
      this.#add('row');
      return;
    }
    close();
    this.#leaf = this.#newLeaf('paragraph');
    this.#add('text', this.#leaf.block);
  }

  #newLeaf(kind: Leaf['kind'], end: RegExp | null = null): Leaf {
    return { kind, block: ++this.#blocks, end };
  }

  #add(kind: MarkdownLine['kind'], block = ++this.#blocks): void {
    if (kind !== 'other') for (const container of this.#containers) container.isEmpty = false;
    this.#afterTerm = kind === 'text' || (this.#afterTerm && this.lines.at(-1)?.kind === 'text' && kind === 'other');
    this.lines.push({ text: this.#line, kind, start: this.#offset, block });
  }

  /** The content of the line, and its indentation in columns. */
  #next(): { rest: string; indent: number; offset: number } {
    let offset = this.#tabRest > 0 ? this.#offset + 1 : this.#offset;
    let column = this.#column + this.#tabRest;
    for (; ; offset++) {
      const character = this.#line.charAt(offset);
      if (character === ' ') column++;
      else if (character === '\t') column += 4 - (column % 4);
      else break;
    }
    return { rest: this.#line.slice(offset).trimEnd(), indent: column - this.#column, offset };
  }

  /** Over space, by columns: a tab can be divided. */
  #advance(columns: number): void {
    for (let left = columns; left > 0; ) {
      const width = this.#tabRest || (this.#line.charAt(this.#offset) === '\t' ? 4 - (this.#column % 4) : 1);
      const taken = Math.min(width, left);
      this.#tabRest = width - taken;
      if (this.#tabRest === 0) this.#offset++;
      this.#column += taken;
      left -= taken;
    }
  }

  /** Over a mark. */
  #skip(offset: number, indent: number, length: number): void {
    [this.#offset, this.#column, this.#tabRest] = [offset + length, this.#column + indent + length, 0];
  }

  #skipSpace(): void {
    if (this.#tabRest > 0 || /[ \t]/.test(this.#line.charAt(this.#offset))) this.#advance(1);
  }

  #continues(container: Container | undefined): boolean {
    if (!container) return false;
    if (this.#line === '') return container.indent !== null && !container.isEmpty;
    const { rest, indent, offset } = this.#next();
    if (container.indent === null) {
      if (indent >= 4 || !rest.startsWith('>')) return false;
      this.#skip(offset, indent, 1);
      this.#skipSpace();
      return true;
    }
    if (rest === '') {
      if (container.isEmpty) return false;
      this.#advance(Math.min(indent, container.indent));
      return true;
    }
    if (indent < container.indent) return false;
    this.#advance(container.indent);
    return true;
  }

  /** @returns whether the line is a part of the open block, other than a paragraph */
  #continueLeaf(): boolean {
    const leaf = this.#leaf;
    if (!leaf || leaf.kind === 'paragraph') return false;
    const { rest, indent } = this.#next();
    if (leaf.kind === 'fence') {
      if (indent < 4 && leaf.end?.test(rest)) this.#leaf = null;
      this.#add('code', leaf.block);
      return true;
    }
    if (leaf.kind === 'html') {
      if (leaf.end === null && rest === '') {
        this.#leaf = null;
        return false;
      }
      if (leaf.end?.test(rest)) this.#leaf = null;
      this.#add('html', leaf.block);
      return true;
    }
    if (leaf.kind === 'table') {
      if (rest === '' || indent >= 4) this.#leaf = null;
      return false;
    }
    if (rest !== '' && indent < 4) {
      this.#leaf = null;
      return false;
    }
    this.#add(rest === '' ? 'other' : 'code', leaf.block);
    // Empty lines are code if more of it follows them.
    for (let at = this.lines.length - 2; rest !== '' && this.lines[at]?.kind === 'other'; at--) {
      const line = this.lines[at];
      if (line) line.kind = 'code';
    }
    return true;
  }

  #containerAt(rest: string, interrupts: boolean): Container | null {
    const { indent, offset } = this.#next();
    if (rest.startsWith('>')) {
      this.#skip(offset, indent, 1);
      this.#skipSpace();
      return { indent: null, isEmpty: false };
    }
    const [footnote] = FOOTNOTE.exec(rest) ?? [];
    if (footnote !== undefined) {
      this.#skip(offset, indent, footnote.length);
      return { indent: 4, isEmpty: false };
    }
    if (this.#extensions.admonitions && ADMONITION.test(rest)) {
      this.#skip(offset, indent, rest.length);
      return { indent: 4, isEmpty: false };
    }
    const [definition] = (this.#extensions.definitions && this.#afterTerm && DEFINITION.exec(rest)) || [];
    if (definition !== undefined) {
      this.#skip(offset, indent, 1);
      return { indent: indent + 1 + this.#spaceAfterMark(), isEmpty: false };
    }
    const [mark, number] = RULE.test(rest) ? [] : (ITEM.exec(rest) ?? []);
    if (mark === undefined) return null;
    const isEmpty = rest === mark;
    if (interrupts && (isEmpty || (number !== undefined && Number(number) !== 1))) return null;
    this.#skip(offset, indent, mark.length);
    return { indent: indent + mark.length + this.#spaceAfterMark(), isEmpty };
  }

  /** One column before code, and before nothing. */
  #spaceAfterMark(): number {
    const { rest, indent } = this.#next();
    if (rest === '' || indent > 4) {
      this.#skipSpace();
      return 1;
    }
    this.#advance(indent);
    return indent;
  }

  #startLeaf(rest: string, paragraph: Leaf | null, close: () => void, isLazy: boolean): boolean {
    const [, ticks, tildes] = FENCE.exec(rest) ?? [];
    const fence = ticks ?? tildes;
    if (fence !== undefined) {
      close();
      this.#leaf = this.#newLeaf('fence', new RegExp(`^${fence.charAt(0)}{${fence.length},}$`));
      this.#add('code', this.#leaf.block);
      return true;
    }
    const isUnderline = paragraph !== null && UNDERLINE.test(rest);
    if (isUnderline || RULE.test(rest)) {
      close();
      this.#add('other');
      return true;
    }
    if (HEADING.test(rest)) {
      close();
      this.#add('text');
      this.#afterTerm = false;
      return true;
    }
    const html = rest.startsWith('<')
      ? HTML.findIndex(([begin], at) => begin.test(rest) && !(at === HTML.length - 1 && isLazy))
      : -1;
    const found = HTML[html];
    if (found) {
      close();
      const [, end] = found;
      const leaf = this.#newLeaf('html', end);
      if (!end?.test(html === 1 ? rest.slice(4) : rest)) this.#leaf = leaf;
      this.#add('html', leaf.block);
      return true;
    }
    const head = this.lines.at(-1);
    if (paragraph && head && rest.includes('-') && DELIMITERS.test(rest)) {
      if (countCells(head.text.slice(head.start)) !== countCells(rest) || !/[|:]/.test(rest)) return false;
      close();
      Object.assign(head, { kind: 'row', block: ++this.#blocks });
      this.#leaf = this.#newLeaf('table');
      this.#add('row');
      return true;
    }
    return false;
  }
}

/** The cells of a row of a table, and what is before its first mark and after its last one. */
export function cellsOf(row: string): string[] {
  return row.split(/(?<!\\)\|/);
}

function countCells(row: string): number {
  return cellsOf(row).length - (/^[ \t]*\|/.test(row) ? 1 : 0) - (/(?<!\\)\|[ \t]*$/.test(row) ? 1 : 0);
}
