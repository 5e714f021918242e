/** AI provider client: requests, every kind of failure, and metrics. */
import { mock } from 'node:test';
import { expect } from 'chai';
import { registry } from '../../../src/platform/observability/metrics/registry.js';
import type { Completion } from '../../../src/services/ai/provider.js';
import { CALL, callModes, failureOf, openTestModel } from '../../support/ai-model.js';
import { AI_KEY, type Behavior, pauseResponse, respond, startAiProvider } from '../../support/ai-provider.js';
import { mockTimeouts } from '../../support/mock-timers.js';

const provider = await startAiProvider();
after(() => provider.close());

describe('AI provider calls', () => {
  it('sends the model, messages, token limit and API key, and reads the text and token counts', async () => {
    provider.setResponses(respond.withText('좋은 아침'));
    const completion: Completion = await openTestModel(provider).model.complete(CALL);
    expect(completion).to.deep.equal({ text: '좋은 아침', tokens: { input: 11, output: 7 }, isCutOff: false });
    const [request] = provider.requests;
    expect(request?.headers.authorization).to.equal(`Bearer ${AI_KEY}`);
    expect(request?.body).to.deep.equal({ model: 'scripted', messages: CALL.messages, max_tokens: 50 });
  });

  it('requests JSON output when the call has a schema', async () => {
    provider.setResponses(respond.withText('{}'));
    const schema = { name: 'thing', schema: { type: 'object' } };
    await openTestModel(provider).model.complete({ ...CALL, schema });
    expect(provider.requests[0]?.body.response_format).to.deep.equal({
      type: 'json_schema',
      json_schema: { ...schema, strict: true },
    });
  });

  it('retries without the schema when the provider rejects it', async () => {
    provider.setResponses(respond.withStatus(400), respond.withText('{}'));
    const schema = { name: 'thing', schema: { type: 'object' } };
    expect((await openTestModel(provider).model.complete({ ...CALL, schema })).text).to.equal('{}');
    expect(provider.requests.map(({ body }) => 'response_format' in body)).to.deep.equal([true, false]);
  });

  it('sends no Authorization header without an API key', async () => {
    provider.setResponses(respond.withText('x'));
    await openTestModel(provider, { AI_API_KEY: '' }).model.complete(CALL);
    expect(provider.requests[0]?.headers).not.to.have.property('authorization');
  });

  it('returns a streamed response in several chunks', async () => {
    provider.setResponses(respond.withText('한 조각씩 오는 대답입니다. Piece by piece.'));
    const chunks = [];
    for await (const chunk of openTestModel(provider).model.stream(CALL)) chunks.push(chunk);
    expect(chunks.length).to.be.above(2);
    expect(chunks.join('')).to.equal('한 조각씩 오는 대답입니다. Piece by piece.');
  });

  it('reports a truncated response', async () => {
    provider.setResponses(respond.withText('half', 'length'));
    expect(await openTestModel(provider).model.complete(CALL)).to.include({ text: 'half', isCutOff: true });
    expect(await failureOf(callModes.stream(openTestModel(provider).model))).to.include({ reason: 'cutOff' });
  });

  for (const [way, send] of Object.entries(callModes)) {
    it(`retries transient failures until it succeeds, with ${way}`, async () => {
      provider.setResponses(respond.withStatus(500), respond.withReset, respond.withText('in the end'));
      expect(await send(openTestModel(provider).model)).to.equal('in the end');
      expect(provider.requests).to.have.length(3);
    });

    it(`waits for the time in Retry-After, with ${way}`, async () => {
      provider.setResponses(respond.withStatus(429, { 'Retry-After': '1' }), respond.withText('later'));
      const began = performance.now();
      expect(await send(openTestModel(provider).model)).to.equal('later');
      expect(performance.now() - began).to.be.at.least(990);
    });

    it(`fails at once when Retry-After is too long, and reports its value, with ${way}`, async () => {
      provider.setResponses(respond.withStatus(429, { 'Retry-After': '3600' }));
      expect(await failureOf(send(openTestModel(provider).model))).to.include({ reason: 'busy', retryAfter: 3600 });
      expect(provider.requests).to.have.length(1);
    });
  }
});

const FAILURES: [name: string, behavior: Behavior, reason: string, requests: number][] = [
  ['returns 500', respond.withStatus(500), 'server', 2],
  ['returns 429', respond.withStatus(429), 'busy', 2],
  ['returns 429 with Retry-After', respond.withStatus(429, { 'Retry-After': '0' }), 'busy', 2],
  ['rejects the key', respond.withStatus(401), 'key', 1],
  ['returns 403', respond.withStatus(403), 'key', 1],
  ['rejects the request', respond.withStatus(400), 'refused', 1],
  ['filters the response', respond.withText('x', 'content_filter'), 'refused', 1],
  ['sends a response of 10 MB', respond.withBytes(10_000_000), 'size', 1],
  ['sends HTML', respond.withBody('<!doctype html><p>hello', 'text/html'), 'unreadable', 1],
  ['sends malformed JSON', respond.withBody('{"choices":[{"mess'), 'unreadable', 1],
  ['sends JSON of another shape', respond.withBody('{"choices":"none","usage":[]}'), 'unreadable', 1],
  ['sends null', respond.withBody('null'), 'unreadable', 1],
  ['sends an empty text', respond.withText(''), 'unreadable', 1],
  ['resets the connection', respond.withReset, 'connection', 2],
  ['resets the connection during the response', respond.withResetAfter('x'), 'connection', 2],
  [
    'redirects to another address',
    (response) => void response.writeHead(307, { Location: '/v2' }).end(),
    'connection',
    2,
  ],
];

