/** Summaries of articles: stored state and the statements that read it. */
import { statement } from '../platform/database/statement.js';

export const ANALYZE_STATUSES = {
  PENDING: 'The summary was requested and is queued.',
  PROCESSING: 'The summary is being generated.',
  COMPLETED: 'The summary is available.',
  FAILED:
    'No summary exists and none is in progress: the generation failed, or was never requested. The author can request one.',
} as const;

export type AnalyzeStatus = keyof typeof ANALYZE_STATUSES;

export interface SummaryRow {
  /** Id of the article. */
  id: number;
  status: AnalyzeStatus;
  tags: string[];
}

/** A generated summary of a text. */
export interface Summary {
  summary: string;
  /** At most 5, of at most 10 characters. */
  tags: string[];
}

/** In no order; no row for articles whose summary was never requested. */
export const SUMMARIES_BY_ARTICLE = statement<[articleIds: readonly number[]], SummaryRow>(
  'summaries_by_article',
  'select article_id as id, status, tags from article_summaries where article_id = any($1::bigint[])',
);

/** A cached result for the same text and generator. */
export const FIND_CACHED_SUMMARY = statement<[key: Buffer], Summary>(
  'find_summary_answer',
  'select summary, tags from summary_answers where key = $1 limit 1',
);

/** A recorded request, for which a job has to be added. */
export interface RecordedRequest {
  revision: number;
  /**
   * Fair queueing between authors: jobs of lower rounds run first. An author's next summary is one round after the author's
   * last unfinished one; the first is in the lowest unfinished round.
   */
  round: number;
}

/** `set`, `condition`: SQL for an existing row (further assignments, and the WHERE clause of the update). */
const recordRequest = (set: string, condition = '') => `
  insert into article_summaries as s (article_id, member_id, round)
  select a.id, a.member_id, greatest(
    (select min(round) from article_summaries where status in ('PENDING', 'PROCESSING')),
    (select max(round) + 1 from article_summaries
     where member_id = a.member_id and article_id <> a.id and status in ('PENDING', 'PROCESSING')),
    0)
  from all_articles a where a.id = $1
  on conflict (article_id) do update
    set revision = s.revision + 1, status = 'PENDING', member_id = excluded.member_id, round = excluded.round${set}
    ${condition}
  returning revision, round`;

/** Requests a summary of new content, and clears the tags of the previous content. */
export const REQUEST_SUMMARY = statement<[articleId: number], RecordedRequest>(
  'request_summary',
  recordRequest(", tags = '{}'"),
);

/** Requests a summary of the same content again, unless one is pending or in progress. */
export const RETRY_SUMMARY = statement<[articleId: number], RecordedRequest>(
  'retry_summary',
  recordRequest('', "where s.status in ('COMPLETED', 'FAILED')"),
);

/** Requests a summary of the same content if none is pending or in progress, and there is none. */
export const REQUEST_MISSING_SUMMARY = statement<[articleId: number], RecordedRequest>(
  'request_missing_summary',
  recordRequest('', "where s.status = 'FAILED'"),
);

/** Cancels the requests of an article that is private after an edit, and clears the tags of previous content. */
export const CANCEL_SUMMARY = statement<[articleId: number, status: AnalyzeStatus, isRewritten: boolean]>(
  'cancel_summary',
  `update article_summaries
   set revision = revision + 1, status = $2, tags = case when $3::boolean then '{}' else tags end
   where article_id = $1 and ($3::boolean or status in ('PENDING', 'PROCESSING'))`,
);

/**
 * Reads the text. That of a private article only if its author requested the summary of this revision; otherwise the request ends. Locks the
 * article before its summary, as edits do, and waits for an edit. Includes PROCESSING: the process that started it may have crashed.
 */
export const START_SUMMARY = statement<
  [articleId: number, revision: number, requestedRevision: number | null],
  StartedSummary & { isPermitted: boolean }
>(
  'start_summary',
  `with article as materialized (
     select *, not is_private or revision is not distinct from $3::integer as is_permitted
     from all_articles where id = $1 for share
   )
   update article_summaries s set status =
     case when a.is_permitted then 'PROCESSING' when a.ai_summary is null then 'FAILED' else 'COMPLETED' end
   from article a left join article_texts t on t.article_id = a.id
   where a.id = s.article_id and s.article_id = $1 and s.revision = $2 and s.status in ('PENDING', 'PROCESSING')
   returning a.content, t.text, a.member_id as "authorId", a.is_private as "isPrivate", a.is_permitted as "isPermitted"`,
);

export interface StartedSummary {
  content: string;
  /** The visible text; null if it has not been rendered yet. */
  text: string | null;
  authorId: number;
  isPrivate: boolean;
}

export const RESET_SUMMARY = statement<[articleId: number, revision: number]>(
  'reset_summary',
  `update article_summaries set status = 'PENDING' where article_id = $1 and revision = $2 and status = 'PROCESSING'`,
);

/** Locks the article before its summary, in the same order as edits, to prevent deadlocks. */
export const LOCK_ARTICLE_FOR_SUMMARY = statement<[articleId: number]>(
  'lock_article_for_summary',
  'select from all_articles where id = $1 for no key update',
);

/** Tags: null leaves them unchanged. */
export const FINISH_SUMMARY = statement<
  [articleId: number, revision: number, status: AnalyzeStatus, tags: readonly string[] | null],
  { isFinished: true }
>(
  'finish_summary',
  `update article_summaries set status = $3, tags = coalesce($4::text[], tags)
   where article_id = $1 and revision = $2 and status = 'PROCESSING' returning true as "isFinished"`,
);

/** The modification time stays unchanged, because the author did not edit the article. */
export const SET_SUMMARY = statement<[articleId: number, summary: string]>(
  'set_summary',
  'update all_articles set ai_summary = $2 where id = $1',
);

export const CACHE_SUMMARY = statement<[key: Buffer, articleId: number, summary: string, tags: readonly string[]]>(
  'cache_summary',
  `insert into summary_answers as k (key, article_id, summary, tags) values ($1, $2, $3, $4)
   on conflict (key, article_id) do update set created_at = now()`,
);

/** Cached AI responses per article. */
const MAX_CACHED_SUMMARIES = 10;

export const EVICT_CACHED_SUMMARIES = statement<[articleId: number]>(
  'evict_cached_summaries',
  `delete from summary_answers where article_id = $1 and key in (
     select key from summary_answers where article_id = $1 order by created_at desc, key offset ${MAX_CACHED_SUMMARIES})`,
);
