/** Converts an article's Markdown to sanitized HTML and its visible text, in a worker thread. */
import { parentPort } from 'node:worker_threads';
import { Marked } from 'marked';
import sanitizeHtml from 'sanitize-html';
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

const marked = new Marked({ gfm: true, async: false });

/** Allowlist: all other tags and attributes are removed; scripts and styles together with their content. */
export const ALLOWED = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'pre', 'ul', 'ol', 'li', 'dl', 'dt', 'dd'],
    ...['a', 'img', 'strong', 'b', 'em', 'i', 'u', 's', 'del', 'ins', 'mark', 'small', 'sub', 'sup', 'code', 'kbd'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'figure', 'figcaption', 'details', 'summary', 'input'],
  ],
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    img: ['src', 'alt', 'title', 'width', 'height', 'loading'],
    th: ['align', 'colspan', 'rowspan'],
    td: ['align', 'colspan', 'rowspan'],
    ol: ['start'],
    input: ['type', 'checked', 'disabled'],
  },
  allowedClasses: { code: ['language-*'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  transformTags: {
    // `noopener` protects the opening page from linked pages (reverse tabnabbing), `nofollow` prevents link spam for SEO.
    a: sanitizeHtml.simpleTransform('a', { rel: 'nofollow noopener noreferrer' }),
    img: sanitizeHtml.simpleTransform('img', { loading: 'lazy' }),
    input: (tagName, { type = '', checked }) => ({
      tagName,
      attribs: { type: type.toLowerCase(), ...(checked !== undefined && { checked: '' }), disabled: '' },
    }),
  },
  // Of the form elements, only the checkboxes of task lists remain, which readers cannot change.
  exclusiveFilter: ({ tag, attribs }) => tag === 'input' && attribs.type !== 'checkbox',
} satisfies sanitizeHtml.IOptions;

/**
 * HTML in the Markdown is kept as far as the allowlist permits.
 * @throws RangeError where the HTML has more than `maxLength` characters, or the content is nested deeper than the stack
 */
export function renderHtml(content: string, maxLength: number): string {
  const html = withinLength(marked.parse(content) as string, maxLength);
  return withinLength(sanitizeHtml(html, ALLOWED), maxLength);
}

function withinLength(html: string, maxLength: number): string {
  if (html.length > maxLength)
    throw new RangeError(`expected at most ${maxLength} characters of HTML, got ${html.length}`);
  return html;
}

/** @returns null where the content is nested too deeply, or its HTML is too long */
function attempt({ content, html: current, maxLength }: RenderTask): Rendering | null {
  try {
    const html = current ?? renderHtml(content, maxLength);
    return { html, text: visibleText(html), mentioned: mentionedInHtml(html) };
  } catch {
    return null;
  }
}

// As a worker: `ready` after loading, then a rendering or null for each message.
parentPort?.on('message', (task: RenderTask) => parentPort?.postMessage(attempt(task)));
parentPort?.postMessage('ready');