describe('AI provider failures', () => {
  for (const [name, behavior, reason, requests] of FAILURES) {
    it(`are AI_PROVIDER_FAILED without provider text or API key when the provider ${name}`, async () => {
      provider.setResponses(behavior);
      const { model, lines } = openTestModel(provider, { AI_MAX_RETRIES: '1' });
      const failure = await failureOf(model.complete(CALL));
      expect(failure).to.include({ key: 'AI_PROVIDER_FAILED', reason });
      expect(provider.requests).to.have.length(requests);
      expect(failure.message).to.match(/^The (?:response of the )?AI provider .{10,100}\.$/);
      expect(lines).to.have.length(1);
      expect(lines[0]).to.include(`"reason":"${reason}"`).and.not.include(AI_KEY);
    });
  }

  it('log the setting AI_API_KEY when the provider rejects the key', async () => {
    provider.setResponses(respond.withStatus(401));
    const { model, lines } = openTestModel(provider);
    await failureOf(model.complete(CALL));
    expect(JSON.parse(lines[0] ?? ''))
      .to.include({ level: 50, status: 401 })
      .and.have.property('msg')
      .that.includes('AI_API_KEY');
  });

  for (const [name, behavior] of Object.entries({
    'never responds': respond.never,
    'never comes to an end': respond.withoutEnd,
  })) {
    for (const [way, send] of Object.entries(callModes)) {
      it(`are timeouts when the provider ${name}, with ${way}`, async () => {
        const paused = pauseResponse(behavior);
        provider.setResponses(paused.behavior);
        paused.release();
        mockTimeouts();
        const failure = failureOf(send(openTestModel(provider).model));
        await paused.received;
        mock.timers.tick(120_000);
        mock.timers.reset();
        expect(await failure).to.include({ reason: 'timeout' });
        expect(provider.requests).to.have.length(1);
      });
    }
  }

  it('end a broken stream after the received chunks, without a retry', async () => {
    let reset = () => {};
    provider.setResponses(respond.withResetAfter('the beginning', () => new Promise((resolve) => (reset = resolve))));
    const chunks: string[] = [];
    const failure = await failureOf(
      (async () => {
        for await (const chunk of openTestModel(provider).model.stream(CALL)) {
          chunks.push(chunk);
          reset();
        }
      })(),
    );
    expect(failure).to.include({ reason: 'connection' });
    expect(chunks).to.deep.equal(['the beginning']);
    expect(provider.requests, 'what has begun is not begun again').to.have.length(1);
  });

  it('end an endless stream at the size limit', async () => {
    provider.setResponses((response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const line = `data: ${JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(100_000) } }] })}\n\n`;
      const more = () => {
        while (!response.destroyed && response.write(line));
      };
      response.on('drain', more);
      more();
    });
    expect(await failureOf(callModes.stream(openTestModel(provider).model))).to.include({ reason: 'size' });
  });
});

describe('AI metrics', () => {
  it('count calls, failures, tokens and seconds by operation', async () => {
    const before = await valuesOf();
    const { model } = openTestModel(provider, { AI_MAX_RETRIES: '0' });
    provider.setResponses(respond.withText('one'), respond.withStatus(500), respond.withText('three'));
    await model.complete({ ...CALL, operation: 'style' });
    await failureOf(model.complete({ ...CALL, operation: 'style' }));
    for await (const _ of model.stream({ ...CALL, operation: 'style' }));
    const after = await valuesOf();
    const grown = Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]);
    expect(Object.fromEntries(grown)).to.deep.equal({ calls: 3, failures: 1, input: 22, output: 14, seconds: 3 });
  });

  async function valuesOf(): Promise<Record<string, number>> {
    const text = await registry.metrics();
    const value = (line: string) =>
      Number(
        text
          .split('\n')
          .find((other) => other.startsWith(line))
          ?.split(' ')[1] ?? 0,
      );
    return {
      calls: value('daybook_ai_calls_total{operation="style"}'),
      failures: value('daybook_ai_failures_total{operation="style",reason="server"}'),
      input: value('daybook_ai_tokens_total{operation="style",direction="input"}'),
      output: value('daybook_ai_tokens_total{operation="style",direction="output"}'),
      seconds: value('daybook_ai_call_seconds_count{operation="style"}'),
    };
  }
});
