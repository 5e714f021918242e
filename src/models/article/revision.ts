/** Earlier states of articles. A trigger stores the replaced title and content of each edit (migrations/0001/07-drafts-and-revisions.sql). */
import ms from 'ms';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { statement } from '../../platform/database/statement.js';
import { metadataSql, REVISED_NAMES, type RevisedMetadata } from './metadata.js';

export interface RevisionRow extends RevisedMetadata {
  /** The revision of the article that an edit replaced. */
  number: number;
  title: string;
  /** Length of the content in code points. */
  characters: number;
  /** The `updatedAt` of the article in this state. */
  createdAt: Date;
}

export interface RevisionDetailRow extends RevisionRow {
  content: string;
  tags: string[];
}

export const REVISION_COLUMNS = `r.number, r.title, ${metadataSql('r', REVISED_NAMES)}, r.characters, r.created_at as "createdAt"`;

/** Newest first; always at least one row, with only the total where the page is empty. */
export const REVISION_PAGE = statement<
  [articleId: number, size: number, offset: number],
  (RevisionRow | { number: null }) & { total: number }
>(
  'revision_page',
  `select ${REVISION_COLUMNS}, t.total from (select count(*) as total from article_revisions where article_id = $1) t
   left join lateral (select * from article_revisions where article_id = $1 order by number desc limit $2 offset $3) r on true
   order by r.number desc`,
);

export const FIND_REVISION = statement<[articleId: number, number: number], RevisionDetailRow>(
  'find_revision',
  `select ${REVISION_COLUMNS}, r.content, r.tags from article_revisions r where r.article_id = $1 and r.number = $2`,
);

/** For an edit of the tags only, before it changes them. No effect if they stay the same. */
export const ADD_REVISION_OF_TAGS = statement<[articleId: number, tags: readonly string[]]>(
  'add_revision_of_tags',
  `select add_article_revision($1) where $2::text[] <> array(
     select t.name from all_article_tags x join tags t on t.id = x.tag_id where x.article_id = $1 order by x.position)::text[]`,
);

const DAILY_REVISIONS_MS = fixedLimit({
  area: 'Writing',
  error: null,
  value: ms('365d'),
  unit: 'ms',
  about: 'Time for which the last revision of each day is kept beyond the newest ones (`REVISIONS_KEPT`).',
});

/** Rows that one statement deletes: more than an article has at once, unless its revisions were never thinned. */
export const THINNING_BATCH = 1_000;

/**
 * Deletes revisions of the articles that are not among the newest `kept`, except the last one of each day in UTC, which is the text at the end of that
 * day, until a year after an edit replaced it; and except that of the revision at which an article became private.
 */
export const THIN_REVISIONS = statement<
  [articleIds: readonly number[], kept: number, limit: number],
  { deleted: number }
>(
  'thin_revisions',
  `with deleted as (
     delete from article_revisions r using (
       select article_id, number from (
         select article_id, number, replaced_at, row_number() over (partition by article_id order by number desc) as place,
           row_number() over (partition by article_id, (created_at at time zone 'UTC')::date order by number desc) as place_in_day
         from article_revisions where article_id = any($1::bigint[])
       ) p where place > $2 and (place_in_day > 1 or replaced_at < now() - ${DAILY_REVISIONS_MS} * interval '1 millisecond')
         and number is distinct from (select min(n.number) from all_articles a join article_revisions n on n.article_id = a.id
           where a.id = p.article_id and n.number >= a.private_revision)
       order by article_id, number limit $3
     ) d where r.article_id = d.article_id and r.number = d.number
     returning 1
   ) select count(*) as deleted from deleted`,
);

/** The 1,000 articles after an id: the last of them, and those with more revisions than `kept`. */
export const ARTICLES_WITH_OLD_REVISIONS = statement<
  [afterArticleId: number, kept: number],
  { last: number | null; ids: number[] }
>(
  'articles_with_old_revisions',
  // An article has fewer stored revisions than edits.
  `select max(a.id) as last, coalesce(array_agg(a.id) filter (where a.revision > $2
     and (select count(*) from article_revisions r where r.article_id = a.id) > $2), '{}') as ids
   from (select id, revision from all_articles where id > $1 order by id limit 1000) a`,
);
