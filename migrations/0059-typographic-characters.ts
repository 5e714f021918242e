/** Searches do not distinguish typographic characters from those on a keyboard, which phones and editors replace with them. */
import type { Migration } from '../src/platform/database/migration.js';
import { caseFolding } from './0004-search/letters.js';

/** Each of the first characters is compared as the last one. `fold` in `services/rendering/snippet.ts` has the same. */
const VARIANTS: [variants: string, plain: string][] = [
  ['‘’‚‛ʼ′', "'"],
  ['“”„‟″', '"'],
  ['‐‑‒–—―−', '-'],
  ['〜～∼', '~'],
  ['・‧ㆍ', '·'],
];
const variants = VARIANTS.map(([from]) => from).join('');
const plain = VARIANTS.map(([from, to]) => to.repeat([...from].length))
  .join('')
  .replaceAll("'", "''");

/**
 * As in 0025-visible-text, with typographic characters. The texts that are indexed get the new form when they are rendered by the new version of the
 * renderer; the index is over the stored form, so that it stays consistent.
 */
const fold = `
create or replace function search_fold(source text) returns text
language plpgsql immutable strict parallel safe as $$
declare folded text := source;
begin
  if folded ~ '[\\u00ad\\u200b\\u2060\\ufeff]' collate "C" then
    folded := regexp_replace(folded, '[\\u00ad\\u200b\\u2060\\ufeff]+' collate "C", '', 'g');
  end if;
  if folded is not nfc normalized then folded := normalize(folded, nfc); end if;
  folded := regexp_replace(folded,
    '[\\u0001-\\u0020\\u007f-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+' collate "C", ' ', 'g');
  folded := lower(btrim(folded) collate "C");
  if folded ~ '[${variants}]' collate "C" then folded := translate(folded, '${variants}', '${plain}'); end if;
  ${caseFolding}
  return folded;
end $$`;

export const migration: Migration = {
  name: '0059-typographic-characters',
  locks: {},
  up: [fold],
};
