/** Tags and texts of HTML as the sanitizer writes it: `<` and `>` are only around tags, and `"` within a tag only around attribute values. */

/** A tag or a text. */
export const TOKEN = /<(\/?)([a-z][a-z0-9]*)(?![a-z0-9])([^<>]*)>|[^<]+/g;

/** Those of the sanitizer, and those of escaped source text. */
const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#38;': '&',
  '&#60;': '<',
  '&#62;': '>',
  '&#34;': '"',
};

/** The text of a token. */
export function decode(html: string): string {
  return html.includes('&')
    ? html.replace(/&(?:amp|lt|gt|quot|#(?:38|60|62|34));/g, (one) => ENTITIES[one] ?? one)
    : html;
}
