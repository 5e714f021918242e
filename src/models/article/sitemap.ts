/** Content of the sitemap: every article, oldest first. */
import type { Database } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import type { Version } from '../../platform/http/conditional.js';
import { microseconds, readStamp, stampText } from '../stamp.js';

/** The stamp covers articles only: changes of names and comments do not alter it. */
const SITEMAP_STATE = statement<[], { stamp: string; total: number }>(
  'sitemap_state',
  `select ${stampText(['s.total'], ['s.last'])} as stamp,
     (select coalesce(sum(articles), 0)::integer from article_totals) as total
   from (select sum(${microseconds('changed_at')}) as total, max(changed_at) as last
         from journal_stamps where kind = 'articles') s`,
);

/** All lines as one text: one row per article would take ten times as long to parse. */
const SITEMAP_PART = statement<[limit: number, offset: number], { articles: string | null }>(
  'sitemap_part',
  `select string_agg(a.id || ' ' || to_char(a.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' ' || a.slug, E'\\n' order by a.id)
     as articles
   from (select id, updated_at, slug from articles order by id limit $1 offset $2) a`,
);

export interface MappedArticle {
  id: number;
  slug: string;
  /** RFC 3339. */
  updatedAt: string;
}

export interface SitemapState {
  version: Version;
  /** Number of articles. */
  total: number;
}

export async function findSitemapState(database: Database): Promise<SitemapState> {
  const [row] = await database.query(SITEMAP_STATE, []);
  return { version: readStamp(row?.stamp ?? ''), total: row?.total ?? 0 };
}

export async function findMappedArticles(database: Database, limit: number, offset: number): Promise<MappedArticle[]> {
  const [row] = await database.query(SITEMAP_PART, [limit, offset]);
  const lines = row?.articles?.split('\n') ?? [];
  return lines.map((line) => {
    const [id, updatedAt = '', slug = ''] = line.split(' ');
    return { id: Number(id), slug, updatedAt };
  });
}
