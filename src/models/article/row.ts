/** An article as an item of a list, and the SQL that returns a list as one JSON text. */

import { inOrder, keyText, type Order, type Position } from '../../database/keyset.js';
import { JOURNAL_STAMP, readStamp, type Stamp } from '../stamp.js';
import type { ArticleRow } from './article.js';
import { excerptOf } from './excerpt.js';

/** Expensive columns to fetch in addition to the default ones. */
export interface ArticleIncludes {
  content: boolean;
  tags: boolean;
}

/** An article of a list. Fields that were not requested are absent. */
export type ListedArticle = Omit<ArticleRow, 'content' | 'tags' | 'stamp'> &
  Partial<Pick<ArticleRow, 'content' | 'tags'>>;

export interface FoundArticles {
  contents: ListedArticle[];
  /** Keyset position of each row. */
  positions: Position[];
}

type Values = [
  key: string,
  id: number,
  title: string,
  excerpt: string | null,
  head: string | null,
  memberId: number,
  authorName: string,
  categoryId: number,
  categoryName: string,
  image: string | null,
  commentCount: number,
  aiSummary: string | null,
  version: number,
  createdAt: string,
  updatedAt: string,
  content: string | null,
  tags: string[] | null,
];

export interface Packed {
  /** JSON of `Values[]`; null for an empty list. */
  contents: string | null;
}

/**
 * A query for these articles as one JSON text: fewer bytes than as many columns, and faster to parse. The ids are compared with an
 * array (`= any(array(...))`), so that the planner estimates few rows and uses index lookups.
 */
export function packedRows({ content, tags }: ArticleIncludes, order: Order, ids: string): string {
  const tagNames = `(select json_agg(t.name order by x.position) from article_tags x join tags t on t.id = x.tag_id
    where x.article_id = a.id)`;
  return `select json_agg(json_build_array(${keyText(order)}, a.id, a.title, a.excerpt,
      case when a.excerpt is null then left(a.content, 4000) end, a.member_id, m.nickname, a.category_id, k.name,
      a.image, a.comment_count, a.ai_summary, a.version, a.created_at at time zone 'UTC',
      a.updated_at at time zone 'UTC', ${content ? 'a.content' : 'null'}, ${tags ? tagNames : 'null'})
    ${inOrder(order, 'a.id')})
  from articles a join members m on m.id = a.member_id join categories k on k.id = a.category_id
  where a.id = any(array(${ids}))`;
}

/** One numbered page of a list. */
export interface FoundArticlePage extends FoundArticles {
  /** Size of the whole list. */
  total: number;
  stamp: Stamp | null;
}

export type PackedPage = Packed & { total: number; stamp: string };

/** The columns of a `PackedPage`. @param total an SQL expression */
export function packedPage(total: string, contents: string): string {
  return `${total}::integer as total, (${JOURNAL_STAMP}) as stamp, (${contents})::text as contents`;
}

export function unpackPage(packed: PackedPage | undefined, parts: ArticleIncludes): FoundArticlePage {
  return { total: packed?.total ?? 0, stamp: packed ? readStamp(packed.stamp) : null, ...unpack(packed, parts) };
}

export function unpack(packed: Packed | undefined, parts: ArticleIncludes): FoundArticles {
  const articles = JSON.parse(packed?.contents ?? '[]') as Values[];
  return {
    contents: articles.map((values) => toRow(values, parts)),
    positions: articles.map(([key, id]) => ({ key, id })),
  };
}

function toRow(values: Values, parts: ArticleIncludes): ListedArticle {
  const [, id, title, excerpt, head, memberId, authorName, categoryId, categoryName, image, ...others] = values;
  const [commentCount, aiSummary, version, createdAt, updatedAt, content, tags] = others;
  return {
    id,
    title,
    excerpt: excerpt ?? excerptOf(head ?? ''),
    memberId,
    authorName,
    categoryId,
    categoryName,
    image,
    commentCount,
    aiSummary,
    version,
    createdAt,
    updatedAt,
    ...(parts.content && { content: content ?? '' }),
    ...(parts.tags && { tags: tags ?? [] }),
  };
}
