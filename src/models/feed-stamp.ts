/** Stamps of feeds, which clients poll: the newest articles of all members, of one member, or with one tag. */
import { inOrder, isInPart } from '../platform/database/keyset.js';
import type { Database } from '../platform/database/pool.js';
import { statement } from '../platform/database/statement.js';
import type { Version } from '../platform/http/conditional.js';
import { hasLanguage, partOfLanguage } from './article/filters.js';
import { ARTICLE_ORDERS } from './article/order.js';
import { IS_PENDING } from './member/member.js';
import { microseconds, NAMES, readStamp, stampText } from './stamp.js';

/** Which articles a feed contains. A tag is normalized, see `normalizeTag`. */
type FeedOf = { kind: 'all' } | { kind: 'member'; id: string } | { kind: 'tag'; tag: string };

/** `language`: a canonical tag; null: of all languages and of none. */
export type FeedScope = FeedOf & { language: string | null };

/**
 * The tag is made of the ids of the newest articles and the times of their last revisions (and of names), so that comments and other
 * articles do not change it. An article that leaves the feed changes the tag, but no timestamp of the remaining articles: the time of
 * the last change is therefore that of any article.
 */
function feedStamp(newest: string, from = ''): string {
  const last = `(select max(changed_at) from journal_stamps where kind = 'articles')`;
  return `select ${stampText(['f.articles', microseconds(NAMES)], ['j.last', NAMES])} as stamp
    from ${from && `${from}, `}lateral (
      select md5(string_agg(concat(a.id, ':', ${microseconds('a.revised_at')}), ',' order by a.created_at desc, a.id desc))
        as articles from (${newest}) a
    ) f cross join (select ${last} as last) j`;
}

const NEWEST = ARTICLE_ORDERS['createdAt,desc'];
const BY_AGE = inOrder(NEWEST, 'a.id');
const IN_LANGUAGE = partOfLanguage('a', '$2::text');

/** @param name that of all languages @param stampOf its parameter is empty, or a condition that begins with `and` */
function statementsOf<Parameters extends readonly unknown[]>(
  name: string,
  stampOf: (ofLanguage: string) => string,
  ofLanguage = stampOf(`and ${hasLanguage('a', '$3::text')}`),
) {
  return {
    all: statement<Parameters, { stamp: string }>(name, stampOf('')),
    ofLanguage: statement<[...Parameters, language: string], { stamp: string }>(`${name}_of_language`, ofLanguage),
  };
}

const STATEMENTS = {
  all: statementsOf<[size: number]>(
    'feed_stamp',
    () => feedStamp(`select * from articles a ${BY_AGE} limit $1`),
    feedStamp(`select * from articles a where ${isInPart(IN_LANGUAGE.part)} and ${IN_LANGUAGE.condition}
       ${inOrder(NEWEST, 'a.id', IN_LANGUAGE.part)} limit $1`),
  ),
  member: statementsOf<[size: number, memberId: number]>('member_feed_stamp', (ofLanguage) =>
    feedStamp(
      `select * from articles a where a.member_id = m.id ${ofLanguage} ${BY_AGE} limit $1`,
      `(select id from members where id = $2 and not (${IS_PENDING})) m`,
    ),
  ),
  tag: statementsOf<[size: number, tag: string]>('tag_feed_stamp', (ofLanguage) =>
    feedStamp(
      `select a.* from article_tags x join articles a on a.id = x.article_id where x.tag_id = t.id ${ofLanguage}
       order by x.created_at desc, x.article_id desc limit $1`,
      '(select id from tags where name = $2 and article_count > 0) t',
    ),
  ),
};

/** @returns null if the member does not exist, or no public article has the tag */
export async function findFeedVersion(database: Database, scope: FeedScope, size: number): Promise<Version | null> {
  const [row] = await queryStamp(database, scope, size);
  return row ? readStamp(row.stamp) : null;
}

/** Empty, without a query, if no row can match: an invalid id, or NUL in a tag. */
async function queryStamp(database: Database, scope: FeedScope, size: number): Promise<{ stamp: string }[]> {
  if (scope.kind === 'all') return queryOf(database, STATEMENTS.all, [size], scope);
  if (scope.kind === 'tag')
    return scope.tag.includes('\0') ? [] : queryOf(database, STATEMENTS.tag, [size, scope.tag], scope);
  const id = /^[1-9]\d*$/.test(scope.id) ? Number(scope.id) : Number.NaN;
  return Number.isSafeInteger(id) ? queryOf(database, STATEMENTS.member, [size, id], scope) : [];
}

function queryOf<Parameters extends readonly unknown[]>(
  database: Database,
  { all, ofLanguage }: ReturnType<typeof statementsOf<Parameters>>,
  values: Parameters,
  { language }: FeedScope,
): Promise<{ stamp: string }[]> {
  return language === null ? database.query(all, values) : database.query(ofLanguage, [...values, language]);
}
