/** Flat lists of comments; each slice is read with one SQL statement. An article's page with replies is in page.ts. */
import type { RowSlice } from '../../platform/database/columns.js';
import { Bindings, keysetIds, type Order, type Slice } from '../../platform/database/keyset.js';
import type { Database } from '../../platform/database/pool.js';
import { composedStatement } from '../../platform/database/statement.js';
import type { Version } from '../../platform/http/conditional.js';
import { isOfDeleted } from '../article/ended.js';
import type { Reader } from '../reader.js';
import { DISCUSSION_STAMP, readStamp } from '../stamp.js';
import { COMMENT, type CommentRow } from './comment.js';
import {
  IS_ARTICLE_MODERATED,
  IS_ARTICLE_READABLE,
  isShown,
  JOIN_SEEN,
  readerTable,
  seesHeldAsMember,
} from './visibility.js';

const BY_CREATION: Order = { key: 'c.created_at', type: 'timestamptz', isDescending: false };
const BY_CREATION_DESC: Order = { ...BY_CREATION, isDescending: true };

interface ListKind {
  /** FROM clause of the row that owns the list; `ownerId` is its id column. It has the article `a` of all comments, or `source` has it. */
  owner: string;
  ownerId: string;
  /** Condition on the article `a` of the owner. */
  isReadable?: string;
  total: string;
  /** FROM clause of the comments; absent: `table`. */
  source?: string;
  /** The table of the comments with its alias; absent: `comments c`. */
  table?: `${string} c`;
  condition: string;
  order: Order;
  /** For a public list with numbered pages: an SQL expression for its stamp. */
  stamp?: string;
}

/** Top-level comments of an article, including deleted ones that have replies. */
const OF_ARTICLE = {
  owner: 'all_articles a',
  ownerId: 'a.id',
  isReadable: IS_ARTICLE_READABLE,
  total: 'a.top_level_count',
  condition: 'c.article_id = a.id and c.parent_id is null',
};

/** The condition of the index `comments_hidden`. */
const IS_HIDDEN_ON = 'c.article_id = a.id and c.is_hidden and c.deleted_at is null';

/** The article of comments of a list whose articles may be private: the member wrote the comment or the article. */
const ON_ANY_ARTICLE = 'join all_articles a on a.id = c.article_id';

/** A condition on the comments of a member and their number, which are those on articles that were not deleted. */
const remaining = (condition: string) => ({
  condition: `${condition} and not ${isOfDeleted('c.article_id')}`,
  ended: `case when exists (select from ended_articles e where e.is_deleted)
    then (select count(*) from comments c where ${condition} and ${isOfDeleted('c.article_id')}) else 0 end`,
});
const WRITTEN = remaining('c.member_id = o.member_id');
const RECEIVED = remaining('c.received_by = o.member_id');

/** The held comments on the articles of `o.member_id` that the reader sees. */
const HELD_FOR_AUTHOR = `c.received_by = o.member_id and ${seesHeldAsMember('v.r')}
  and exists (select from all_articles a where a.id = c.article_id and ${IS_ARTICLE_READABLE})`;

