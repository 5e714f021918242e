/** The provider of text: what it is sent, every way in which it can fail, and what that costs. */
import { expect } from 'chai';
import { openModel } from '../src/ai/openai.js';
import type { Completion, TextCall, TextModel } from '../src/ai/provider.js';
import { loadConfig } from '../src/config.js';
import { registry } from '../src/metrics/registry.js';
import {
  AI_KEY,
  type AiProvider,
  type Behaviour,
  breaksAfter,
  fails,
  floods,
  holds,
  resets,
  says,
  sends,
  startAiProvider,
  staysSilent,
  trickles,
} from './support/ai-provider.js';
import { readableLog } from './support/log.js';

const CALL: TextCall = {
  operation: 'prompt',
  messages: [{ role: 'user', content: '안녕하세요' }],
  maxOutputTokens: 50,
};

let provider: AiProvider;
before(async () => {
  provider = await startAiProvider();
});
after(() => provider.close());

interface Opened {
  model: TextModel;
  lines: string[];
}

function open(environment: NodeJS.ProcessEnv = {}, breaker = { failures: 100, delay: 60_000 }): Opened {
  const { log, lines } = readableLog();
  const { ai } = loadConfig({ ...provider.environment, AI_TIMEOUT_MS: '20000', ...environment });
  const model = openModel(ai, log, breaker);
  if (!model) throw new Error('there is a provider here');
  return { model, lines };
}

type Ask = (model: TextModel, signal?: AbortSignal) => Promise<string>;

const WAYS: Record<string, Ask> = {
  complete: async (model, signal) => (await model.complete(CALL, signal)).text,
  stream: async (model, signal) => {
    let text = '';
    for await (const piece of model.stream(CALL, signal)) text += piece;
    return text;
  },
};

