/** Stamps of what is read in rounds: the newest articles of all, of a member, of a tag; and all articles at once. */
import type { Database } from '../database/pool.js';
import { statement } from '../database/statement.js';
import { JOIN_NAMES, microseconds, readStamp, type Stamp, stampText } from './stamp.js';

/** Which articles a feed has. A tag is in its normal form. */
export type FeedScope = { kind: 'all' } | { kind: 'member'; id: string } | { kind: 'tag'; tag: string };

/**
 * Which articles are among the newest and when their own words changed, so that neither comments nor other articles make
 * another state. What has left the newest changes the tag, but no moment that is left: so the last moment is that of any article.
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

/** @returns null where there is no such member or tag */
export async function findFeedStamp(database: Database, scope: FeedScope, size: number): Promise<Stamp | null> {
  const name = nameOf(scope);
  if (name === null) return null;
  const [row] = await database.query(STATEMENTS[scope.kind], [size, ...name]);
  return row ? readStamp(row.stamp) : null;
}

/** What the statement looks for; null where no row can have such a name. */
function nameOf(scope: FeedScope): (string | number)[] | null {
  if (scope.kind === 'all') return [];
  if (scope.kind === 'tag') return scope.tag.includes('\0') ? null : [scope.tag];
  return /^[1-9]\d*$/.test(scope.id) && Number.isSafeInteger(Number(scope.id)) ? [Number(scope.id)] : null;
}
