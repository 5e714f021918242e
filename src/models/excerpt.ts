/** The first words of an article, as lists show them. */

const LONGEST = 200;
/** Markup can be much longer than the words in it; what lies beyond is not looked at. */
const LOOKED_AT = 4000;

/** Those that editors write. */
const ENTITIES: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&nbsp;': ' ',
  '&#39;': "'",
  '&#039;': "'",
};

/** Plain text of at most 200 code points: HTML and Markdown marks taken out, white space folded. */
export function excerptOf(content: string): string {
  // Single spaces are left alone: to put each in its own place takes five times as long.
  const words = withoutMarkup(content.slice(0, LOOKED_AT))
    .replace(/\s\s+|[^\S ]/g, ' ')
    .trim();
  // A code point takes two units at most, so that what is longer than these has too many in any case.
  const points = [...words.slice(0, 2 * LONGEST + 1)];
  return points.length <= LONGEST
    ? words
    : `${points
        .slice(0, LONGEST - 1)
        .join('')
        .trimEnd()}…`;
}

/** HTML and Markdown marks taken out, line by line. In time that grows with the length alone, whatever the text. */
export function withoutMarkup(content: string): string {
  const words = content
    .replace(
      /<!--[\s\S]*?(?:-->|$)|<(?:script|style)\b[\s\S]*?(?:<\/(?:script|style)>|$)|<\/?[a-z][^<>]*(?:>|$)/gi,
      ' ',
    )
    // Neither part holds what begins it, or text of nothing but brackets would be read through once for each.
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d+\.)[ \t]+/gm, '');
  return withoutEmphasis(words).replace(/&(?:lt|gt|amp|quot|nbsp|#0?39);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** Most texts have none, which is seen sooner than each place is looked at from both sides. */
function withoutEmphasis(text: string): string {
  return /[*_~`]/.test(text) ? text.replace(/[*_~`]{1,3}(?=\S)|(?<=\S)[*_~`]{1,3}/g, '') : text;
}
