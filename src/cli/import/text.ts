/** Texts of an export as the journal keeps them. */
import sax from 'sax';

/** The names that HTML has for characters; the parser brings the table. */
const { ENTITIES } = sax as unknown as { ENTITIES: Record<string, string> };

/** Text of any number of lines: NFC, lines ended by LF, no control characters beside the tab. */
export function cleanText(raw: string): string {
  return raw
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .normalize('NFC');
}

/**
 * One line as a reader of the blog sees it. WordPress keeps titles and names as HTML: formatting is taken off, entities
 * become their characters.
 */
export function plainLine(raw: string): string {
  const bare = raw.replace(/<[a-z/!][^<>]*>/gi, '');
  const visible = /\S/.test(bare) ? bare : raw;
  return decodeEntities(visible)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .normalize('NFC');
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z][a-z0-9]{1,30}));/gi, (entity, hex, decimal, name) => {
    if (name !== undefined) return Object.hasOwn(ENTITIES, name) ? String(ENTITIES[name]) : entity;
    const codePoint = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const isCharacter = codePoint > 0 && codePoint <= 0x10ffff && (codePoint < 0xd800 || codePoint > 0xdfff);
    return isCharacter ? String.fromCodePoint(codePoint) : entity;
  });
}

/** Takes off the comments by which WordPress' editor marks its blocks; other comments stay. */
export function withoutBlockMarks(html: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let start = html.indexOf('<!--'); start !== -1; start = html.indexOf('<!--', start)) {
    const end = html.indexOf('-->', start + 4);
    if (end === -1) break;
    if (/^<!--\s+\/?wp:/.test(html.slice(start, start + 20))) {
      kept.push(html.slice(from, start));
      // The mark's line goes with it.
      from = html.startsWith('\n', end + 3) ? end + 4 : end + 3;
    }
    start = end + 3;
  }
  return kept.length === 0 ? html : (kept.join('') + html.slice(from)).trim();
}

/** The text itself, or as much of it as fits with an ellipsis in `limit` code points, cut between characters as seen. */
export function shorten(text: string, limit: number): string {
  const end = offsetOf(text, limit);
  if (end === text.length) return text;
  const last = offsetOf(text, limit - 1);
  // A window is enough to find the character that would be cut apart, and does not walk through the whole text.
  const from = Math.max(0, last - 100);
  const seen = new Intl.Segmenter().segment(text.slice(from, last + 100)).containing(last - from);
  const boundary = from + (seen?.index ?? 0);
  return `${text.slice(0, boundary > from ? boundary : last).trimEnd()}…`;
}

/** Shortens HTML without leaving half a tag at its end. */
export function shortenHtml(html: string, limit: number): string {
  const short = shorten(html, limit);
  if (short === html) return html;
  const opened = short.lastIndexOf('<');
  return opened > short.lastIndexOf('>') && /^<[a-z/!]/i.test(short.slice(opened)) && opened > 0
    ? `${short.slice(0, opened).trimEnd()}…`
    : short;
}

/** Where in UTF-16 units the first `count` code points end. */
function offsetOf(text: string, count: number): number {
  if (text.length <= count) return text.length;
  let offset = 0;
  for (let left = count; left > 0 && offset < text.length; left--) {
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return offset;
}
