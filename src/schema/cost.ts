/** Complexity of fields: 1 for a value; for a list, the sum over its maximum number of elements (`Paged`, `MaxItems`). */
import type { ComplexityEstimatorArgs } from 'graphql-query-complexity';
import { DEFAULT_CHANGES, MAX_CHANGES } from '../models/change.js';
import { AppError, type FieldError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from './page.js';

/** GraphQL's Int. */
const MAX_INT = 2_147_483_647;

/** The arguments that a cost can depend on: variables that are passed only to other arguments do not change it. */
export const COST_ARGUMENTS: ReadonlySet<string> = new Set(['size', 'first', 'last', 'filter']);

/** The content of an article has up to 100,000 characters, its HTML up to 500,000. */
export const CONTENT_COST = 800;
export const CONTENT_HTML_COST = 1_400;
/** The content, and front matter of up to 2,000 characters. */
export const MARKDOWN_COST = CONTENT_COST + 20;
/** The text of an article, which is searched for the first match, has up to 100,000 characters; few of them are returned. */
export const SNIPPET_COST = 20;
/** The content of a comment has up to 1,000 characters. */
export const COMMENT_CONTENT_COST = 3;

/** The articles of a category are counted: at most 100,000 index entries. */
export const CATEGORY_COUNT_COST = 20;

/** The articles of a series are counted, or their ids returned: at most 200 index entries. */
export const SERIES_ARTICLES_COST = 10;

/** A preview may occupy the renderer for two seconds. Operations that only wait for it do not need a permit. */
export const PREVIEW_COST = 600;

/** The page of a comment: up to a million index entries are counted. */
export const COMMENT_PAGE_COST = 500;

/** Up to 1,500 articles are compared. */
const RELATED_COST = 500;

/** A keyword search reads many rows for each row that it returns. */
const KEYWORD_COST = 10_000;

/** A root field or a relation: a statement takes about as long as the serialization of this number of values. */
export const STATEMENT_COST = 100;

type Estimate = Pick<ComplexityEstimatorArgs, 'args' | 'childComplexity'>;

/**
 * Complexity of a numbered page or a connection.
 * @throws AppError VALIDATION_FAILED if the page number or size is out of range: the cost cannot be estimated then
 */
export function listCost({ args, childComplexity }: Estimate): number {
  const errors = Object.entries(RANGES).flatMap(([field, max]) => explainRange(field, args[field], max));
  if (errors.length > 0) throw new AppError('VALIDATION_FAILED', { errors });
  const size = Math.max(args.size ?? 0, args.first ?? 0, args.last ?? 0) || DEFAULT_PAGE_SIZE;
  const search = args.filter?.keyword ? KEYWORD_COST : 0;
  return 1 + search + size * childComplexity;
}

/** Complexity of a page of changes, which has its own sizes. @throws AppError VALIDATION_FAILED if the size is out of range */
export function changesCost({ args, childComplexity }: Estimate): number {
  const errors = explainRange('size', args.size, MAX_CHANGES);
  if (errors.length > 0) throw new AppError('VALIDATION_FAILED', { errors });
  return 1 + (args.size ?? DEFAULT_CHANGES) * childComplexity;
}

/** Complexity of the articles of a series: those before the page are read too. */
export function seriesArticlesCost(estimate: Estimate): number {
  return SERIES_ARTICLES_COST + listCost(estimate);
}

/** Complexity of a list of related articles. */
export function relatedCost(estimate: Estimate): number {
  return RELATED_COST + listCost(estimate);
}

/** The largest value of each argument; the smallest is 1. */
const RANGES = { page: MAX_INT, size: MAX_PAGE_SIZE, first: MAX_PAGE_SIZE, last: MAX_PAGE_SIZE };

function explainRange(field: string, value: number | null | undefined, max: number): FieldError[] {
  if (value == null || (value >= 1 && value <= max)) return [];
  return [{ field, message: createMessage('mustBeBetween', 1, max, String(value)) }];
}
