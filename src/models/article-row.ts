/** An article as lists give it, and how PostgreSQL packs a list of them. */

import { inOrder, keyText, type Order, type Position } from '../database/keyset.js';
import type { ArticleRow } from './article.js';
import { excerptOf } from './excerpt.js';
import { JOURNAL_STAMP, readStamp, type Stamp } from './stamp.js';

/** What to fetch beside the columns that cost nothing. */
export interface ArticleParts {
  content: boolean;
  tags: boolean;
}

/** An article of a list. What was not asked for is not there. */
export type ListedArticle = Omit<ArticleRow, 'content' | 'tags' | 'stamp'> &
  Partial<Pick<ArticleRow, 'content' | 'tags'>>;

export interface FoundArticles {
  contents: ListedArticle[];
  /** Where each of them stands in the order. */
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
 * A query for these articles as one JSON text: fewer bytes than as many columns, and less to read. The ids come as an
 * array, so that PostgreSQL expects a few of them and looks each up.
 */
export function packedRows({ content, tags }: ArticleParts, order: Order, ids: string): string {
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
  /** In the whole list. */
  total: number;
  stamp: Stamp | null;
}

export type PackedPage = Packed & { total: number; stamp: string };

/** The columns of a `PackedPage`. @param total an SQL expression */
export function packedPage(total: string, contents: string): string {
  return `${total}::integer as total, (${JOURNAL_STAMP}) as stamp, (${contents})::text as contents`;
}

export function unpackPage(packed: PackedPage | undefined, parts: ArticleParts): FoundArticlePage {
  return { total: packed?.total ?? 0, stamp: packed ? readStamp(packed.stamp) : null, ...unpack(packed, parts) };
}

export function unpack(packed: Packed | undefined, parts: ArticleParts): FoundArticles {
  const articles = JSON.parse(packed?.contents ?? '[]') as Values[];
  return {
    contents: articles.map((values) => toRow(values, parts)),
    positions: articles.map(([key, id]) => ({ key, id })),
  };
}

function toRow(values: Values, parts: ArticleParts): ListedArticle {
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
