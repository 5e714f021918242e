/** Footnotes in Markdown, as GitHub renders them: `[^label]` in the text, and `[^label]: note`, whose further lines are indented by four spaces. */
import { type MarkedExtension, Parser, type Token, type Tokens } from 'marked';

/** A label has no white space and no brackets. The length is bounded, so that the time is linear in that of the text. */
const LABEL = String.raw`\[\^([^\s[\]]{1,100})\]`;
const REFERENCE = new RegExp(`^${LABEL}`);
/** Where a definition begins. Like a block quote, it interrupts a paragraph. */
export const DEFINITION_START = ` {0,3}${LABEL.replace('(', '(?:')}:`;
const DEFINITION = new RegExp(`^ {0,3}${LABEL}:[ \\t]*`);
const INDENT = /^(?: {4}| {0,3}\t)/;

/** Prefix of all ids in rendered texts, so that they cannot equal those of the page. */
export const ID_PREFIX = 'text-';
/** The ids that footnotes get, without those of headings. */
export const FOOTNOTE_ID = /^text-fn(?:ref)?-\d{1,5}(?:-\d{1,5})?$/;

interface Footnote {
  readonly tokens: Token[];
  /** From 1, in the order of the first references; 0: not referred to. */
  number: number;
  references: number;
}

/** The footnotes of one text. */
export class Footnotes {
  readonly #byLabel = new Map<string, Footnote>();
  readonly #numbered: Footnote[] = [];
  #isInDefinition = false;

  /** @param continuesParagraph whether a line would continue a paragraph in the line before */
  extension(continuesParagraph: (line: string) => boolean): MarkedExtension {
    const footnotes = this;
    return {
      extensions: [
        {
          name: 'footnoteDefinition',
          level: 'block',
          tokenizer(src) {
            const [start, label = ''] = DEFINITION.exec(src) ?? [];
            // A definition in a definition is text: otherwise, definitions could be nested deeper than the stack.
            if (start === undefined || footnotes.#isInDefinition) return undefined;
            const { raw, content } = readDefinition(src, start.length, continuesParagraph);
            const wasTop = this.lexer.state.top;
            footnotes.#isInDefinition = true;
            this.lexer.state.top = true;
            const tokens = this.lexer.blockTokens(content, []);
            this.lexer.state.top = wasTop;
            footnotes.#isInDefinition = false;
            // Of several definitions of a label, the first one applies.
            const key = normalizeLabel(label);
            if (!footnotes.#byLabel.has(key)) footnotes.#byLabel.set(key, { tokens, number: 0, references: 0 });
            return { type: 'footnoteDefinition', raw };
          },
          renderer: () => '',
        },
        {
          name: 'footnoteReference',
          level: 'inline',
          tokenizer(src) {
            const [raw, label = ''] = REFERENCE.exec(src) ?? [];
            const footnote = footnotes.#byLabel.get(normalizeLabel(label));
            // A link cannot contain another one.
            if (raw === undefined || !footnote || this.lexer.state.inLink) return undefined;
            return { type: 'footnoteReference', raw, footnote };
          },
          renderer: ({ footnote }: Tokens.Generic) => this.#refer(footnote as Footnote),
        },
      ],
      tokenizer: {
        // Not a definition of a link with the label `^1`.
        def: (src) => (DEFINITION.test(src) ? undefined : false),
      },
    };
  }

  /** The section at the end; empty without references. Call after the text has been rendered, since that determines the order. */
  section(parser: Parser): string {
    let items = '';
    // Notes can refer to further ones, which are appended.
    for (const footnote of this.#numbered) {
      const note = parser.parse(footnote.tokens).trimEnd();
      const isParagraph = note.endsWith('</p>');
      const back = Array.from({ length: footnote.references }, (_, index) => backReference(footnote, index + 1)).join(
        '',
      );
      const body = isParagraph ? `${note.slice(0, -'</p>'.length)}${back}</p>` : `${note}${back}`;
      items += `<li id="${ID_PREFIX}fn-${footnote.number}">\n${body}\n</li>\n`;
    }
    return items && `<section class="footnotes" role="doc-endnotes">\n<ol>\n${items}</ol>\n</section>\n`;
  }

  #refer(footnote: Footnote): string {
    if (footnote.number === 0) footnote.number = this.#numbered.push(footnote);
    footnote.references++;
    const { number, references } = footnote;
    const id = referenceId(number, references);
    return `<sup><a href="#${ID_PREFIX}fn-${number}" id="${id}" role="doc-noteref">${number}</a></sup>`;
  }
}

/** With the variation selector, without which some devices show an emoji. */
function backReference({ number }: Footnote, reference: number): string {
  const label = reference === 1 ? '' : `<sup>${reference}</sup>`;
  return ` <a href="#${referenceId(number, reference)}" role="doc-backlink">↩\ufe0e${label}</a>`;
}

function referenceId(number: number, reference: number): string {
  return `${ID_PREFIX}fnref-${number}${reference === 1 ? '' : `-${reference}`}`;
}

function normalizeLabel(label: string): string {
  return label.normalize('NFC').toLowerCase();
}

/** Indented lines after the first one, also after blank ones, and lines that continue the first paragraph. */
function readDefinition(
  src: string,
  start: number,
  continuesParagraph: (line: string) => boolean,
): { raw: string; content: string } {
  const firstEnd = endOfLine(src, start);
  const lines = [src.slice(start, firstEnd)];
  let end = firstEnd;
  let blank = 0;
  let isFirstParagraph = true;
  while (end < src.length) {
    const lineEnd = endOfLine(src, end + 1);
    const line = src.slice(end + 1, lineEnd);
    if (line.trim() === '') {
      blank++;
      isFirstParagraph = false;
    } else {
      if (!INDENT.test(line) && !(isFirstParagraph && continuesParagraph(line))) break;
      lines.push(...Array<string>(blank).fill(''), line.replace(INDENT, ''));
      blank = 0;
    }
    end = lineEnd;
  }
  // Blank lines after the definition do not belong to it, except for the end of its last line.
  return { raw: src.slice(0, Math.min(end + 1, src.length)), content: lines.join('\n') };
}

function endOfLine(src: string, from: number): number {
  const end = src.indexOf('\n', from);
  return end < 0 ? src.length : end;
}
