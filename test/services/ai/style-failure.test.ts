/** Failures of the AI provider: one clear error over every API, without an effect on other requests. */
import { expect } from 'chai';
import { openModelWithoutBreaker } from '../../support/ai-model.js';
import { AI_KEY, type Behavior, respond, startAiProvider } from '../../support/ai-provider.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildMember, useMember } from '../../support/build.js';
import { call } from '../../support/client.js';
import { describeFault, seconds } from '../../support/faults.js';
import { PROMPT_CLIENTS } from '../../support/prompts.js';
import { TRANSFORM_CLIENTS } from '../../support/styles.js';

const provider = await startAiProvider();
after(() => provider.close());

const environment = { ...provider.environment, AI_MAX_RETRIES: '0', AI_DAILY_BUDGET: '1000' };
const app = useApp(environment, { ai: openModelWithoutBreaker({ ...environment, AI_TIMEOUT_MS: '60000' }) });
/** For a provider that does not respond. */
const impatient = useApp(environment, { ai: openModelWithoutBreaker({ ...environment, AI_TIMEOUT_MS: '1000' }) });
const without = useApp();

interface Outcome {
  status: number;
  code: string;
  message: string;
  text: string | null;
  retryAfter: string | null;
}

const CLIENTS: Record<string, (url: string, member: BuiltMember) => Promise<Outcome>> = {};
for (const [way, send] of Object.entries(TRANSFORM_CLIENTS)) {
  CLIENTS[`transformStyle, ${way}`] = (url, member) => send(url, member, { content: 'x', writingStyle: 'FRIENDLY' });
}
for (const [way, send] of Object.entries(PROMPT_CLIENTS)) {
  CLIENTS[`generateText, ${way}`] = (url, member) => send(url, member, 'x');
}

const FAILURES: Record<string, Behavior> = {
  'returns 500': respond.withStatus(500),
  'returns 429': respond.withStatus(429, { 'Retry-After': '7' }),
  'resets the connection': respond.withReset,
  'rejects the key': respond.withStatus(401),
  'rejects the request': respond.withStatus(400),
  'returns an HTML page': respond.withBody('<!doctype html><h1>Bad gateway</h1>', 'text/html'),
  'returns malformed JSON': respond.withBody('{"choices": [{"message": {'),
  'returns JSON of another shape': respond.withBody('{"result": "ok"}'),
  'returns an empty text': respond.withText(''),
  'returns only control characters': respond.withText('\u0007 \u0000'),
  'returns a text over the size limit': respond.withBytes(250_000),
};

/** Each takes as long as AI_TIMEOUT_MS of `impatient`. */
const TIMEOUTS: Record<string, Behavior> = {
  'never responds': respond.never,
  'never ends its response': respond.withoutEnd,
};

function expectFailure({ code, message, text }: Outcome): void {
  expect([code, text]).to.deep.equal(['AI_PROVIDER_FAILED', null]);
  expect(message).to.match(/^The (?:response of the )?AI provider .+\.$/);
  expect(message).to.not.match(new RegExp(`${AI_KEY}|doctype|Bad gateway|some_error`));
}

for (const [name, send] of Object.entries(CLIENTS)) {
  describe(`A provider failure in ${name}`, () => {
    const member = useMember(app);

    for (const [failure, behavior] of Object.entries(FAILURES)) {
      it(`returns AI_PROVIDER_FAILED when the provider ${failure}, without the provider text`, async () => {
        provider.setResponses(behavior);
        expectFailure(await send(app.url, member));
      });
    }

    it('passes on the Retry-After of the provider', async () => {
      provider.setResponses(respond.withStatus(429, { 'Retry-After': '7' }));
      expect((await send(app.url, member)).retryAfter).to.equal('7');
    });

    it('succeeds again as soon as the provider does', async () => {
      provider.setResponses(respond.withText('well again'));
      expect((await send(app.url, member)).text).to.equal('well again');
    });

    it('returns AI_NOT_CONFIGURED without a provider, naming the missing settings', async () => {
      const { code, message, retryAfter } = await send(without.url, await buildMember(without.url));
      expect([code, retryAfter]).to.deep.equal(['AI_NOT_CONFIGURED', '3600']);
      expect(message).to.match(/AI_MODEL.*AI_API_KEY.*AI_BASE_URL/);
    });
  });
}

describe('A failing provider', () => {
  for (const [failure, behavior] of Object.entries(TIMEOUTS)) {
    it(`returns AI_PROVIDER_FAILED over each API when it ${failure}, without its text`, async () => {
      provider.setResponses(behavior);
      const sent = Object.values(CLIENTS).map(async (send) => send(impatient.url, await buildMember(impatient.url)));
      for (const outcome of await Promise.all(sent)) expectFailure(outcome);
    });
  }

  it('returns 502 over REST, and 503 without a provider', async () => {
    provider.setResponses(respond.withStatus(500));
    const [member, other] = [await buildMember(app.url), await buildMember(without.url)];
    const statuses = [];
    for (const [name, send] of Object.entries(CLIENTS).filter(([way]) => !way.endsWith('GraphQL'))) {
      statuses.push([name, (await send(app.url, member)).status, (await send(without.url, other)).status]);
    }
    expect(statuses).to.deep.equal([
      ['transformStyle, REST', 502, 503],
      ['transformStyle, REST in chunks', 502, 503],
      ['generateText, REST', 502, 503],
    ]);
  });

  describeFault('ai-hanging', (measured) => {
    it('does not block writing and reading of articles', async () => {
      provider.setResponses(respond.never);
      const { id, author } = await buildArticle(impatient.url);
      const startedAt = performance.now();
      const results = Object.values(CLIENTS)
        .slice(0, 3)
        .map((send) => send(impatient.url, author));
      expect((await call(impatient.url, `GET /api/articles/${id}`)).status).to.equal(200);
      await buildArticle(impatient.url, {}, author);
      const writtenMs = performance.now() - startedAt;
      expect((await Promise.all(results)).map(({ code }) => code)).to.deep.equal(Array(3).fill('AI_PROVIDER_FAILED'));
      const failedMs = performance.now() - startedAt;
      measured(`read and written after ${seconds(writtenMs)}; AI requests fail after ${seconds(failedMs)}`);
    });
  });
});
