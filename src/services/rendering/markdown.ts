/** Converts Markdown to HTML, which is not sanitized yet: GFM with footnotes, in which only two tildes strike out. */
import { Lexer, Marked, type MarkedExtension, Parser, Tokenizer } from 'marked';
import { DEFINITION_START, Footnotes } from './footnotes.js';
import { replaceOpaque, replaceOpaqueInBlock } from './opaque-elements.js';

const renderer: MarkedExtension['renderer'] = {
  html: ({ text, block }) => (block ? replaceOpaqueInBlock(text) : text),
  // marked does not escape the text between inline tags such as `<kbd>`, which is Markdown as elsewhere.
  text: (token) => ('escaped' in token && token.escaped ? token.text.replaceAll('<', '&lt;') : false),
};

/** An element that begins in a paragraph, a heading or a cell ends there, or is a mention. */
class ArticleParser extends Parser {
  override parseInline(...[tokens, renderer]: Parameters<Parser['parseInline']>): string {
    const html = super.parseInline(tokens, renderer);
    // With another renderer, it is the alternative text of an image.
    return !renderer && tokens.some(({ type }) => type === 'html') ? replaceOpaque(html) : html;
  }
}

const tokenizer: MarkedExtension['tokenizer'] = {
  // marked has this rule for paragraphs, but not for the text of list items: a tag alone in a line does not interrupt them (CommonMark 4.6).
  html(src) {
    const isInText = this.lexer.state.lastToken?.type === 'text';
    return isInText && !RULES.other.htmlBeginRegex(4).test(src) ? undefined : false;
  },
  // GFM recognizes addresses in the text whose references are resolved: `&amp;` in one is `&`.
  url(src) {
    const token = Tokenizer.prototype.url.call(this, src);
    if (!token) return undefined;
    const resolve = (text: string) => text.replace(/&(?:amp|#0*38|#x0*26);/gi, '&');
    return { ...token, text: resolve(token.text), href: resolve(token.href) };
  },
};

type Rules = Tokenizer['rules'];

const RULES = adaptRules();

/** The rules of marked. Only `~~` strikes out, and where a block quote interrupts a paragraph, the definition of a footnote does too. */
function adaptRules(): Rules {
  const options = { ...new Marked({ gfm: true }).defaults, tokenizer: new Tokenizer() };
  new Lexer(options);
  const { other, block, inline } = options.tokenizer.rules;
  const interrupting = (rule: RegExp) =>
    new RegExp(rule.source.replaceAll('| {0,3}>|', `| {0,3}>|${DEFINITION_START}|`), rule.flags);
  const quote = other.blockquoteBeginRegex;
  return {
    other: {
      ...other,
      blockquoteBeginRegex: (indent) => new RegExp(`${quote(indent).source}|^${DEFINITION_START}`),
    },
    block: {
      ...block,
      paragraph: interrupting(block.paragraph),
      blockquote: interrupting(block.blockquote),
      lheading: interrupting(block.lheading),
      table: interrupting(block.table),
    },
    inline: {
      ...inline,
      delLDelim: new RegExp(inline.delLDelim.source.replaceAll('~~?', '~~'), inline.delLDelim.flags),
      delRDelim: new RegExp(inline.delRDelim.source.replaceAll('~~?', '~~'), inline.delRDelim.flags),
    },
  };
}

function continuesParagraph(line: string): boolean {
  return RULES.block.paragraph.exec(`x\n${line}`)?.[0] !== 'x';
}

/** @throws Error where the content is nested deeper than the stack */
export function markdownToHtml(content: string): string {
  const footnotes = new Footnotes();
  const { defaults } = new Marked(
    { gfm: true, async: false, renderer, tokenizer },
    footnotes.extension(continuesParagraph),
  );
  const lexer = new Lexer(defaults);
  if (defaults.tokenizer) defaults.tokenizer.rules = RULES;
  const parser = new ArticleParser(defaults);
  const html = parser.parse(lexer.lex(content));
  return replaceOpaque(html + footnotes.section(parser));
}
