/** What a text of another product has that articles cannot contain, for the report. */
import { ALLOWED } from '../services/rendering/render-worker.js';
import type { DecodedText } from './input/decode-text.js';
import type { LeftOut, Reduction } from './source.js';

const EMBEDDED = /<(?:iframe|video|audio|embed|object)\b[^<>]*?(?:\s(?:src|data)\s*=\s*["']?([^\s"'<>]+)|>)/gi;
export const NOW_LINKS = 'embedded pages and media: now links';
const LOST: [pattern: RegExp, reason: string][] = [
  [/<(?:script|style|svg|math|canvas)\b/gi, 'scripts, styles and drawings in HTML: left out'],
  [/<(?:form|button|select|textarea)\b/gi, 'forms in HTML: left out, except for their texts'],
  [
    /<a\b[^<>]*\shref\s*=\s*["']?#/gi,
    'links within an article: they lead only to headings with this name, since articles have no other anchors',
  ],
  [
    new RegExp(
      String.raw`(?:<a\b[^<>]*?\shref\s*=\s*["']?|\]\()[ \t]*(?!(?:${ALLOWED.allowedSchemes.join('|')}):)[a-z][a-z0-9+.-]*:`,
      'gi',
    ),
    `links to addresses other than ${ALLOWED.allowedSchemes.join(', ')}: only their texts stay`,
  ],
  [/<(?:abbr|acronym)\b[^<>]*\stitle\b/gi, 'abbreviations: their explanations are left out'],
  [/<img\b[^<>]*\ssrc\s*=\s*["']?data:/gi, 'images inside of the text (data: addresses): left out'],
];

/** Embedded pages and media, whose content is on another host, each with its address. */
export function embedsIn(html: string, reason = NOW_LINKS): Reduction[] {
  return [...html.matchAll(EMBEDDED)].map(([, detail]) => ({
    reason,
    ...(detail !== undefined && { detail: detail.slice(0, 200) }),
  }));
}

export function htmlLosses(html: string): Reduction[] {
  return [...embedsIn(html), ...contentLosses(html)];
}

/** Without embedded pages and media. */
export function contentLosses(html: string): Reduction[] {
  const losses = LOST.map(([pattern, reason]) => ({ reason, count: [...html.matchAll(pattern)].length }));
  return losses.filter(({ count }) => count > 0);
}

export const TOO_COMPLEX = 'texts that are too long or too deeply nested to be converted';

/** A conversion that needs more memory than it has, such as the stack of a regular expression, fails for this text only. */
export function unlessTooComplex<Item>(place: string, convert: () => Item): Item | LeftOut {
  try {
    return convert();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { kind: 'left out', place, reason: TOO_COMPLEX };
  }
}

/** Nothing says that a text is in Windows-1252: each byte is a character of it. */
export function encodingLosses({ text, encoding, replaced }: DecodedText): Reduction[] {
  if (encoding === 'windows-1252')
    return [{ reason: 'texts that are neither Unicode nor EUC-KR: read as Windows-1252' }];
  const losses = [
    { reason: `characters that are invalid in ${encoding}: now �`, count: replaced },
    { reason: 'NUL characters, which articles cannot contain: left out', count: text.split('\0').length - 1 },
  ];
  return losses.filter(({ count }) => count > 0);
}
