/** The links in a comment, also those that are written so that programs do not find them. */
import { INVISIBLE } from '../../platform/display-name/skeleton.js';

const INVISIBLES = new RegExp(`[${INVISIBLE}]`, 'gu');

/** Without a scheme, a name is a link if it ends with a common top-level domain, or a path follows. */
const DOMAINS =
  'com|net|org|info|biz|kr|co|io|me|ly|gl|gg|tv|app|dev|xyz|top|shop|site|online|store|club|link|live|vip|pro|cc|ru|cn|jp|de|uk';
const NAME = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?`;
const LINKS = new RegExp(
  [
    String.raw`[a-z][a-z\d+.-]*:\/\/[^\s<>]+?(?=[a-z][a-z\d+.-]*:\/\/|[\s<>]|$)`,
    String.raw`www\.[^\s<>]+`,
    String.raw`(?:${NAME}\.)+(?:(?:${DOMAINS})(?![\p{L}\p{N}-])|\p{L}{2,}(?=\/[^\s/]))[^\s<>]*`,
  ].join('|'),
  'giu',
);

/** "(dot)", "[.]" and the full stops of other scripts. */
const DOTS = /\s*[([{]\s*(?:\.|dot|점)\s*[)\]}]\s*|[\u3002\uff0e\uff61]/giu;

/** Addresses of email are not links. */
const EMAILS = /[^\s@<>]+@[^\s@<>]+/gu;

export function countLinks(content: string): number {
  const plain = content.replace(INVISIBLES, '').replace(DOTS, '.').normalize('NFKC');
  return plain.replace(EMAILS, ' ').match(LINKS)?.length ?? 0;
}
