/** Converts an article's Markdown to sanitized HTML and its visible text, in a worker thread. */
import { parentPort } from 'node:worker_threads';
import sanitizeHtml from 'sanitize-html';
import { threadMs } from '../../platform/concurrency/thread-time.js';
import { FOOTNOTE_ID } from './footnotes.js';
import { addIds } from './ids.js';
import { markdownToHtml } from './markdown.js';
import { mentionedInHtml } from './mentions.js';
import { visibleText } from './visible-text.js';

export interface RenderTask {
  readonly content: string;
  /** The current HTML of the content, if only its text is needed. */
  readonly html: string | null;
  /** Maximum length of the HTML, in UTF-16 code units. */
  readonly maxLength: number;
}

export interface Rendering {
  readonly html: string;
  /** Lines as `models/article/text.ts` describes them. */
  readonly text: string;
  /** The names of members that it mentions, in order. */
  readonly mentioned: readonly string[];
}

/** What the thread returns. */
export interface Rendered {
  /** Null past a limit. */
  readonly rendering: Rendering | null;
  /** Processor time in milliseconds. */
  readonly ms: number;
}

/** Targets that at most open a program with which the reader continues: of the schemes that HTML lists as safe for handlers, those in texts of people. */
const LINK_SCHEMES = ['http', 'https', 'mailto', 'tel', 'sms', 'geo', 'xmpp', 'irc', 'ircs', 'ftp', 'webcal', 'magnet'];

const STRUCK_OUT = /(?:^|;)\s*text-decoration(?:-line)?\s*:[^;]*\bline-through\b/i;

/** Elements that are blocks like `<div>`, without which the words of two of them would be one. */
const LIKE_DIV = (
  'address article aside body center dialog dir fieldset footer form header hgroup legend main menu nav optgroup option ' +
  'search'
).split(' ');

/** Numberings of lists, as styles name them and as attributes do. */
const LIST_TYPES: Readonly<Record<string, string>> = {
  'lower-alpha': 'a',
  'lower-latin': 'a',
  'upper-alpha': 'A',
  'upper-latin': 'A',
  'lower-roman': 'i',
  'upper-roman': 'I',
};
const LIST_STYLE = /(?:^|;)\s*list-style(?:-type)?\s*:[^;]*?\b((?:lower|upper)-(?:alpha|latin|roman))\b/i;

/** With the numbering that its style has. */
function toOrderedList(tagName: string, attribs: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const type = LIST_TYPES[LIST_STYLE.exec(attribs.style ?? '')?.[1]?.toLowerCase() ?? ''];
  return { tagName, attribs: { ...attribs, ...(type && { type }) } };
}

