/** Normalization of the texts and dates of a source for storage. */
import sax from 'sax';
import { truncate } from '../platform/text.js';

export { truncate as shorten };

/** HTML named entities, from the table of sax. */
const { ENTITIES } = sax as unknown as { ENTITIES: Record<string, string> };

/** As the API stores texts: NFC, without what PostgreSQL cannot store. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed().normalize('NFC');
}

/**
 * For a text that is kept: V8 stores a part of a text as a reference to the whole one, so that a title would keep the file of its article in memory.
 */
export function copyOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

/** UTF-16 units of HTML, whose text is at most a comment. */
const MAX_HTML_LENGTH = 20_000;

/** Tags of elements that begin and end a line. */
const LINE =
  /(?:<\/?(?:address|article|aside|caption|center|d[dlt]|details|figcaption|figure|footer|h[1-6]|header|hr|main|nav|section|summary|table|tr)\b[^<>]*>\s*)+/gi;

/** The visible text of HTML, such as that of a comment, with the addresses of links, the marks of lists and quotations, and `~~` around what is struck out. */
export function textOfHtml(html: string): string {
  const withLines = (code: string) => `${code.replaceAll('\n', '<br>')}</pre>`;
  const lines = replaceParts(html.slice(0, MAX_HTML_LENGTH), /<pre(?=[\s>])[^<>]*>/gi, /<\/pre\s*>/gi, withLines)
    .replace(/<!--[\s\S]*?-->|<(script|style)\b[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/\s+/g, ' ');
  const text = withAddresses(withListMarks(lines))
    .replace(/<q\b[^<>]*>/gi, '“')
    .replace(/<\/q\s*>/gi, '”')
    .replace(/<\/?(?:del|s|strike)(?=[\s>])[^<>]*>/gi, '~~')
    .replace(/<t[dh]\b[^<>]*>/gi, ' ')
    .replace(LINE, '\n')
    .replace(/<br\b[^<>]*>|<\/[uo]l\s*>/gi, '\n')
    .replace(/<\/?(?:p|div|blockquote|pre)(?=[\s>])[^<>]*>/gi, '\n\n')
    .replace(/<\/?[a-z][^<>]*>/gi, '');
  return decodeEntities(text)
    .replace(/ *\n */g, '\n')
    .replace(/ {2,}/g, ' ')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function withAddresses(html: string): string {
  const links = /<a\b[^<>]*?\shref\s*=\s*["']?([^\s"'<>]+)[^<>]*>/gi;
  return replaceParts(html, links, /<\/a\s*>/gi, (inner, [, address]) =>
    inner.trim() === address ? inner : `${inner} (${address})`,
  );
}

/** Numbers of ordered lists, and `-` of others. */
function withListMarks(html: string): string {
  const numbers: (number | null)[] = [];
  return html.replace(/<(\/?)(ol|ul|li)\b([^<>]*)>/gi, (tag, slash: string, name: string, attributes: string) => {
    if (name.toLowerCase() !== 'li') {
      if (!slash)
        numbers.push(/^ol$/i.test(name) ? Number(/\bstart\s*=\s*["']?(-?\d{1,9})/i.exec(attributes)?.[1] ?? 1) : null);
      else if (numbers.pop() !== undefined && numbers.length > 0) return '';
      return tag;
    }
    if (slash) return '';
    const number = numbers.at(-1) ?? null;
    if (number === null) return '\n- ';
    numbers[numbers.length - 1] = number + 1;
    return `\n${number}. `;
  });
}

/**
 * Replaces each part from a beginning until the next end. After an end is missing, nothing is searched, so that the time is linear.
 * @param begins and `ends` are global
 * @param replace receives what is between them, and the match of the beginning
 */
export function replaceParts(
  text: string,
  begins: RegExp,
  ends: RegExp,
  replace: (inner: string, begun: RegExpExecArray) => string,
): string {
  const parts: string[] = [];
  let from = 0;
  for (const begun of text.matchAll(begins)) {
    if (begun.index < from) continue;
    const inner = begun.index + begun[0].length;
    ends.lastIndex = inner;
    const ended = ends.exec(text);
    if (!ended) break;
    parts.push(text.slice(from, begun.index), replace(text.slice(inner, ended.index), begun));
    from = ended.index + ended[0].length;
  }
  return parts.join('') + text.slice(from);
}

/**
 * Words that stand for parts of a text while the rest of it is converted. No word of the text is one of them.
 * @param name that they begin with
 */
export function placeholders(text: string, name: string): { put(part: string): string; restore(text: string): string } {
  const used = new Set(Array.from(text.matchAll(new RegExp(`${name}(\\d+)`, 'g')), ([, number]) => number));
  let free = 0;
  while (used.has(`${free}`)) free++;
  const parts: string[] = [];
  const pattern = new RegExp(`${name}${free}x(\\d+)y`, 'g');
  return {
    put: (part) => `${name}${free}x${parts.push(part) - 1}y`,
    restore: (converted) => converted.replace(pattern, (_, index) => parts[Number(index)] ?? ''),
  };
}

/** Multi-line text: NFC, LF line endings, no control characters except the tab. */
export function cleanText(raw: string): string {
  return raw
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .normalize('NFC');
}

/**
 * One line of visible text. WordPress stores titles and names as HTML: tags are removed and entities decoded.
 * If nothing visible is left without the tags, they stay.
 */
export function plainLine(raw: string): string {
  const bare = raw.replace(/<[a-z/!][^<>]*>/gi, '');
  const visible = /\S/.test(bare) ? bare : raw;
  return decodeEntities(visible)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .normalize('NFC');
}

/** HTML entities as characters. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z][a-z0-9]{1,30}));/gi, (entity, hex, decimal, name) => {
    if (name !== undefined) return Object.hasOwn(ENTITIES, name) ? String(ENTITIES[name]) : entity;
    const codePoint = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const isCharacter = codePoint > 0 && codePoint <= 0x10ffff && (codePoint < 0xd800 || codePoint > 0xdfff);
    return isCharacter ? String.fromCodePoint(codePoint) : entity;
  });
}

/** Truncates HTML without an incomplete tag at its end. */
export function shortenHtml(html: string, limit: number): string {
  const short = truncate(html, limit);
  if (short === html) return html;
  const opened = short.lastIndexOf('<');
  return opened > short.lastIndexOf('>') && /^<[a-z/!]/i.test(short.slice(opened)) && opened > 0
    ? `${short.slice(0, opened).trimEnd()}…`
    : short;
}

/** Between the clocks of the source or of this machine, and that of the database: not worth a report. */
const CLOCK_DIFFERENCE_MS = 60_000;

export function isInFuture(date: Date, now: Date): boolean {
  return date.getTime() > now.getTime() + CLOCK_DIFFERENCE_MS;
}

export function earlier(date: Date, other: Date): Date {
  return date < other ? date : other;
}
