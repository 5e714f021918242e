/** Converts HTML to Markdown where articles show both alike; other blocks stay HTML. */
import sanitizeHtml from 'sanitize-html';
import { ALLOWED, renderHtml } from '../services/rendering/render-worker.js';
import { BLOCKS, EMBEDS, MARKS, normalize, toBlocks, WRAPPERS, withMarks } from './html-blocks.js';
import { parseHtml, toHtml } from './html-tree.js';
import { importLimit } from './limit.js';
import { markdownWriter } from './markdown-rules.js';
import { replaceParts } from './text.js';

const maxHtmlLength = importLimit({
  value: 200_000,
  unit: 'characters',
  about: 'Length of a text in HTML that an import converts to Markdown. Beyond it, the text stays HTML.',
});

const MAX_RENDERED_LENGTH = 2 * maxHtmlLength;

/** The sanitizer needs quadratic time for the depth of a text: for ten times as many, seconds. */
const MAX_OPEN_ELEMENTS = 2_000;

/** A block with more characters stays HTML: the parser of Markdown needs quadratic time for some texts. */
const MAX_BLOCK_LENGTH = 20_000;

/** What articles can contain, and what is converted to it. */
const CONVERTED: sanitizeHtml.IOptions = {
  ...ALLOWED,
  allowedTags: [...ALLOWED.allowedTags, ...WRAPPERS, ...EMBEDS, 'source', 'span'],
  allowedAttributes: {
    ...ALLOWED.allowedAttributes,
    // Ids and roles are those of footnotes in Markdown.
    a: ['href', 'title', 'rel'],
    li: ['value'],
    ...Object.fromEntries([...EMBEDS, 'source'].map((name) => [name, ['src', 'data']])),
    '*': [MARKS],
  },
  transformTags: { input: ALLOWED.transformTags.input, ol: ALLOWED.transformTags.ol },
};

/** Elements that articles do not have, and those that look like them. */
const SAME: Readonly<Record<string, string>> = {
  strike: 'del',
  tt: 'code',
  samp: 'code',
  cite: 'em',
  dfn: 'em',
  var: 'em',
  font: 'span',
};
const STYLES: [pattern: RegExp, mark: string, without: RegExp][] = [
  [/\btext-decoration(?:-line)?\s*:[^;]*\bline-through\b/i, 'del', /^(?:del|s|strike)$/],
  [/\bfont-weight\s*:\s*(?:bold|[6-9]00)/i, 'strong', /^(?:strong|b|th|h\d)$/],
  [/\bfont-style\s*:\s*(?:italic|oblique)/i, 'em', /^(?:em|i|cite|dfn|var)$/],
  [/\btext-decoration(?:-line)?\s*:[^;]*\bunderline\b/i, 'u', /^(?:u|ins|a)$/],
];

const LEFT_OUT = 'left-out';

/** With addresses that the blog had with https, or redirects to it; and with marks for what a style shows. */
function toTag(name: string, attributes: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const { style = '', ...others } = attributes;
  const named = Object.entries(others).map(([key, value]) => [key, value.replace(/^\/\/(?=[^/])/, 'https://')]);
  const marks = STYLES.filter(([pattern, , without]) => !without.test(name) && pattern.test(style));
  const marked = marks.length > 0 && { [MARKS]: marks.map(([, mark]) => mark).join(' ') };
  return { tagName: SAME[name] ?? name, attribs: { ...Object.fromEntries(named), ...marked } };
}

const WRITERS = [markdownWriter('asterisks'), markdownWriter('tags')];

interface Block {
  /** As Markdown does not change it. */
  html: string;
  /** As readers see it. */
  normal: string;
  text: string;
}

/**
 * The result is rendered like the HTML, block by block: its Markdown where a comparison of the sanitized HTML of both finds no
 * difference except for space that is not visible, else its HTML without what articles cannot contain. Embedded pages and media become links.
 * @param leftOut matches the `class` of elements that are not content
 */
