/** Flat lists of comments; each slice is read with one SQL statement. An article's page with replies is in page.ts. */
import type { RowSlice } from '../../platform/database/columns.js';
import { Bindings, keysetIds, type Order, type Slice } from '../../platform/database/keyset.js';
import type { Database } from '../../platform/database/pool.js';
import { composedStatement } from '../../platform/database/statement.js';
import type { Version } from '../../platform/http/conditional.js';
import { DISCUSSION_STAMP, JOIN_NAMES, readStamp } from '../stamp.js';
import { COMMENT, type CommentRow } from './comment.js';

const BY_CREATION: Order = { key: 'c.created_at', type: 'timestamptz', isDescending: false };
const BY_CREATION_DESC: Order = { ...BY_CREATION, isDescending: true };

interface ListKind {
  /** FROM clause of the row that owns the list, aliased as `o`; `ownerId` is its id column. */
  owner: string;
  ownerId: string;
  total: string;
  condition: string;
  order: Order;
  /** For a public list with numbered pages: an SQL expression for its stamp. */
  stamp?: string;
}

/** Top-level comments of an article, including deleted ones that have replies. */
const OF_ARTICLE = {
  owner: 'articles o',
  ownerId: 'o.id',
  total: 'o.top_level_count',
  condition: 'c.article_id = o.id and c.parent_id is null',
};

/** The condition of the index `comments_hidden`. */
const IS_HIDDEN_ON = 'c.article_id = o.id and c.is_hidden and c.deleted_at is null';

const LISTS = {
  ofArticle: { ...OF_ARTICLE, order: BY_CREATION_DESC },
  ofArticleOldestFirst: { ...OF_ARTICLE, order: BY_CREATION },
  repliesTo: {
    owner: `comments o join articles a on a.id = o.article_id ${JOIN_NAMES}`,
    ownerId: 'o.id',
    total: 'o.reply_count',
    condition: 'c.parent_id = o.id',
    order: BY_CREATION,
    stamp: DISCUSSION_STAMP,
  },
  writtenBy: {
    owner: 'member_counts o',
    ownerId: 'o.member_id',
    total: 'o.comments',
    condition: 'c.member_id = o.member_id',
    order: BY_CREATION_DESC,
  },
  /** Comments by other members on a member's articles. */
  receivedBy: {
    owner: 'member_counts o',
    ownerId: 'o.member_id',
    total: 'o.received',
    condition: 'c.received_by = o.member_id',
    order: BY_CREATION_DESC,
  },
  /** Hidden comments and replies on an article. An author hides few of them, so they are counted through their index. */
  hiddenOn: {
    owner: 'articles o',
    ownerId: 'o.id',
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

/**
 * The same slice of the lists of several owners, in the order of `ownerIds`; null for an owner that does not exist.
 * @param viewerId the member who sees the comments; 0: everyone
 */
export async function findComments(
  database: Database,
  list: CommentList,
  ownerIds: readonly number[],
  slice: Slice,
  viewerId: number,
): Promise<(FoundComments | null)[]> {
  const { owner, ownerId, total, condition, order, stamp }: ListKind = LISTS[list];
  const bindings = new Bindings();
  const owners = bindings.add(ownerIds, 'bigint[]');
  const ids = keysetIds({ source: 'comments c', id: 'c.id', conditions: [condition], order, total }, slice, bindings);
  const contents = COMMENT.packedRows({ from: 'comments c', order, ids });
  const text = `select ${ownerId} as id, ${total} as total, ${stamp ?? 'null'} as stamp, (${contents})::text as contents
    from ${owner} cross join (select ${bindings.add(viewerId, 'bigint')} as id) v where ${ownerId} = any(${owners})`;
  const rows = await database.query(...composedStatement<PackedList>(text, bindings));
  const found = new Map(rows.map((row) => [row.id, unpack(row)]));
  return ownerIds.map((id) => found.get(id) ?? null);
}

function unpack({ total, stamp, contents }: PackedList): FoundComments {
  return { total, version: stamp === null ? null : readStamp(stamp), ...COMMENT.unpackRows(contents) };
}
