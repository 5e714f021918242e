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
  const words = withoutMarkup(content.slice(0, LOOKED_AT)).replace(/\s+/g, ' ').trim();
  const points = [...words];
  return points.length <= LONGEST
    ? words
    : `${points
        .slice(0, LONGEST - 1)
        .join('')
        .trimEnd()}…`;
}

/** HTML and Markdown marks taken out, line by line. In time that grows with the length alone, whatever the text. */
export function withoutMarkup(content: string): string {
  return (
    content
      .replace(
        /<!--[\s\S]*?(?:-->|$)|<(?:script|style)\b[\s\S]*?(?:<\/(?:script|style)>|$)|<\/?[a-z][^<>]*(?:>|$)/gi,
        ' ',
      )
      // Neither part holds what begins it, or text of nothing but brackets would be read through once for each.
      .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
      .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d+\.)[ \t]+/gm, '')
      .replace(/[*_~`]{1,3}(?=\S)|(?<=\S)[*_~`]{1,3}/g, '')
      .replace(/&(?:lt|gt|amp|quot|nbsp|#0?39);/g, (entity) => ENTITIES[entity] ?? entity)
  );
}
