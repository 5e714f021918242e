/** Stamps of feeds, which clients poll: the newest articles of all members, of one member, or with one tag. */
import type { Database } from '../database/pool.js';
import { statement } from '../database/statement.js';
import { JOIN_NAMES, microseconds, readStamp, type Stamp, stampText } from './stamp.js';

/** Which articles a feed contains. A tag is normalised, see `normaliseTag`. */
export type FeedScope = { kind: 'all' } | { kind: 'member'; id: string } | { kind: 'tag'; tag: string };

/**
 * The tag is made of the ids of the newest articles and the times of their last revisions (and of names), so that comments and other
 * articles do not change it. An article that leaves the feed changes the tag, but no timestamp of the remaining articles: the time of
 * the last change is therefore that of any article.
 */
function feedStamp(newest: string, from = ''): string {
  const last = `(select max(changed_at) from journal_stamps where kind = 'articles')`;
  return `select ${stampText(['f.articles', microseconds('n.changed_at')], ['j.last', 'n.changed_at'])} as stamp
    from ${from && `${from}, `}lateral (
      select md5(string_agg(concat(a.id, ':', ${microseconds('a.revised_at')}), ',' order by a.created_at desc, a.id desc))
        as articles from (${newest}) a
    ) f cross join (select ${last} as last) j ${JOIN_NAMES}`;
}

const BY_AGE = 'order by a.created_at desc, a.id desc';

const STATEMENTS = {
  /** Values: articles in the feed. */
  all: statement<{ stamp: string }>('feed_stamp', feedStamp(`select * from articles a ${BY_AGE} limit $1`)),
  /** Values: articles in the feed, member id. */
  member: statement<{ stamp: string }>(
    'member_feed_stamp',
    feedStamp(
      `select * from articles a where a.member_id = m.id ${BY_AGE} limit $1`,
      '(select id from members where id = $2) m',
    ),
  ),
  /** Values: articles in the feed, the tag's name. */
  tag: statement<{ stamp: string }>(
    'tag_feed_stamp',
    feedStamp(
      `select a.* from article_tags x join articles a on a.id = x.article_id where x.tag_id = t.id
       order by x.created_at desc, x.article_id desc limit $1`,
      '(select id from tags where name = $2) t',
    ),
  ),
};

/** @returns null if the member or tag does not exist */
export async function findFeedStamp(database: Database, scope: FeedScope, size: number): Promise<Stamp | null> {
  const name = nameOf(scope);
  if (name === null) return null;
  const [row] = await database.query(STATEMENTS[scope.kind], [size, ...name]);
  return row ? readStamp(row.stamp) : null;
}

/** Parameter values that identify the scope; null if no row can match (invalid id, or NUL in a tag). */
function nameOf(scope: FeedScope): (string | number)[] | null {
  if (scope.kind === 'all') return [];
  if (scope.kind === 'tag') return scope.tag.includes('\0') ? null : [scope.tag];
  return /^[1-9]\d*$/.test(scope.id) && Number.isSafeInteger(Number(scope.id)) ? [Number(scope.id)] : null;
}
