/** Bookmarks: articles that a member keeps in a list. One on an article that became private remains, and is not in the list. */
import { fixedLimit } from '../platform/config/fixed-limit.js';
import { Bindings, keysetIds, type Order, type Slice } from '../platform/database/keyset.js';
import type { Database } from '../platform/database/pool.js';
import { statement } from '../platform/database/statement.js';
import { ARTICLE, articleSource, readableBy } from './article/article.js';
import { type ArticleIncludes, countedList, type FoundArticles, omittedColumns } from './article/list.js';
import type { Reader } from './reader.js';

/** A check constraint of reader_counts. */
export const MAX_BOOKMARKS = fixedLimit({
  area: 'Reading',
  about: 'Bookmarks of a member, also those on articles that became private.',
  value: 10_000,
  error: 'BOOKMARK_LIMIT_REACHED',
});

/** No row if the reader does not see the article. @param change of the bookmark of the member `$2` on the `article` */
const bookmarkStatement = (name: string, change: string) =>
  statement<[articleId: number, memberId: number, reader: Reader], { articleId: number }>(
    name,
    `with article as (
       select a.id from all_articles a where a.id = $1 and ${readableBy('$3::reader')}
     ), changed as (${change})
     select id as "articleId" from article`,
  );

/** An existing bookmark keeps its time. */
export const ADD_BOOKMARK = bookmarkStatement(
  'add_bookmark',
  'insert into bookmarks (article_id, member_id) select id, $2 from article where require_not_suspended($2) on conflict do nothing',
);

export const REMOVE_BOOKMARK = bookmarkStatement(
  'remove_bookmark',
  'delete from bookmarks where article_id in (select id from article) and member_id = $2',
);

export const BOOKMARK_ORDER: Order = { key: 'b.created_at', type: 'timestamptz', isDescending: true };

/** Latest first. The total counts at most MAX_BOOKMARKS rows: a counter would have to follow the visibility of articles. */
export async function findBookmarks(
  database: Database,
  { memberId, reader }: { memberId: number; reader: Reader },
  slice: Slice,
  includes: ArticleIncludes,
): Promise<FoundArticles> {
  const bindings = new Bindings();
  const member = bindings.add(memberId, 'bigint');
  const readable = readableBy(bindings.add(reader, 'reader'));
  const query = {
    source: 'bookmarks b join all_articles a on a.id = b.article_id',
    id: 'b.article_id',
    conditions: [`b.member_id = ${member}`, readable],
    order: BOOKMARK_ORDER,
    total: 't.total',
  };
  const contents = ARTICLE.packedRows({
    from: `${articleSource('all_articles')} join bookmarks b on b.article_id = a.id and b.member_id = ${member}`,
    order: BOOKMARK_ORDER,
    ids: keysetIds(query, slice, bindings),
    replaced: { ...omittedColumns(includes), bookmarkedAt: `b.created_at at time zone 'UTC'` },
  });
  // In the order of the ids, so that each page of the table and of its index is read once.
  const total = `select count(*) from all_articles a
    where a.id = any(array(select b.article_id from bookmarks b where b.member_id = ${member})) and ${readable}`;
  const [found] = await database.query(...countedList(total, contents, bindings));
  return { ...ARTICLE.unpackRows(found?.contents), total: found?.total ?? 0 };
}
