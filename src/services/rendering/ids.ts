/** Ids of headings, by the rule of GitHub, and links to them. */
import { FOOTNOTE_ID, ID_PREFIX } from './footnotes.js';
import { decode, TOKEN } from './html-tokens.js';

/** Code points of an id, without its prefix and number. */
const MAX_LENGTH = 100;

const ID = /\sid="([^"]*)"/;
const FRAGMENT = /\shref="#([^"]*)"/;

/**
 * Gives all headings of sanitized HTML an id that is unique in the text, and removes repeated ids of footnotes. Links to the id without its
 * prefix, as authors write them for GitHub, become links to the id. Runs in linear time.
 */
export function addIds(html: string): string {
  const slugs = new Slugs();
  const seen = new Set<string>();
  for (const [, id = ''] of html.matchAll(/\sid="text-([^"]*)"/g)) slugs.reserve(id);
  const parts: string[] = [];
  const links: number[] = [];
  let heading: { part: number; tag: string; text: string } | null = null;
  let isNumber = false;
  for (const [token, slash, name, attributes = ''] of html.matchAll(TOKEN)) {
    const part = parts.push(token) - 1;
    if (name === undefined) {
      if (heading && !isNumber) heading.text += token;
    } else if (/^h[1-6]$/.test(name)) {
      if (slash !== '/') heading = { part, tag: name, text: '' };
      else if (heading) {
        parts[heading.part] = `<${heading.tag} id="${ID_PREFIX}${slugs.add(decode(heading.text))}">`;
        heading = null;
      }
    } else if (slash !== '/') {
      const [attribute = '', id = ''] = ID.exec(attributes) ?? [];
      if (FOOTNOTE_ID.test(id)) {
        if (seen.has(id)) parts[part] = token.replace(attribute, '');
        seen.add(id);
      }
      if (name === 'a') {
        isNumber = attributes.includes(' role="doc-noteref"');
        if (FRAGMENT.test(attributes)) links.push(part);
      }
    } else if (name === 'a') isNumber = false;
  }
  for (const part of links) {
    parts[part] = (parts[part] ?? '').replace(FRAGMENT, (attribute, fragment: string) =>
      slugs.has(unescapeFragment(fragment)) ? ` href="#${ID_PREFIX}${unescapeFragment(fragment)}"` : attribute,
    );
  }
  return parts.join('');
}

function unescapeFragment(fragment: string): string {
  try {
    return decodeURIComponent(decode(fragment)).normalize('NFC');
  } catch {
    return '';
  }
}

class Slugs {
  /** For each one, the last number that was appended to it. */
  readonly #numbers = new Map<string, number>();

  reserve(slug: string): void {
    this.#numbers.set(slug, 0);
  }

  has(slug: string): boolean {
    return this.#numbers.has(slug);
  }

  /** Letters, digits, `-` and `_` of a text in lower case, with `-` for spaces, and a number if it has been added before. */
  add(text: string): string {
    const letters = text
      .trim()
      .normalize('NFC')
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '');
    const slug = [...letters.slice(0, 2 * MAX_LENGTH)].slice(0, MAX_LENGTH).join('').replaceAll(' ', '-');
    let unique = slug;
    let number = this.#numbers.get(slug);
    while (number !== undefined && this.#numbers.has(unique)) unique = `${slug}-${++number}`;
    if (number !== undefined) this.#numbers.set(slug, number);
    this.reserve(unique);
    return unique;
  }
}
