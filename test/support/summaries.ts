/** Reads how far the summary of an article is, as its readers do. */
import type { TestApp } from './app.js';
import { call, graphql } from './client.js';
import { runSummaries, waitingSummaries } from './jobs.js';

export interface ReadSummary {
  articleId: number;
  aiSummary: string | null;
  status: string;
}

export async function summaryOf(url: string, articleId: number): Promise<ReadSummary> {
  return (await call(url, `GET /api/articles/${articleId}/summary`)).body?.data;
}

export interface ArticleOfAi {
  aiSummary: string | null;
  summaryStatus: string;
  tags: string[];
  aiTags: string[];
}

export async function articleOf(url: string, id: number): Promise<ArticleOfAi> {
  const query = 'query ($id: ID!) { article(id: $id) { aiSummary summaryStatus tags aiTags } }';
  return (await graphql(url, query, { id: String(id) })).data.article;
}

/** What the author has been told of summaries, oldest first. */
export async function toldOf(url: string, token: string): Promise<string[]> {
  const query = '{ notifications(size: 100) { contents { type outcome } } }';
  const { data } = await graphql(url, query, {}, token);
  const contents: { type: string; outcome: string }[] = data.notifications.contents;
  return contents
    .filter(({ type }) => type === 'SUMMARY')
    .map(({ outcome }) => outcome)
    .reverse();
}

/** What a provider answers that does as it was asked. */
export function answerWith(summary: string, tags: string[] = []): string {
  return JSON.stringify({ summary, tags });
}

/** Each attempt at once, where the queue would wait between them. */
export async function runAttempts(app: TestApp, most: number): Promise<void> {
  for (let attempt = 0; attempt < most && (await waitingSummaries(app)).length > 0; attempt++) {
    await app.database.sequelize.query('update graphile_worker._private_jobs set run_at = now()');
    await runSummaries(app);
  }
}

let count = 0;

/** Never the same twice, so that no answer to it is known yet. */
export function freshText(): string {
  return `${++count} texts have been written for this.`;
}
