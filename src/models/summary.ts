/** Summaries of articles: stored state and the statements that read it. */
import { statement } from '../database/statement.js';

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
