/** Summaries while the AI provider fails: they end as FAILED, the author is notified, and articles are saved without delay. */
import { expect } from 'chai';
import { loadConfig } from '../../src/platform/config/index.js';
import { createLog } from '../../src/platform/observability/log.js';
import { registry } from '../../src/platform/observability/metrics/registry.js';
import { openModel } from '../../src/services/ai/openai.js';
import { openModelWithoutBreaker } from '../support/ai-model.js';
import { type Behavior, respond, startAiProvider } from '../support/ai-provider.js';
import { useApp } from '../support/app.js';
import { buildArticle } from '../support/build.js';
import { call } from '../support/client.js';
import { runSummaries, waitingSummaries } from '../support/jobs.js';
import { freshText, runAttempts, summaryJson, summaryOf, summaryOutcomesOf } from '../support/summaries.js';

const provider = await startAiProvider();
after(() => provider.close());

const environment = { ...provider.environment, AI_TIMEOUT_MS: '1000', AI_MAX_RETRIES: '0' };
const ai = openModelWithoutBreaker(environment);

const GARBAGE: Record<string, Behavior> = {
  'is not JSON': respond.withText('Here is a summary of your article!'),
  'is broken JSON': respond.withText('{"summary": "x", "tags": ['),
  'is JSON of another shape': respond.withText('{"title": "x", "keywords": []}'),
  'has invalid tags': respond.withText('{"summary": "x", "tags": [1, null]}'),
  'has an empty summary': respond.withText(summaryJson(' \u0000\n ')),
  'was cut off': respond.withText('{"summary": "half a sum', 'length'),
  'is empty': respond.withText(''),
  'is HTML': respond.withBody('<html>', 'text/html'),
  'is of another shape altogether': respond.withBody('[1, 2]'),
};

describe('An unusable provider response', () => {
  const app = useApp(environment, { ai });

  for (const [name, behavior] of Object.entries(GARBAGE)) {
    it(`is requested once more when it ${name}`, async () => {
      provider.setResponses(behavior, respond.withText(`\`\`\`json\n${summaryJson('Better.')}\n\`\`\``));
      const { id } = await buildArticle(app.url, { content: freshText() });
      await runSummaries(app);
      expect(await summaryOf(app.url, id)).to.include({ aiSummary: 'Better.', status: 'COMPLETED' });
      expect(provider.requests).to.have.length(2);
    });

    it(`fails the summary when it ${name} twice`, async () => {
      provider.setResponses(behavior);
      const { id, author } = await buildArticle(app.url, { content: freshText() });
      await runSummaries(app);
      expect(await summaryOf(app.url, id)).to.deep.equal({ articleId: id, aiSummary: null, status: 'FAILED' });
      expect(provider.requests).to.have.length(2);
      expect(await waitingSummaries(app)).to.deep.equal([]);
      expect(await summaryOutcomesOf(app.url, author.token)).to.deep.equal(['FAILED']);
    });
  }

  it('is counted in the failure metric, once per request', async () => {
    provider.setResponses(respond.withText('{"title": "x", "keywords": []}'));
    const before = await failedForText();
    await buildArticle(app.url, { content: freshText() });
    await runSummaries(app);
    expect((await failedForText()) - before).to.equal(2);
  });

  /** Value of the failure counter for summaries with reason `unreadable`. */
  async function failedForText(): Promise<number> {
    const text = await registry.getSingleMetricAsString('daybook_ai_failures_total');
    return Number(/operation="summary",reason="unreadable"\} (\d+)/.exec(text)?.[1] ?? 0);
  }
});

/** Each with the number of attempts until the summary is FAILED, and the requests per attempt. */
const FAILURES: [name: string, behavior: Behavior, attempts: number, requests: number][] = [
  ['responds with 500', respond.withStatus(500), 5, 1],
  ['responds with 429 and Retry-After', respond.withStatus(429, { 'Retry-After': '1' }), 5, 1],
  ['never responds', respond.never, 5, 1],
  ['resets the connection', respond.withReset, 5, 1],
  ['sends 10 MB', respond.withBytes(10_000_000), 1, 1],
  ['rejects the key', respond.withStatus(401), 1, 1],
  ['rejects the text, with a schema and without', respond.withStatus(400), 1, 2],
];

describe('A summary while the provider fails', () => {
  const app = useApp(environment, { ai });

  for (const [name, behavior, attempts, requests] of FAILURES) {
    it(`ends as FAILED when the provider ${name}, without delaying the article`, async () => {
      provider.setResponses(behavior);
      const { id, author } = await buildArticle(app.url, { content: freshText() });
      expect(provider.requests, 'no call before the job runs').to.have.length(0);
      for (let attempt = 1; attempt <= attempts; attempt++) {
        expect((await summaryOf(app.url, id)).status, `before attempt ${attempt}`).to.equal('PENDING');
        await runAttempts(app, 1);
      }
      expect((await summaryOf(app.url, id)).status).to.equal('FAILED');
      expect(provider.requests).to.have.length(attempts * requests);
      expect(await waitingSummaries(app)).to.deep.equal([]);
      expect(await summaryOutcomesOf(app.url, author.token)).to.deep.equal(['FAILED']);
    });
  }

  it('is made when the provider works again and the author requests it', async () => {
    provider.setResponses(respond.withStatus(401), respond.withText(summaryJson('Well again.')));
    const { id, author } = await buildArticle(app.url, { content: freshText() });
    await runSummaries(app);
    await call(app.url, `POST /api/articles/${id}/summary`, { token: author.token });
    await runSummaries(app);
    expect(await summaryOf(app.url, id)).to.include({ aiSummary: 'Well again.', status: 'COMPLETED' });
    expect(await summaryOutcomesOf(app.url, author.token)).to.deep.equal(['FAILED', 'COMPLETED']);
  });

  it('sends no requests while the circuit breaker is open', async () => {
    const dead = openModel(loadConfig(environment).ai, createLog('silent'), { failures: 1, probeDelayMs: 3_600_000 });
    const services = { ...app.services, ai: dead };
    provider.setResponses(respond.withStatus(500));
    const { id } = await buildArticle(app.url, { content: freshText() });
    await runAttempts({ ...app, services }, 5);
    expect((await summaryOf(app.url, id)).status).to.equal('FAILED');
    expect(provider.requests).to.have.length(1);
  });
});

describe('Requesting a summary again', () => {
  const app = useApp({ ...environment, AI_DAILY_BUDGET: '2' }, { ai });

  it('returns 429 beyond the daily budget; requests for a pending summary cost nothing', async () => {
    provider.setResponses(respond.withText(summaryJson('Paid for.')));
    const { id, author } = await buildArticle(app.url, { content: freshText() });
    const requestSummary = async () => {
      const { status } = await call(app.url, `POST /api/articles/${id}/summary`, { token: author.token });
      return status;
    };
    const statuses = [];
    for (let time = 0; time < 3; time++) {
      statuses.push(await requestSummary(), await requestSummary());
      await runSummaries(app);
    }
    // The first two find the automatic summary pending; the budget is used up after the third run.
    expect(statuses).to.deep.equal([202, 202, 202, 202, 202, 202]);
    expect(await requestSummary()).to.equal(429);
  });
});
