/** Summaries of articles: what is kept of each, and how readers find it. */
import { statement } from '../database/statement.js';

export const ANALYZE_STATUSES = {
  PENDING: 'It has been asked for and waits for its turn.',
  PROCESSING: 'It is being made.',
  COMPLETED: 'It is there.',
  FAILED: 'There is none, and none is being made: it failed, or nobody has asked for one. The author can ask.',
} as const;

export type AnalyzeStatus = keyof typeof ANALYZE_STATUSES;

export interface SummaryRow {
  /** The article's. */
  id: number;
  status: AnalyzeStatus;
  tags: string[];
}

/** What was made of a text. */
export interface Summary {
  summary: string;
  /** At most 5, of at most 10 characters. */
  tags: string[];
}

/** In no order; none for articles that nobody has asked one for. Values: an array of article ids. */
export const SUMMARIES_BY_ARTICLE = statement<SummaryRow>(
  'summaries_by_article',
  'select article_id as id, status, tags from article_summaries where article_id = any($1::bigint[])',
);

/** What has been answered before. Values: key. */
export const FIND_ANSWER = statement<Summary>(
  'find_summary_answer',
  'select summary, tags from summary_answers where key = $1 limit 1',
);
