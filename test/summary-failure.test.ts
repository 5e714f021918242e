/** Summaries when the provider has a bad day: they fail in the end, for all to see, and nothing else suffers. */
import { expect } from 'chai';
import { openModel } from '../src/ai/openai.js';
import { loadConfig } from '../src/config/index.js';
import { createLog } from '../src/observability/log.js';
import { registry } from '../src/observability/metrics/registry.js';
import { openPatient } from './support/ai-model.js';
import {
  type Behaviour,
  fails,
  floods,
  resets,
  says,
  sends,
  startAiProvider,
  staysSilent,
} from './support/ai-provider.js';
import { useApp } from './support/app.js';
import { buildArticle } from './support/build.js';
import { call } from './support/client.js';
import { runSummaries, waitingSummaries } from './support/jobs.js';
import { answerWith, freshText, runAttempts, summaryOf, toldOf } from './support/summaries.js';

const provider = await startAiProvider();
after(() => provider.close());

const environment = { ...provider.environment, AI_TIMEOUT_MS: '1000', AI_MAX_RETRIES: '0' };
const ai = openPatient(environment);

const GARBAGE: Record<string, Behaviour> = {
  'is not JSON': says('Here is a summary of your article!'),
  'is broken JSON': says('{"summary": "x", "tags": ['),
  'is JSON of another shape': says('{"title": "x", "keywords": []}'),
  'has tags that are none': says('{"summary": "x", "tags": [1, null]}'),
  'has an empty summary': says(answerWith(' \u0000\n ')),
  'was cut off': says('{"summary": "half a sum', 'length'),
  'is empty': says(''),
  'is HTML': sends('<html>', 'text/html'),
  'is of another shape altogether': sends('[1, 2]'),
};

describe('An answer that cannot be used', () => {
  const app = useApp(environment, { ai });

  for (const [name, behaviour] of Object.entries(GARBAGE)) {
    it(`because it ${name} is asked for once more`, async () => {
      provider.answer(behaviour, says(`\`\`\`json\n${answerWith('Better.')}\n\`\`\``));
      const { id } = await buildArticle(app.url, { content: freshText() });
      await runSummaries(app);
      expect(await summaryOf(app.url, id)).to.include({ aiSummary: 'Better.', status: 'COMPLETED' });
      expect(provider.asked).to.have.length(2);
    });

    it(`because it ${name} twice fails for all to see`, async () => {
      provider.answer(behaviour);
      const { id, author } = await buildArticle(app.url, { content: freshText() });
      await runSummaries(app);
      expect(await summaryOf(app.url, id)).to.deep.equal({ articleId: id, aiSummary: null, status: 'FAILED' });
      expect(provider.asked).to.have.length(2);
      expect(await waitingSummaries(app)).to.deep.equal([]);
      expect(await toldOf(app.url, author.token)).to.deep.equal(['FAILED']);
    });
  }

  it('is counted among the failures', async () => {
    provider.answer(says('{"title": "x", "keywords": []}'));
    const before = await failedForText();
    await buildArticle(app.url, { content: freshText() });
    await runSummaries(app);
    expect((await failedForText()) - before).to.equal(2);
  });

  /** Summaries that failed because their answer could not be read. */
  async function failedForText(): Promise<number> {
    const text = await registry.getSingleMetricAsString('daybook_ai_failures_total');
    return Number(/operation="summary",reason="unreadable"\} (\d+)/.exec(text)?.[1] ?? 0);
  }
});

/** And how many attempts it takes until the summary fails for good, with how many requests each. */
const BAD_DAYS: [name: string, behaviour: Behaviour, attempts: number, requests: number][] = [
  ['answers 500', fails(500), 5, 1],
  ['answers 429 with Retry-After', fails(429, { 'Retry-After': '1' }), 5, 1],
  ['never answers', staysSilent, 5, 1],
  ['resets the connection', resets, 5, 1],
  ['sends 10 MB', floods(10_000_000), 1, 1],
  ['refuses the key', fails(401), 1, 1],
  ['refuses the text, with a schema and without', fails(400), 1, 2],
];

describe('A summary on a bad day', () => {
  const app = useApp(environment, { ai });

  for (const [name, behaviour, attempts, requests] of BAD_DAYS) {
    it(`when the provider ${name} fails in the end, and the article is saved at once`, async () => {
      provider.answer(behaviour);
      const { id, author } = await buildArticle(app.url, { content: freshText() });
      expect(provider.asked, 'nobody waits for it').to.have.length(0);
      for (let attempt = 1; attempt <= attempts; attempt++) {
        expect((await summaryOf(app.url, id)).status, `before attempt ${attempt}`).to.equal('PENDING');
        await runAttempts(app, 1);
      }
      expect((await summaryOf(app.url, id)).status).to.equal('FAILED');
      expect(provider.asked).to.have.length(attempts * requests);
      expect(await waitingSummaries(app)).to.deep.equal([]);
      expect(await toldOf(app.url, author.token)).to.deep.equal(['FAILED']);
    });
  }

  it('is made when the provider is well again and the author asks', async () => {
    provider.answer(fails(401), says(answerWith('Well again.')));
    const { id, author } = await buildArticle(app.url, { content: freshText() });
    await runSummaries(app);
    await call(app.url, `POST /api/articles/${id}/summary`, { token: author.token });
    await runSummaries(app);
    expect(await summaryOf(app.url, id)).to.include({ aiSummary: 'Well again.', status: 'COMPLETED' });
    expect(await toldOf(app.url, author.token)).to.deep.equal(['FAILED', 'COMPLETED']);
  });

  it('costs nothing while the circuit breaker is open', async () => {
    const dead = openModel(loadConfig(environment).ai, createLog('silent'), { failures: 1, delay: 3_600_000 });
    const services = { ...app.services, ai: dead };
    provider.answer(fails(500));
    const { id } = await buildArticle(app.url, { content: freshText() });
    await runAttempts({ ...app, services }, 5);
    expect((await summaryOf(app.url, id)).status).to.equal('FAILED');
    expect(provider.asked).to.have.length(1);
  });
});

describe('Asking for a summary again', () => {
  const app = useApp({ ...environment, AI_DAILY_BUDGET: '2' }, { ai });

  it('429 beyond the budget of the day; asking while one is on its way costs nothing', async () => {
    provider.answer(says(answerWith('Paid for.')));
    const { id, author } = await buildArticle(app.url, { content: freshText() });
    const ask = async () => {
      const { status } = await call(app.url, `POST /api/articles/${id}/summary`, { token: author.token });
      return status;
    };
    const statuses = [];
    for (let time = 0; time < 3; time++) {
      statuses.push(await ask(), await ask());
      await runSummaries(app);
    }
    // The first two find the one that came with the article; after the third run nothing is left.
    expect(statuses).to.deep.equal([202, 202, 202, 202, 202, 202]);
    expect(await ask()).to.equal(429);
  });
});
