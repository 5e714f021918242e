/** Stamps of feeds, which clients poll: the newest articles of all members, of one member, or with one tag. */
import type { Database } from '../platform/database/pool.js';
import { statement } from '../platform/database/statement.js';
import type { Version } from '../platform/http/conditional.js';
import { IS_PENDING } from './member/member.js';
import { readStamp } from './stamp.js';

/** Which articles a feed contains. A tag is normalized, see `normalizeTag`. */
type FeedOf = { kind: 'all' } | { kind: 'member'; id: string } | { kind: 'tag'; tag: string };

/** `language`: a canonical tag; null: of all languages and of none. */
export type FeedScope = FeedOf & { language: string | null };

/** What a feed contains: the ids of its articles `a`, and the times of their last revisions. The function `feed_stamp` makes its tag of it. */
const CONTENTS = `md5(string_agg(concat(a.id, ':', microseconds_of(a.revised_at)), ',' order by a.created_at desc, a.id desc))`;

/** @param name the name for all languages @param textOf its parameter is empty, or a condition that begins with `and` */
function statementsOf<Parameters extends readonly unknown[]>(
  name: string,
  textOf: (ofLanguage: string) => string,
  ofLanguage = textOf('and has_language(a.primary_language, a.language, $3)'),
) {
  return {
    all: statement<Parameters, { stamp: string }>(name, textOf('')),
    ofLanguage: statement<[...Parameters, language: string], { stamp: string }>(`${name}_of_language`, ofLanguage),
  };
}

const STATEMENTS = {
  all: statementsOf<[size: number]>(
    'feed_stamp',
    () => `select stamp_text(f.tag, f.changed_at) as stamp
      from (
        select ${CONTENTS} as entries
        from (select * from articles a order by a.created_at desc, a.id desc limit $1) a
      ) n cross join lateral feed_stamp(n.entries) f`,
    `select stamp_text(f.tag, f.changed_at) as stamp
      from (
        select ${CONTENTS} as entries
        from (
          select * from articles a
          where a.primary_language = any(array[split_part($2, '-', 1)]) and is_language(a.language, $2)
          order by a.primary_language desc, a.created_at desc, a.id desc limit $1
        ) a
      ) n cross join lateral feed_stamp(n.entries) f`,
  ),
  member: statementsOf<[size: number, memberId: number]>(
    'member_feed_stamp',
    (ofLanguage) => `select stamp_text(f.tag, f.changed_at) as stamp
      from (select id from members where id = $2 and not (${IS_PENDING})) m cross join lateral (
        select ${CONTENTS} as entries
        from (
          select * from articles a where a.member_id = m.id ${ofLanguage} order by a.created_at desc, a.id desc limit $1
        ) a
      ) n cross join lateral feed_stamp(n.entries) f`,
  ),
  tag: statementsOf<[size: number, tag: string]>(
    'tag_feed_stamp',
    (ofLanguage) => `select stamp_text(f.tag, f.changed_at) as stamp
      from (select id from tags where name = $2 and article_count > 0) t cross join lateral (
        select ${CONTENTS} as entries
        from (
          select a.* from article_tags x join articles a on a.id = x.article_id where x.tag_id = t.id ${ofLanguage}
          order by x.created_at desc, x.article_id desc limit $1
        ) a
      ) n cross join lateral feed_stamp(n.entries) f`,
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
