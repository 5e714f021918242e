/** Flat lists of comments; each slice is read with one SQL statement. An article's page with replies is in comment-page.ts. */

import { Bindings, inOrder, keysetIds, keyText, type Order, type Position, type Slice } from '../../database/keyset.js';
import type { Database } from '../../database/pool.js';
import { composedStatement } from '../../database/statement.js';
import { DISCUSSION_STAMP, JOIN_NAMES, readStamp, type Stamp } from '../stamp.js';
import { type CommentRow, DELETED, WITHDRAWN } from './comment.js';

const NEWEST_FIRST: Order = { key: 'c.created_at', type: 'timestamptz', isDescending: true };
const OLDEST_FIRST: Order = { ...NEWEST_FIRST, isDescending: false };

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

const LISTS = {
  /** Top-level comments of an article, including deleted ones that have replies. */
  ofArticle: {
    owner: 'articles o',
    ownerId: 'o.id',
    total: 'o.top_level_count',
    condition: 'c.article_id = o.id and c.parent_id is null',
    order: NEWEST_FIRST,
  },
  repliesTo: {
    owner: `comments o join articles a on a.id = o.article_id ${JOIN_NAMES}`,
    ownerId: 'o.id',
    total: 'o.reply_count',
    condition: 'c.parent_id = o.id',
    order: OLDEST_FIRST,
    stamp: DISCUSSION_STAMP,
  },
  writtenBy: {
    owner: 'member_counts o',
    ownerId: 'o.member_id',
    total: 'o.comments',
    condition: 'c.member_id = o.member_id',
    order: NEWEST_FIRST,
  },
  /** Comments by other members on a member's articles. */
  receivedBy: {
    owner: 'member_counts o',
    ownerId: 'o.member_id',
    total: 'o.received',
    condition: 'c.received_by = o.member_id',
    order: NEWEST_FIRST,
  },
} satisfies Record<string, ListKind>;

export type CommentList = keyof typeof LISTS;

export interface FoundComments {
  /** Size of the whole list. */
  total: number;
  contents: CommentRow[];
  /** Keyset position of each row. */
  positions: Position[];
  stamp: Stamp | null;
}

/** The same slice of the lists of several owners, in the order of `ownerIds`; null for an owner that does not exist. */
export async function findComments(
  database: Database,
  list: CommentList,
  ownerIds: readonly number[],
  slice: Slice,
): Promise<(FoundComments | null)[]> {
  const { owner, ownerId, total, condition, order, stamp }: ListKind = LISTS[list];
  const bindings = new Bindings();
  const owners = bindings.add(ownerIds, 'bigint[]');
  const ids = keysetIds({ source: 'comments c', id: 'c.id', conditions: [condition], order, total }, slice, bindings);
  const text = `select ${ownerId} as id, ${total} as total, ${stamp ?? 'null'} as stamp, (${packedRows(order, ids)})::text as contents
    from ${owner} where ${ownerId} = any(${owners})`;
  const rows = await database.query(composedStatement<Packed>(text), bindings.values);
  const found = new Map(rows.map((row) => [row.id, unpack(row)]));
  return ownerIds.map((id) => found.get(id) ?? null);
}

type Values = [
  key: string,
  id: number,
  content: string | null,
  memberId: number,
  authorName: string,
  articleId: number,
  parentId: number | null,
  createdAt: string,
  updatedAt: string,
];

interface Packed {
  id: number;
  total: number;
  stamp: string | null;
  /** JSON of `Values[]`; null for an empty list. */
  contents: string | null;
}

/** The ids are compared with an array (`= any(array(...))`), so that the planner estimates few rows and uses index lookups. */
function packedRows(order: Order, ids: string): string {
  return `select json_agg(json_build_array(${keyText(order)}, c.id,
      case when c.deleted_at is null then c.content end, coalesce(c.member_id, 0),
      case when c.deleted_at is not null then '${DELETED}' else coalesce(m.nickname, '${WITHDRAWN}') end,
      c.article_id, c.parent_id, c.created_at at time zone 'UTC', c.updated_at at time zone 'UTC')
    ${inOrder(order, 'c.id')})
  from comments c left join members m on m.id = c.member_id
  where c.id = any(array(${ids}))`;
}

function unpack({ total, stamp, contents }: Packed): FoundComments {
  const comments = JSON.parse(contents ?? '[]') as Values[];
  return {
    total,
    contents: comments.map(toRow),
    positions: comments.map(([key, id]) => ({ key, id })),
    stamp: stamp === null ? null : readStamp(stamp),
  };
}

function toRow(values: Values): CommentRow {
  const [, id, content, memberId, authorName, articleId, parentId, createdAt, updatedAt] = values;
  return { id, content: content ?? DELETED, memberId, authorName, articleId, parentId, createdAt, updatedAt };
}
