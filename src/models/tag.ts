/** Tags: shared between articles. A tag exists as long as at least one article has it; readers know it while a public one does. */
import { statement } from '../platform/database/statement.js';
import { invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';

/** Of an article. */
export const MAX_TAGS = 10;

export const MAX_TAG_LENGTH = 30;

export interface TagRow {
  name: string;
  articleCount: number;
}

const TAG_TOTAL = 'select coalesce(sum(tags), 0)::bigint as total from tag_totals';

/** The most used first. No row past the end, where nothing is scanned. */
export const TAG_PAGE = statement<[size: number, offset: number], TagRow & { total: number }>(
  'tag_page',
  `select p.name, p.article_count as "articleCount", t.total
   from (${TAG_TOTAL}) t cross join lateral (
     select name, article_count from tags where article_count > 0 order by article_count desc, name
     limit case when $2::bigint < t.total then $1::integer else 0 end offset $2::bigint
   ) p order by p.article_count desc, p.name`,
);

const MEMBER_TAG_TOTAL = 'select count(*) as total from member_tags where member_id = $1 and article_count > 0';

/** Those of one member, with the number of the member's public articles. */
export const MEMBER_TAG_PAGE = statement<[memberId: number, size: number, offset: number], TagRow & { total: number }>(
  'member_tag_page',
  `select p.name, p.article_count as "articleCount", t.total
   from (${MEMBER_TAG_TOTAL}) t cross join lateral (
     select name, article_count from member_tags where member_id = $1 and article_count > 0 order by article_count desc, name
     limit case when $3::bigint < t.total then $2::integer else 0 end offset $3::bigint
   ) p order by p.article_count desc, p.name`,
);

export const COUNT_MEMBER_TAGS = statement<[memberId: number], { total: number }>(
  'count_member_tags',
  MEMBER_TAG_TOTAL,
);

export const COUNT_TAGS = statement<[], { total: number }>('count_tags', TAG_TOTAL);

export const UNTAG_ARTICLE = statement<[articleId: number]>(
  'untag_article',
  'delete from all_article_tags where article_id = $1',
);

/**
 * Inserts missing tags and locks existing ones: a tag is deleted with the last article that has it, and the lock prevents this
 * until the transaction ends. With those that the article has: a transaction locks all of its tags by name, before any counter
 * (docs/decisions/lock-order.md).
 * @param articleId null for a new article
 */
export const ADD_TAGS = statement<[names: readonly string[], articleId: number | null], { isNew: boolean }>(
  'add_tags',
  `insert into tags (name)
   select name from (
     select unnest($1::text[]) union select t.name from all_article_tags x join tags t on t.id = x.tag_id where x.article_id = $2
   ) u(name) order by name
   on conflict (name) do update set name = excluded.name returning xmax = 0 as "isNew"`,
);

/** The tags of all articles of a member, before a change of these articles. */
export const LOCK_TAGS_OF_MEMBER = statement<[memberId: number]>(
  'lock_tags_of_member',
  `select lock_tags(array(
     select x.tag_id from all_articles a join all_article_tags x on x.article_id = a.id where a.member_id = $1))`,
);

/** Assigns tags to an article, in order. */
export const TAG_ARTICLE = statement<[articleId: number, names: readonly string[]]>(
  'tag_article',
  `insert into all_article_tags (article_id, position, tag_id)
   select $1, u.place - 1, t.id from unnest($2::text[]) with ordinality as u(name, place) join tags t using (name)`,
);

/** Normalizes tags to lower case and NFC, without duplicates. @throws AppError VALIDATION_FAILED if a normalized tag is too long */
export function normalizeTags(tags: readonly string[]): string[] {
  const normal = [...new Set(tags.map(normalizeTag))];
  // Lower case can be longer: İ becomes two code points.
  const long = normal.find((tag) => [...tag].length > MAX_TAG_LENGTH);
  if (long !== undefined)
    throw invalid('tags', createMessage('each', createMessage('lengthWrong', 1, MAX_TAG_LENGTH, [...long].length)));
  return normal;
}

export function normalizeTag(tag: string): string {
  return tag.toLowerCase().normalize('NFC');
}