/** Allowlist: all other tags and attributes are removed; scripts and styles together with their content. */
export const ALLOWED = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'pre', 'ul', 'ol', 'li', 'dl', 'dt', 'dd'],
    ...[
      'a',
      'img',
      'strong',
      'b',
      'em',
      'i',
      'u',
      's',
      'del',
      'ins',
      'mark',
      'small',
      'sub',
      'sup',
      'code',
      'kbd',
      'q',
    ],
    ...['ruby', 'rb', 'rt', 'rp'],
    ...[
      'table',
      'thead',
      'tbody',
      'tr',
      'th',
      'td',
      'figure',
      'figcaption',
      'details',
      'summary',
      'input',
      'section',
      'div',
    ],
  ],
  allowedAttributes: {
    a: ['href', 'title', 'rel', 'id', 'role'],
    li: ['id', 'value'],
    section: ['class', 'role'],
    img: ['src', 'alt', 'title', 'width', 'height', 'loading'],
    th: ['align', 'colspan', 'rowspan'],
    td: ['align', 'colspan', 'rowspan'],
    ol: ['start', 'type', 'reversed'],
    input: ['type', 'checked', 'disabled'],
  },
  allowedClasses: { code: ['language-*'] },
  allowedSchemes: LINK_SCHEMES,
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  transformTags: {
    // `noopener` protects the opening page from linked pages (reverse tabnabbing), `nofollow` prevents link spam for SEO.
    a: (tagName, { role = '', ...attribs }) => ({
      tagName,
      attribs: {
        ...withoutOtherIds(withProtocol(attribs, 'href')),
        ...(isFootnoteLink(role, attribs.href) ? { role } : { rel: 'nofollow noopener noreferrer' }),
      },
    }),
    img: (tagName, attribs) => ({ tagName, attribs: { ...withProtocol(attribs, 'src'), loading: 'lazy' } }),
    li: (tagName, attribs) => ({ tagName, attribs: withoutOtherIds(attribs) }),
    ol: toOrderedList,
    ...Object.fromEntries(LIKE_DIV.map((name) => [name, sanitizeHtml.simpleTransform('div', {}, false)])),
    // Of footnotes.
    section: (tagName, { role = '' }): sanitizeHtml.Tag =>
      role === 'doc-endnotes' ? { tagName, attribs: { class: 'footnotes', role } } : { tagName: 'div', attribs: {} },
    strike: sanitizeHtml.simpleTransform('s', {}),
    span: (tagName, { style = '' }) => ({ tagName: STRUCK_OUT.test(style) ? 's' : tagName, attribs: {} }),
    input: (tagName, { type = '', checked }) => ({
      tagName,
      attribs: { type: type.toLowerCase(), ...(checked !== undefined && { checked: '' }), disabled: '' },
    }),
  },
  // Of the form elements, only the checkboxes of task lists remain, which readers cannot change.
  exclusiveFilter: ({ tag, attribs }) => tag === 'input' && attribs.type !== 'checkbox',
} satisfies sanitizeHtml.IOptions;

/** Browsers show the text of options, which sanitize-html discards otherwise. */
const RENDERED: sanitizeHtml.IOptions = { ...ALLOWED, nonTextTags: ['script', 'style', 'textarea', 'xmp'] };

/** As `footnotes.ts` writes them. */
function isFootnoteLink(role: string, address = ''): boolean {
  return (
    ['doc-noteref', 'doc-backlink'].includes(role) && address.startsWith('#') && FOOTNOTE_ID.test(address.slice(1))
  );
}

/** An address without a protocol has that of the page, which is HTTPS, but none in a file or an e-mail. */
function withProtocol(attribs: sanitizeHtml.Attributes, name: string): sanitizeHtml.Attributes {
  const address = attribs[name];
  return address === undefined ? attribs : { ...attribs, [name]: address.replace(/^\s*\/\/(?=[^/\\])/, 'https://') };
}

function withoutOtherIds({ id = '', ...attribs }: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  return FOOTNOTE_ID.test(id) ? { ...attribs, id } : attribs;
}

/**
 * HTML in the Markdown is kept as far as the allowlist permits.
 * @throws RangeError where the HTML has more than `maxLength` characters, or the content is nested deeper than the stack
 */
export function renderHtml(content: string, maxLength: number): string {
  const html = withinLength(markdownToHtml(content), maxLength);
  return withinLength(sanitizeHtml(html, RENDERED), maxLength);
}

/**
 * As `renderHtml`, with the ids of headings.
 * @throws RangeError as `renderHtml`
 */
export function renderArticle(content: string, maxLength: number): string {
  return withinLength(addIds(renderHtml(content, maxLength)), maxLength);
}

function withinLength(html: string, maxLength: number): string {
  if (html.length > maxLength)
    throw new RangeError(`expected at most ${maxLength} characters of HTML, got ${html.length}`);
  return html;
}

/** @returns null where the content is nested too deeply, or its HTML is too long */
function attempt({ content, html: current, maxLength }: RenderTask): Rendering | null {
  try {
    const html = current ?? renderArticle(content, maxLength);
    return { html, text: visibleText(html), mentioned: mentionedInHtml(html) };
  } catch {
    return null;
  }
}

function measured(task: RenderTask): Rendered {
  const startedAt = threadMs();
  const rendering = attempt(task);
  return { rendering, ms: threadMs() - startedAt };
}

// As a worker: `ready` after loading, then a result for each message.
parentPort?.on('message', (task: RenderTask) => parentPort?.postMessage(measured(task)));
parentPort?.postMessage('ready');
