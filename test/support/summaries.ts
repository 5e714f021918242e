/** Reads the state of article summaries through the API, and runs their jobs. */
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

/** The outcomes of the member's SUMMARY notifications, oldest first. */
export async function summaryOutcomesOf(url: string, token: string): Promise<string[]> {
  const query = '{ notifications(size: 100) { contents { type outcome } } }';
  const { data } = await graphql(url, query, {}, token);
  const contents: { type: string; outcome: string }[] = data.notifications.contents;
  return contents
    .filter(({ type }) => type === 'SUMMARY')
    .map(({ outcome }) => outcome)
    .reverse();
}

/** A valid response text of the provider. */
export function summaryJson(summary: string, tags: string[] = []): string {
  return JSON.stringify({ summary, tags });
}

/** Runs up to `maxAttempts` attempts without the delay between retries. */
export async function runAttempts(app: TestApp, maxAttempts: number): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts && (await waitingSummaries(app)).length > 0; attempt++) {
    await app.database.sequelize.query('update graphile_worker._private_jobs set run_at = now()');
    await runSummaries(app);
  }
}

let count = 0;

/** A unique text, so that no response to it is cached. */
export function freshText(): string {
  return `${++count} texts have been written for this.`;
}
