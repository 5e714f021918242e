/** Mentions of members in texts: `@name`, or `@[any nickname]`, outside of code, links and email addresses. */
import { escapeHtml } from './escape.js';
import { decode, TOKEN } from './html-tokens.js';

/** Names of a text that are looked up. Further ones are text. */
const MAX_NAMES = 50;

/**
 * Not after a letter, as in an email address, and not before `/` or `@`, as in the name of a package. A name without brackets does not end with `-`. The
 * lengths are bounded, so that the time is linear in that of the text.
 */
const MENTION =
  /(?<![\p{L}\p{M}\p{N}_/@])@(?:\[((?:[^[\]\n]|\[[^[\]\n]{0,60}\]){1,60})\](?!\()|([\p{L}\p{M}\p{N}_-]{0,60}[\p{L}\p{M}\p{N}_])(?!-*[\p{L}\p{M}\p{N}_@/]))/gu;

/** Code, addresses and links as they are written in plain text and in Markdown, or a mention. */
const IN_SOURCE = new RegExp(
  [/```[\s\S]*?(?:```|$)/, /`[^`\n]+`/, /(?:https?:\/\/|www\.)\S+/, /\[[^[\]\n]*\]\([^()\s]*\)/, MENTION]
    .map(({ source }) => source)
    .join('|'),
  'gu',
);

/** Elements in which `@` is text. */
const WITHOUT_MENTIONS = new Set(['a', 'code', 'kbd', 'pre']);

/** The distinct names in a text as it was written, in order: in a comment, or in Markdown that is not rendered yet. */
export function mentionedInSource(source: string): string[] {
  return source.includes('@') ? namesOf(source.matchAll(IN_SOURCE)) : [];
}

/** The distinct names in sanitized HTML, in order. */
export function mentionedInHtml(html: string): string[] {
  if (!html.includes('@')) return [];
  const texts: string[] = [];
  forEachText(html, (text) => {
    texts.push(decode(text));
    return text;
  });
  return namesOf(texts.join('\n').matchAll(MENTION));
}

/** Links mentions in sanitized HTML. @param addressOf null for a name that is not one of a mention */
export function linkMentions(html: string, addressOf: (name: string) => string | null): string {
  return forEachText(html, (text) =>
    text.replace(MENTION, (whole: string, quoted: string | undefined, plain: string | undefined) => {
      const name = quoted?.trim() ?? plain ?? '';
      const address = addressOf(decode(name));
      return address === null ? whole : `<a href="${escapeHtml(address)}">@${name}</a>`;
    }),
  );
}

function namesOf(mentions: Iterable<RegExpMatchArray>): string[] {
  const names = new Set<string>();
  for (const [, quoted, plain] of mentions) {
    const name = quoted?.trim() ?? plain ?? '';
    if (name !== '') names.add(name);
    if (names.size === MAX_NAMES) break;
  }
  return [...names];
}

/** Replaces the texts in which mentions can be. */
function forEachText(html: string, replace: (text: string) => string): string {
  let depth = 0;
  return html.replace(TOKEN, (token: string, slash: string | undefined, name: string | undefined) => {
    if (name === undefined) return depth === 0 ? replace(token) : token;
    if (WITHOUT_MENTIONS.has(name)) depth += slash === '/' ? -1 : 1;
    return token;
  });
}