/** @returns the failure as `REASON message` */
async function failureOf(
  ask: Promise<unknown>,
): Promise<{ key?: string; reason?: string; retryAfter?: number; message: string }> {
  try {
    await ask;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not fail');
}

describe('A call to the provider', () => {
  it('sends the model, the messages, the limit and the key, and reads text and tokens', async () => {
    provider.answer(says('좋은 아침'));
    const answer: Completion = await open().model.complete(CALL);
    expect(answer).to.deep.equal({ text: '좋은 아침', tokens: { input: 11, output: 7 }, isCutOff: false });
    const [asked] = provider.asked;
    expect(asked?.headers.authorization).to.equal(`Bearer ${AI_KEY}`);
    expect(asked?.body).to.deep.equal({ model: 'scripted', messages: CALL.messages, max_tokens: 50 });
  });

  it('asks for JSON of a schema where there is one', async () => {
    provider.answer(says('{}'));
    const schema = { name: 'thing', schema: { type: 'object' } };
    await open().model.complete({ ...CALL, schema });
    expect(provider.asked[0]?.body.response_format).to.deep.equal({
      type: 'json_schema',
      json_schema: { ...schema, strict: true },
    });
  });

  it('sends no key where none is set', async () => {
    provider.answer(says('x'));
    await open({ AI_API_KEY: '' }).model.complete(CALL);
    expect(provider.asked[0]?.headers).not.to.have.property('authorization');
  });

  it('comes in pieces where it is streamed', async () => {
    provider.answer(says('한 조각씩 오는 대답입니다. Piece by piece.'));
    const pieces = [];
    for await (const piece of open().model.stream(CALL)) pieces.push(piece);
    expect(pieces.length).to.be.above(2);
    expect(pieces.join('')).to.equal('한 조각씩 오는 대답입니다. Piece by piece.');
  });

  it('says so where the answer was cut off', async () => {
    provider.answer(says('half', 'length'));
    expect(await open().model.complete(CALL)).to.include({ text: 'half', isCutOff: true });
    expect(await failureOf(WAYS.stream?.(open().model) ?? Promise.reject())).to.include({ reason: 'cutOff' });
  });

  for (const [way, ask] of Object.entries(WAYS)) {
    it(`succeeds in spite of passing failures, with ${way}`, async () => {
      provider.answer(fails(500), resets, says('in the end'));
      expect(await ask(open().model)).to.equal('in the end');
      expect(provider.asked).to.have.length(3);
    });

    it(`waits as long as Retry-After says, with ${way}`, async () => {
      provider.answer(fails(429, { 'Retry-After': '1' }), says('later'));
      const began = performance.now();
      expect(await ask(open().model)).to.equal('later');
      expect(performance.now() - began).to.be.at.least(990);
    });

    it(`does not wait for longer than it may take, and tells how long it would be, with ${way}`, async () => {
      provider.answer(fails(429, { 'Retry-After': '3600' }));
      expect(await failureOf(ask(open().model))).to.include({ reason: 'busy', retryAfter: 3600 });
      expect(provider.asked).to.have.length(1);
    });
  }
});

const BAD_DAYS: [name: string, behaviour: Behaviour, reason: string, requests: number][] = [
  ['answers 500', fails(500), 'server', 2],
  ['answers 429', fails(429), 'busy', 2],
  ['answers 429 with Retry-After', fails(429, { 'Retry-After': '0' }), 'busy', 2],
  ['refuses the key', fails(401), 'key', 1],
  ['forbids it', fails(403), 'key', 1],
  ['refuses the request', fails(400), 'refused', 1],
  ['filters the answer', says('x', 'content_filter'), 'refused', 1],
  ['sends an answer of 10 MB', floods(10_000_000), 'size', 1],
  ['sends HTML', sends('<!doctype html><p>hello', 'text/html'), 'unreadable', 1],
  ['sends broken JSON', sends('{"choices":[{"mess'), 'unreadable', 1],
  ['sends JSON of another shape', sends('{"choices":"none","usage":[]}'), 'unreadable', 1],
  ['sends null', sends('null'), 'unreadable', 1],
  ['sends an empty answer', says(''), 'unreadable', 1],
  ['resets the connection', resets, 'connection', 2],
  ['breaks in the middle', breaksAfter('x'), 'connection', 2],
  ['leads elsewhere', (response) => void response.writeHead(307, { Location: '/v2' }).end(), 'connection', 2],
];

describe('A provider that has a bad day', () => {
  for (const [name, behaviour, reason, requests] of BAD_DAYS) {
    it(`and ${name} fails with AI_PROVIDER_FAILED, without its words or the key`, async () => {
      provider.answer(behaviour);
      const { model, lines } = open({ AI_MAX_RETRIES: '1' });
      const failure = await failureOf(model.complete(CALL));
      expect(failure).to.include({ key: 'AI_PROVIDER_FAILED', reason });
      expect(provider.asked).to.have.length(requests);
      expect(failure.message).to.match(/^The AI provider .{10,100}\.$/);
      expect(lines).to.have.length(1);
      expect(lines[0]).to.include(`"reason":"${reason}"`).and.not.include(AI_KEY);
    });
  }

  it('says in the log which setting to look at where the key is wrong', async () => {
    provider.answer(fails(401));
    const { model, lines } = open();
    await failureOf(model.complete(CALL));
    expect(JSON.parse(lines[0] ?? ''))
      .to.include({ level: 50, status: 401 })
      .and.have.property('msg')
      .that.includes('AI_API_KEY');
  });

  for (const [name, behaviour] of Object.entries({ 'never answers': staysSilent, 'never comes to an end': trickles })) {
    for (const [way, ask] of Object.entries(WAYS)) {
      it(`and ${name} fails when the time is up, with ${way}`, async () => {
        provider.answer(behaviour);
        expect(await failureOf(ask(open({ AI_TIMEOUT_MS: '1000' }).model))).to.include({ reason: 'timeout' });
        expect(provider.asked).to.have.length(1);
      });
    }
  }

  it('and breaks a stream in the middle fails after what has come', async () => {
    provider.answer(breaksAfter('the beginning'));
    const pieces: string[] = [];
    const failure = await failureOf(
      (async () => {
        for await (const piece of open().model.stream(CALL)) pieces.push(piece);
      })(),
    );
    expect(failure).to.include({ reason: 'connection' });
    expect(pieces).to.deep.equal(['the beginning']);
    expect(provider.asked, 'what has begun is not begun again').to.have.length(1);
  });

  it('and streams without end is cut off', async () => {
    provider.answer((response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const line = `data: ${JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(100_000) } }] })}\n\n`;
      const more = () => {
        while (!response.destroyed && response.write(line));
      };
      response.on('drain', more);
      more();
    });
    expect(await failureOf(WAYS.stream?.(open().model) ?? Promise.reject())).to.include({ reason: 'size' });
  });
});

describe('A caller who gives up', () => {
  for (const [way, ask] of Object.entries(WAYS)) {
    it(`ends the request, with ${way}, and it is nobody's failure`, async () => {
      const held = holds(says('too late'));
      provider.answer(held.behaviour);
      const { model, lines } = open();
      const controller = new AbortController();
      const asking = failureOf(ask(model, controller.signal));
      await held.came;
      controller.abort(new Error('gave up'));
      expect((await asking).message).to.equal('gave up');
      held.release();
      expect(lines).to.deep.equal([]);
    });
  }
});

describe('The circuit breaker', () => {
  it('asks a dead provider no more, lets one through after a while, and closes when it works', async () => {
    const { model } = open({ AI_MAX_RETRIES: '0' }, { failures: 2, delay: 2_000 });
    provider.answer(fails(500));
    for (let time = 0; time < 2; time++) expect(await failureOf(model.complete(CALL))).to.include({ reason: 'server' });
    for (let time = 0; time < 5; time++) expect(await failureOf(model.complete(CALL))).to.include({ reason: 'open' });
    expect(provider.asked).to.have.length(2);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    const held = holds(says('well again'));
    provider.answer(held.behaviour, says('and again'));
    const probe = model.complete(CALL);
    await held.came;
    expect(await failureOf(model.complete(CALL)), 'beside the one that tries').to.include({ reason: 'open' });
    held.release();
    expect((await probe).text).to.equal('well again');
    expect((await model.complete(CALL)).text).to.equal('and again');
  });

  it('opens again where the one that tries fails, and takes a refused text for no failure', async () => {
    const { model } = open({ AI_MAX_RETRIES: '0' }, { failures: 1, delay: 2_000 });
    provider.answer(fails(400), fails(500), fails(500));
    const reasons = [];
    for (let time = 0; time < 3; time++) reasons.push((await failureOf(model.complete(CALL))).reason);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    for (let time = 0; time < 2; time++) reasons.push((await failureOf(model.complete(CALL))).reason);
    expect(reasons).to.deep.equal(['refused', 'server', 'open', 'server', 'open']);
  });
});

describe('The metrics of AI', () => {
  it('count calls, failures, tokens and seconds by operation', async () => {
    const before = await valuesOf();
    const { model } = open({ AI_MAX_RETRIES: '0' });
    provider.answer(says('one'), fails(500), says('three'));
    await model.complete({ ...CALL, operation: 'style' });
    await failureOf(model.complete({ ...CALL, operation: 'style' }));
    for await (const _ of model.stream({ ...CALL, operation: 'style' }));
    const after = await valuesOf();
    const grown = Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]);
    expect(Object.fromEntries(grown)).to.deep.equal({
      calls: 3,
      failures: 1,
      input: 22,
      output: 14,
      seconds: 3,
    });
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