export function htmlToMarkdown(html: string, leftOut?: RegExp): string {
  if (html.length > maxHtmlLength || openElements(html) > MAX_OPEN_ELEMENTS) return asHtmlBlock(html);
  const { exclusiveFilter } = ALLOWED;
  const clean = sanitizeHtml(html, {
    ...CONVERTED,
    transformTags: {
      ...CONVERTED.transformTags,
      '*': (name, attributes) =>
        leftOut?.test(attributes.class ?? '')
          ? { tagName: name, attribs: { [MARKS]: LEFT_OUT } }
          : toTag(name, attributes),
    },
    exclusiveFilter: (frame) => exclusiveFilter(frame) || frame.attribs[MARKS] === LEFT_OUT,
  });
  const nodes = parseHtml(clean);
  if (nodes === null) return asHtmlBlock(clean);
  const blocks = toBlocks(withMarks(nodes)).flatMap((block): Block[] => {
    const source = toHtml([block]);
    const normal = toHtml(normalize([block]));
    return normal === '' ? [] : [{ html: asHtmlBlock(source), normal, text: '' }];
  });
  for (const writer of WRITERS) {
    for (const block of blocks) if (block.text === '') block.text = toMarkdown(block, writer);
    const text = joined(blocks);
    if (isRendered(text, blocks.map(({ normal }) => normal).join(''))) return text;
    for (const block of blocks) if (!isRendered(block.text, block.normal)) block.text = '';
  }
  for (const block of blocks) if (block.text === '') block.text = block.html;
  const text = joined(blocks);
  if (isRendered(text, blocks.map(({ normal }) => normal).join(''))) return text;
  return blocks.map((block) => block.html).join('\n\n');
}

/** The maximum number at one place, with those that are never closed. */
function openElements(html: string): number {
  let open = 0;
  let maxOpen = 0;
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)/gi)) {
    if (slash === '/') open = Math.max(0, open - 1);
    else if (!/^(?:br|hr|img|input|source|wbr|meta|link)$/i.test(name)) open++;
    maxOpen = Math.max(maxOpen, open);
  }
  return maxOpen;
}

function toMarkdown({ html, normal }: Block, writer: (typeof WRITERS)[number]): string {
  return normal.length > MAX_BLOCK_LENGTH || /^<(?:figure|dl|details)\b/.test(normal) ? html : writer.turndown(normal);
}

/** With a comment between two lists of the same kind, which are one otherwise. */
function joined(blocks: readonly Block[]): string {
  const kinds = blocks.map(({ text }) => /^(?:- |\d+(?=\. ))/.exec(text)?.[0].replace(/\d+/, '1'));
  return blocks
    .map(({ text }, at) => (kinds[at] !== undefined && kinds[at] === kinds[at - 1] ? `<!-- -->\n\n${text}` : text))
    .join('\n\n');
}

function isRendered(markdown: string, normal: string): boolean {
  try {
    const nodes = parseHtml(renderHtml(markdown, MAX_RENDERED_LENGTH));
    return nodes !== null && toHtml(normalize(toBlocks(nodes))) === normal;
  } catch {
    return false;
  }
}

const EMPTY_LINE = /\n(?=[ \t\r\f]*\n)/g;

/** Without empty lines, which end HTML in Markdown. */
function asHtmlBlock(html: string): string {
  if (/^<pre[ >]/.test(html)) return html;
  const withLines = (code: string, [tag]: RegExpExecArray) => `${tag}${code.replace(EMPTY_LINE, '&#10;')}</pre>`;
  const text = replaceParts(html, /<pre[ >]/g, /<\/pre>/g, withLines)
    .replace(EMPTY_LINE, '')
    .trim();
  const [, name = ''] = /^<([a-z][a-z0-9]*)/.exec(text) ?? [];
  return BLOCKS.has(name) || text === '' ? text : `<div>${text}</div>`;
}
