/** What HTML of another product has that articles cannot contain, for the report. */
import type { Reduction } from './source.js';

const EMBEDDED = /<(?:iframe|video|audio|embed|object)\b[^<>]*?(?:\s(?:src|data)\s*=\s*["']?([^\s"'<>]+)|>)/gi;
const LOST: [pattern: RegExp, reason: string][] = [
  [/<(?:script|style|svg|math|canvas)\b/gi, 'scripts, styles and drawings in HTML: left out'],
  [/<(?:form|button|select|textarea)\b/gi, 'forms in HTML: left out, except for their texts'],
  [
    /<a\b[^<>]*\shref\s*=\s*["']?#/gi,
    'links within an article: they lead to its beginning, since articles have no anchors',
  ],
  [/<img\b[^<>]*\ssrc\s*=\s*["']?data:/gi, 'images inside of the text (data: addresses): left out'],
];

export function htmlLosses(html: string): Reduction[] {
  const embedded = [...html.matchAll(EMBEDDED)].map(([, detail]) => ({
    reason: 'embedded pages and media: now links',
    ...(detail !== undefined && { detail }),
  }));
  const others = LOST.map(([pattern, reason]) => ({ reason, count: [...html.matchAll(pattern)].length }));
  return [...embedded, ...others.filter(({ count }) => count > 0)];
}
