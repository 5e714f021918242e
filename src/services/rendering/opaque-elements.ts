/** Elements of HTML in Markdown whose content browsers do not parse, or show from another address. Articles have links or nothing in place of them. */
import { EMBEDDING_ELEMENTS, OPAQUE_ELEMENTS } from '../../models/article/text.js';

/** Their text is visible in browsers. */
const SHOWN = new Set(['textarea', 'xmp', 'plaintext']);

/** A comment, or a tag with its attributes. Each match ends before the next `<` that is outside of a comment. */
const START = new RegExp(
  `<!--(?:[\\s\\S]*?-->|[\\s\\S]*)|<(/?)(?:(${OPAQUE_ELEMENTS})|(${EMBEDDING_ELEMENTS}))(?=[\\s/>]|$)(?:[^<>"']|"[^"<]*"|'[^'<]*')*[^<>]*>?`,
  'gi',
);

/** Without those of other schemes, such as `about:blank`. */
const ADDRESS =
  /\s(?:data-)?(?:src|data)\s*=\s*(?=(?:["']\s*)?(?:https?:|(?![a-z][a-z0-9+.-]*:)[^\s"'<>]))(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>]+))/i;

const ONLY_LINKS = /^\s*(?:<a href="[^"]*">[^<]*<\/a>\s*)+$/;

/**
 * Embedded pages and media become links; scripts, styles and others are left out with their content. A tag whose element has no end
 * stays, as text (GFM 6.11): the mention of one would hide the rest of an article. Runs in linear time.
 * @param html not sanitized, in which code has no `<`
 */
export function replaceOpaque(html: string): string {
  return replaceElements(html, true);
}

/** As `replaceOpaque` for a part of a text: the elements can end in a later part. */
export function replaceOpaqueInBlock(html: string): string {
  const replaced = replaceElements(html, false);
  return replaced !== html && ONLY_LINKS.test(replaced) ? `<p>${replaced.trim()}</p>\n` : replaced;
}

function replaceElements(html: string, isWhole: boolean): string {
  const unclosed = new Set<string>();
  let result = '';
  let at = 0;
  const start = new RegExp(START);
  for (let match = start.exec(html); match; match = start.exec(html)) {
    const [tag, slash, opaque, embedding] = match;
    const name = (opaque ?? embedding ?? '').toLowerCase();
    const isEmpty = name === 'embed' || (embedding !== undefined && tag.endsWith('/>'));
    const isStart = slash === '' && !isEmpty && !unclosed.has(name);
    const end = isStart ? findEnd(html, name, start.lastIndex) : null;
    if (isStart && !end) unclosed.add(name);
    result += html.slice(at, match.index);
    if (end) result += replacement(name, html.slice(match.index, end.index), tag.length);
    else if (embedding && slash === '' && (isEmpty || isWhole)) result += replacement(name, tag, tag.length);
    else result += opaque && isWhole ? `&lt;${tag.slice(1)}` : tag;
    at = end ? end.index + end[0].length : start.lastIndex;
    start.lastIndex = at;
  }
  return result + html.slice(at);
}

function findEnd(html: string, name: string, from: number): RegExpExecArray | null {
  const end = new RegExp(`</${name}(?=[\\s/>])[^<>]*>?`, 'gi');
  end.lastIndex = from;
  return end.exec(html);
}

/** @param element without its end tag */
function replacement(name: string, element: string, tagLength: number): string {
  if (SHOWN.has(name)) return `<pre>${element.slice(tagLength).replaceAll('<', '&lt;')}</pre>`;
  if (!EMBEDDING.test(name)) return '';
  const [, double, single, unquoted] = ADDRESS.exec(element) ?? [];
  const found = (double ?? single ?? unquoted ?? '').trim().replaceAll('"', '&quot;');
  if (found === '') return name === 'iframe' ? '' : replaceElements(element.slice(tagLength), true);
  const address = found.replace(/^\/\/(?=[^/])/, 'https://');
  return ` <a href="${address}">${address}</a> `;
}

const EMBEDDING = new RegExp(`^(?:${EMBEDDING_ELEMENTS})$`);