const LISTS = {
  ofArticle: { ...OF_ARTICLE, order: BY_CREATION_DESC },
  ofArticleOldestFirst: { ...OF_ARTICLE, order: BY_CREATION },
  repliesTo: {
    owner: `comments o join all_articles a on a.id = o.article_id`,
    ownerId: 'o.id',
    isReadable: IS_ARTICLE_READABLE,
    total: 'o.reply_count',
    condition: 'c.parent_id = o.id',
    order: BY_CREATION,
    stamp: DISCUSSION_STAMP,
  },
  /** With those that are held. */
  writtenBy: {
    owner: 'member_counts o',
    ownerId: 'o.member_id',
    total: `(o.comments - ${WRITTEN.ended} + (select count(*) from held_comments h where h.member_id = o.member_id))`,
    table: 'all_comments c',
    // Without the places of comments that are held after an edit, which have the same ids.
    source: `all_comments c ${ON_ANY_ARTICLE} and c.member_id = o.member_id`,
    condition: WRITTEN.condition,
    order: BY_CREATION_DESC,
  },
  /** Without them, for readers who do not see them. */
  shownBy: {
    owner: 'member_counts o',
    ownerId: 'o.member_id',
    total: `(o.comments - ${WRITTEN.ended})`,
    source: `comments c ${ON_ANY_ARTICLE}`,
    condition: WRITTEN.condition,
    order: BY_CREATION_DESC,
  },
  /** Comments by other members on a member's articles. */
  receivedBy: {
    owner: 'member_counts o',
    ownerId: 'o.member_id',
    total: `(o.received - ${RECEIVED.ended})`,
    source: `comments c ${ON_ANY_ARTICLE}`,
    condition: RECEIVED.condition,
    order: BY_CREATION_DESC,
  },
  /** Those that wait for approval. */
  heldFor: {
    owner: 'member_counts o',
    ownerId: 'o.member_id',
    total: `(select count(*) from held_comments c where ${HELD_FOR_AUTHOR})`,
    table: 'held_comments c',
    source: `all_comments c ${ON_ANY_ARTICLE} and c.held_at is not null`,
    condition: HELD_FOR_AUTHOR,
    order: BY_CREATION_DESC,
  },
  /** Those on public articles, for readers who do not see the private ones. */
  receivedOnPublic: {
    owner: 'member_counts o',
    ownerId: 'o.member_id',
    total: `(o.received - ${RECEIVED.ended} - (select count(*) from all_articles p join comments r on r.article_id = p.id
      where p.member_id = o.member_id and p.is_private and r.received_by = o.member_id))`,
    source: 'comments c join articles a on a.id = c.article_id',
    condition: 'c.received_by = o.member_id and exists (select from articles p where p.id = c.article_id)',
    order: BY_CREATION_DESC,
  },
  /** Hidden comments and replies on an article. An author hides few of them, so they are counted through their index. */
  hiddenOn: {
    owner: 'all_articles a',
    ownerId: 'a.id',
    isReadable: IS_ARTICLE_READABLE,
    total: `(select count(*) from comments c where ${IS_HIDDEN_ON})`,
    condition: IS_HIDDEN_ON,
    order: BY_CREATION_DESC,
  },
} satisfies Record<string, ListKind>;

export type CommentList = keyof typeof LISTS;

/** The sort orders of the top-level comments of an article, by the value of the REST parameter. */
export const COMMENT_ORDERS = {
  'createdAt,asc': 'ofArticleOldestFirst',
  'createdAt,desc': 'ofArticle',
} as const satisfies Record<string, CommentList>;

export type CommentOrder = keyof typeof COMMENT_ORDERS;

/** `total`: size of the whole list. */
export type FoundComments = RowSlice<CommentRow> & { total: number; version: Version | null };

interface PackedList {
  id: number;
  total: number;
  stamp: string | null;
  contents: string | null;
}

/** The same slice of the lists of several owners, in the order of `ownerIds`; null for an owner that does not exist for the reader. */
export async function findComments(
  database: Database,
  list: CommentList,
  ownerIds: readonly number[],
  slice: Slice,
  reader: Reader,
): Promise<(FoundComments | null)[]> {
  const {
    owner,
    ownerId,
    isReadable = 'true',
    total,
    condition,
    order,
    stamp,
    table,
    source = 'comments c',
  } = reader.moderatorId === 0 ? (LISTS[list] as ListKind) : forModerators(LISTS[list]);
  const bindings = new Bindings();
  const owners = bindings.add(ownerIds, 'bigint[]');
  const ids = keysetIds(
    { source: table ?? 'comments c', id: 'c.id', conditions: [condition], order, total },
    slice,
    bindings,
  );
  const contents = COMMENT.packedRows({ from: `${source} ${JOIN_SEEN}`, order, ids });
  const text = `select ${ownerId} as id, ${total} as total, ${stamp ?? 'null'} as stamp, (${contents})::text as contents
    from ${owner} cross join ${readerTable(bindings.add(reader, 'reader'))}
    where ${ownerId} = any(${owners}) and ${isReadable}`;
  const rows = await database.query(...composedStatement<PackedList>(text, bindings));
  const found = new Map(rows.map((row) => [row.id, unpack(row)]));
  return ownerIds.map((id) => found.get(id) ?? null);
}

/** Lists of the comments on an article, with what was public of one that was removed. Their comments are counted in that case. */
function forModerators(list: ListKind): ListKind {
  const { isReadable, ownerId, total } = list;
  if (isReadable === undefined) return list;
  const condition = `${list.condition} and ${isShown('c')}`;
  const isOwnerShown = ownerId === 'o.id' ? ` and ${isShown('o')}` : '';
  return {
    ...list,
    isReadable: `(${isReadable} or ${IS_ARTICLE_MODERATED})${isOwnerShown}`,
    condition,
    total: `case when ${isReadable} then ${total} else (select count(*) from comments c where ${condition}) end`,
  };
}

function unpack({ total, stamp, contents }: PackedList): FoundComments {
  return { total, version: stamp === null ? null : readStamp(stamp), ...COMMENT.unpackRows(contents) };
}
