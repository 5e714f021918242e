/**
 * Contents and names as Hugo can build them, and back. Hugo runs `{{< x >}}` also in code, and ends if there is no such shortcode; and it makes a path of
 * each tag and category, also out of its folder.
 */

/** A shortcode, or its beginning alone. No part can match the beginning of another match, so that the time is linear. */
const SHORTCODE = /\{\{(?:<((?:(?!\{\{)[\s\S])*?)>|%((?:(?!\{\{)[\s\S])*?)%)\}\}|\{\{(\u2060*)(?=[<%])/g;
const ESCAPED =
  /\{\{(?:<\/\*((?:(?!\{\{)[\s\S])*?)\*\/>|%\/\*((?:(?!\{\{)[\s\S])*?)\*\/%)\}\}|\{\{(\u2060*)\u2060(?=[<%])/g;

/** With the marks of a comment inside of the braces, as Hugo shows a shortcode. It has no form for a beginning alone, which gets a word joiner. */
export function escapeShortcodes(content: string): string {
  return content.replace(SHORTCODE, (_, angle?: string, percent?: string, joiners?: string) => {
    if (angle !== undefined) return `{{</*${angle}*/>}}`;
    return percent === undefined ? `{{${joiners}\u2060` : `{{%/*${percent}*/%}}`;
  });
}

export function unescapeShortcodes(content: string): string {
  return content.replace(ESCAPED, (_, angle?: string, percent?: string, joiners?: string) => {
    if (angle !== undefined) return `{{<${angle}>}}`;
    return percent === undefined ? `{{${joiners}` : `{{%${percent}%}}`;
  });
}

/** Hugo leaves out other characters, and reads `..` as the folder above. */
function leadsOut(name: string): boolean {
  return /(?:^|\/)\s*\.\.\s*(?:\/|$)/.test(name.replace(/[^\p{L}\p{M}\p{N}\s./_\-+#@~\\]/gu, ''));
}

/** Dots that lead out of a folder become one dot leaders (U+2024). */
export function escapeName(name: string): string {
  return leadsOut(name) ? name.replaceAll('.', '\u2024') : name;
}

export function unescapeName(name: string): string {
  const original = name.replaceAll('\u2024', '.');
  return leadsOut(original) ? original : name;
}
