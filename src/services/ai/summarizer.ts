/** Makes summaries: with the AI provider within the author's budget, otherwise with the built-in extractive summarizer. */
import { createHash } from 'node:crypto';
import { FIND_CACHED_SUMMARY, type Summary } from '../../models/summary.js';
import type { Database } from '../../platform/database/pool.js';
import { jobTask } from '../limits/client-task.js';
import type { Limits } from '../limits/limits.js';
import { withinSummaryBudget } from './budget.js';
import { EXTRACT_VERSION, type ExtractiveSummarizer } from './extractive/summarizer.js';
import type { TextModel } from './provider.js';
import { PROMPT_VERSION, requestSummary } from './summary-prompt.js';

interface SummaryServices {
  readonly ai: TextModel | null;
  readonly database: Database;
  readonly extractor: ExtractiveSummarizer;
  readonly limits: Limits;
}

export interface SummaryTask {
  readonly content: string;
  /** The visible text, for the built-in summarizer; null if it is not available. */
  readonly text: string | null;
  readonly authorId: number;
  /** The author requested it: already counted for AI requests, so not counted for the budget for automatic summaries. */
  readonly isRequested: boolean;
  readonly signal: AbortSignal;
}

export interface KeyedSummary extends Summary {
  /** Cache key: SHA-256 of the text and of the model and prompt version, or the extractor version. */
  readonly key: Buffer;
  /** Made without the provider. */
  readonly isBuiltIn: boolean;
}

/** @throws ProviderFailure if no summary can be made; the signal's reason */
export async function summarize(services: SummaryServices, task: SummaryTask): Promise<KeyedSummary> {
  return (
    (services.ai && (await summarizeByProvider(services, services.ai, task))) ?? summarizeExtractively(services, task)
  );
}

/** @returns null where the budget is used up */
async function summarizeByProvider(
  services: SummaryServices,
  model: TextModel,
  { content, authorId, isRequested, signal }: SummaryTask,
): Promise<KeyedSummary | null> {
  const key = hashOf(model.name, '\0', String(PROMPT_VERSION), '\0', content);
  const [cached] = await services.database.query(FIND_CACHED_SUMMARY, [key]);
  if (cached) return { key, isBuiltIn: false, ...cached };
  // No transaction and no database connection is open here, because the provider may be slow.
  const request = () => requestSummary(model, content, signal);
  const summary = await (isRequested ? request() : withinSummaryBudget(services, authorId, request));
  return summary && { key, isBuiltIn: false, ...summary };
}

async function summarizeExtractively(
  { database, extractor }: SummaryServices,
  { content, text, authorId, signal }: SummaryTask,
): Promise<KeyedSummary> {
  // An article may consist of an image without an alternative text.
  const source = text || content;
  const key = hashOf(`extractive\0${EXTRACT_VERSION}\0`, source);
  const [cached] = await database.query(FIND_CACHED_SUMMARY, [key]);
  const summary = cached ?? (await extractor.extract(source, jobTask(authorId, signal)));
  return { key, isBuiltIn: true, ...summary };
}

export function hashOf(...parts: string[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
