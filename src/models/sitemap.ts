/** What a sitemap lists: every article, oldest first. */
import type { Database } from './database.js';
import { statement } from './statement.js';

const COUNT_ARTICLES = statement<{ total: number }>(
  'count_articles',
  'select coalesce(sum(articles), 0)::integer as total from article_totals',
);

/** As one text, since a row for each would take a process ten times as long to read. Values: limit, offset. */
const SITEMAP_PART = statement<{ articles: string | null }>(
  'sitemap_part',
  `select string_agg(a.id || ' ' || to_char(a.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), E'\\n' order by a.id)
     as articles
   from (select id, updated_at from articles order by id limit $1 offset $2) a`,
);

export interface MappedArticle {
  id: number;
  /** RFC 3339. */
  updatedAt: string;
}

export async function countArticles(database: Database): Promise<number> {
  const [row] = await database.query(COUNT_ARTICLES, []);
  return row?.total ?? 0;
}

export async function findMappedArticles(database: Database, limit: number, offset: number): Promise<MappedArticle[]> {
  const [row] = await database.query(SITEMAP_PART, [limit, offset]);
  const lines = row?.articles?.split('\n') ?? [];
  return lines.map((line) => {
    const [id, updatedAt = ''] = line.split(' ');
    return { id: Number(id), updatedAt };
  });
}
