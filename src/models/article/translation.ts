/**
 * Groups of articles that are translations of each other (docs/decisions/translations.md). The database enforces one author and one article of each language
 * in a group, and renews its stamp.
 */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { statement } from '../../platform/database/statement.js';

export const MAX_TRANSLATION_KEY_LENGTH = 200;

export const MAX_TRANSLATIONS = fixedLimit({
  area: 'Writing',
  about: 'Articles that are translations of each other.',
  value: 50,
  error: 'VALIDATION_FAILED',
});

/** An article as its translations show it. */
export interface TranslationRow {
  id: number;
  slug: string;
  title: string;
  language: string;
}

/**
 * Locks the author, and then the changed article, if there is one, and the other one, if it is by the same author, in the order of their ids: requests
 * of one author that join groups wait for each other before they change anything.
 */
export const LOCK_FOR_TRANSLATION = statement<[articleId: number | null, memberId: number | null, otherId: number]>(
  'lock_for_translation',
  `with author as materialized (
     select id from members where id = coalesce($2::bigint, (select member_id from all_articles where id = $1::bigint)) for no key update
   )
   select from all_articles where member_id = (select id from author) and id in ($1, $3) order by id for update`,
);

interface TranslationSource {
  language: string | null;
  groupId: number | null;
}

/** No row if it is not one of the member, or was removed. */
export const FIND_TRANSLATED = statement<[articleId: number, memberId: number], TranslationSource>(
  'find_translated',
  `select language, translation_group_id as "groupId" from all_articles where id = $1 and member_id = $2 and removed_at is null`,
);

/** A group of this article. The transaction must have locked its row. */
export const BEGIN_TRANSLATIONS = statement<[articleId: number, memberId: number], { groupId: number }>(
  'begin_translations',
  `with added as (insert into translation_groups (member_id) values ($2) returning id)
   update all_articles a set translation_group_id = added.id from added where a.id = $1 returning added.id as "groupId"`,
);

export const COUNT_TRANSLATIONS = statement<[groupId: number], { articles: number }>(
  'count_translations',
  'select count(*)::integer as articles from all_articles where translation_group_id = $1',
);

/** The keys of the groups of articles, by the ids of the articles. */
export const TRANSLATION_KEYS = statement<[articleIds: readonly number[]], { id: number; key: string }>(
  'translation_keys',
  `select a.id, g.key from all_articles a join translation_groups g on g.id = a.translation_group_id where a.id = any($1::bigint[])`,
);
