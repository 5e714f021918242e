/**
 * The paragraphs and line breaks of WordPress (`wpautop`, developer.wordpress.org/reference/functions/wpautop): empty lines end
 * paragraphs, other line ends are line breaks, and elements that are blocks stay as they are.
 */
import { LINES, type Markup, TagScanner, VOID } from './tags.js';

/** Their content is not changed. */
const WHOLE: ReadonlySet<string> = new Set(
  'pre script style svg math canvas iframe video audio object select textarea'.split(' '),
);
/** Elements that have paragraphs, beside the text itself. */
const FLOW = new Set(
  'address article aside blockquote center dialog div fieldset footer form header hgroup main nav search section'.split(
    ' ',
  ),
);
/** Elements that have a text, or paragraphs if there are several. */
const MIXED = new Set('dd details figure li td th'.split(' '));
/** Of open inline elements, which are repeated in each paragraph. */
const MAX_REPEATED = 20;

/** @returns HTML in which line ends have no meaning outside of `pre` */
export function withParagraphs(text: string): string {
  const paragraphs = new Paragraphs();
  const scanner = new TagScanner(text, WHOLE);
  let from = 0;
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at)) {
    const markup = scanner.at(at);
    if (markup === null) {
      paragraphs.addText(`${text.slice(from, at)}&lt;`);
      at++;
      from = at;
      continue;
    }
    paragraphs.addText(text.slice(from, at));
    paragraphs.addMarkup(text.slice(at, markup.end), markup);
    at = markup.end;
    from = at;
  }
  paragraphs.addText(text.slice(from));
  return paragraphs.end();
}

interface OpenBlock {
  name: string;
  paragraphs: number;
}

class Paragraphs {
  readonly #html: string[] = [];
  readonly #blocks: OpenBlock[] = [{ name: '', paragraphs: 0 }];
  readonly #openNames = new Map<string, number>();
  /** Open inline elements. */
  #inline: { name: string; tag: string }[] = [];
  /** Inline elements that were opened around blocks. */
  readonly #around: string[] = [];
  #line: string[] = [];
  #hasContent = false;
  /** A line break that is written before further content. */
  #break: '' | 'tag' | 'line end' = '';

  addText(text: string): void {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) this.#endLine();
      if (/[^ \t\f]/.test(part)) this.#addContent(part);
      else if (part !== '' && this.#hasContent && this.#break === '') this.#line.push(' ');
    }
  }

  addMarkup(tag: string, { name, isEnd, isWhole }: Markup): void {
    if (name === '') return;
    if (name === 'br') this.#addBreak();
    else if (name === 'p') this.#endParagraph(true);
    else if (isWhole && name === 'pre') this.#addBlock(tag);
    else if (isWhole) this.#addContent(tag);
    else if (LINES.has(name)) this.#addBlockTag(tag, name, isEnd);
    else if (isEnd) this.#close(tag, name);
    else if (VOID.has(name)) this.#addContent(tag);
    else if (WHOLE.has(name)) this.#addContent(`${tag}</${name}>`);
    else this.#open(tag, name);
  }

  end(): string {
    this.#endParagraph(false);
    return this.#html.join('');
  }

  #addContent(html: string): void {
    this.#writeBreak();
    this.#line.push(html);
    this.#hasContent = true;
  }

  #writeBreak(): void {
    if (this.#break !== '') this.#line.push('<br>');
    this.#break = '';
  }

  #endLine(): void {
    if (this.#break === 'line end') this.#endParagraph(true);
    else if (this.#hasContent) this.#break = 'line end';
  }

  #addBreak(): void {
    if (this.#break !== '') this.#endParagraph(true);
    else if (this.#hasContent) this.#break = 'tag';
  }

  #open(tag: string, name: string): void {
    this.#writeBreak();
    this.#line.push(tag);
    if (this.#inline.length < MAX_REPEATED) this.#inline.push({ name, tag });
  }

  #close(tag: string, name: string): void {
    const at = this.#inline.findLastIndex((open) => open.name === name);
    if (at !== -1) {
      this.#inline.splice(at, 1);
      this.#line.push(tag);
    } else if (this.#around.at(-1) === name) {
      this.#endParagraph(false);
      this.#around.pop();
      this.#html.push(tag);
    }
  }

  #addBlock(html: string): void {
    this.#endBlock();
    this.#html.push(html);
  }

  #addBlockTag(tag: string, name: string, isEnd: boolean): void {
    this.#endBlock();
    if (isEnd && !this.#closeBlock(name)) return;
    this.#html.push(isEnd && name !== 'figcaption' ? `${tag}\n` : tag);
    if (isEnd || VOID.has(name)) return;
    this.#blocks.push({ name, paragraphs: 0 });
    this.#openNames.set(name, (this.#openNames.get(name) ?? 0) + 1);
  }

  /** @returns whether it was open */
  #closeBlock(name: string): boolean {
    if (!this.#openNames.get(name)) return false;
    for (let closed = this.#blocks.pop(); closed; closed = this.#blocks.pop()) {
      this.#openNames.set(closed.name, (this.#openNames.get(closed.name) ?? 1) - 1);
      if (closed.name === name) return true;
    }
    return false;
  }

  /** Inline elements that have no content yet are around the block, such as a link around a picture with its caption. */
  #endBlock(): void {
    this.#endParagraph(false);
    if (this.#inline.length === 0) return;
    this.#html.push(this.#line.join(''));
    this.#around.push(...this.#inline.map(({ name }) => name));
    this.#inline = [];
    this.#line = [];
  }

  /** @param isParagraph whether it is one also where it could be the only text of its element */
  #endParagraph(isParagraph: boolean): void {
    this.#break = '';
    if (!this.#hasContent) return;
    const ends = this.#inline.map(({ name }) => `</${name}>`).reverse();
    this.#write([...this.#line, ...ends].join('').trim(), isParagraph);
    this.#line = this.#inline.map(({ tag }) => tag);
    this.#hasContent = false;
  }

  #write(html: string, isParagraph: boolean): void {
    const parent = this.#blocks.at(-1);
    if (!parent) return;
    const isFurther = parent.paragraphs++ > 0;
    const hasParagraphs = parent.name === '' || FLOW.has(parent.name);
    if (hasParagraphs || (MIXED.has(parent.name) && (isParagraph || isFurther))) this.#html.push(`<p>${html}</p>`);
    else this.#html.push(isFurther ? `<br>${html}` : html);
  }
}
