/** Content of the sitemap: every article, oldest first. */
import type { Database } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import type { Version } from '../../platform/http/conditional.js';
import { readStamp, stampText } from '../stamp.js';

/** The stamp covers articles only: changes of names and comments do not alter it. */
const SITEMAP_STATE = statement<[], { stamp: string; total: number }>(
  'sitemap_state',
  `select ${stampText(['s.total'], 's.last')} as stamp,
     (select coalesce(sum(articles), 0)::integer from article_totals) as total
   from (select sum(microseconds_of(changed_at)) as total, max(changed_at) as last
         from journal_stamps where kind = 'articles') s`,
);

/** All lines as one text: one row per article would take ten times as long to parse. */
const SITEMAP_PART = statement<
  [limit: number, offset: number],
  { articles: string | null; translations: string | null }
>(
  'sitemap_part',
  `with part as materialized (select id, updated_at, slug, translation_group_id from articles order by id limit $1 offset $2)
   select (
       select string_agg(a.id || ' ' || to_char(a.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' ' || a.slug || ' ' ||
         coalesce(a.translation_group_id::text, ''), E'\\n' order by a.id)
       from part a
     ) as articles, (
       select string_agg(b.id || ' ' || b.language || ' ' || b.slug || ' ' || b.translation_group_id, E'\\n' order by b.language)
       from articles b where b.translation_group_id = any(array(select distinct translation_group_id from part))
     ) as translations`,
);

export interface MappedArticle {
  id: number;
  slug: string;
  /** RFC 3339. */
  updatedAt: string;
  /** Public ones of the same group, itself included, by language; none without others. */
  translations: readonly MappedTranslation[];
}

export interface MappedTranslation {
  id: number;
  slug: string;
  language: string;
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
  const groups = new Map<string, MappedTranslation[]>();
  for (const [id, language = '', slug = '', group = ''] of fieldsOf(row?.translations)) {
    const translations = groups.get(group) ?? [];
    groups.set(group, translations);
    translations.push({ id: Number(id), slug, language });
  }
  return fieldsOf(row?.articles).map(([id, updatedAt = '', slug = '', group = '']) => {
    const translations = groups.get(group) ?? [];
    return { id: Number(id), slug, updatedAt, translations: translations.length > 1 ? translations : [] };
  });
}

function fieldsOf(lines: string | null | undefined): string[][] {
  return lines?.split('\n').map((line) => line.split(' ')) ?? [];
}
