/** Streamed texts: chunks as events, one final event, and the provider request closed when the client disconnects. */
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { type Behavior, pauseResponse, respond, startAiProvider } from '../../support/ai-provider.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { call } from '../../support/client.js';
import { allEvents, callForEvents, type EventResponse } from '../../support/events.js';
import { scrape } from '../../support/metrics.js';
import { TRANSFORM } from '../../support/styles.js';
import { until } from '../../support/until.js';

const provider = await startAiProvider();
after(() => provider.close());

const app = useApp({ ...provider.environment, AI_MAX_RETRIES: '0' });
let member: BuiltMember;
const json = { content: 'A text.', writingStyle: 'FRIENDLY' };
const send = (signal?: AbortSignal, headers = {}): Promise<EventResponse> =>
  callForEvents(app.url, TRANSFORM, { token: member.token, json, headers }, signal);

/** Sends the words one after the other, each when it is released. */
function wordByWord(words: string[]) {
  const steps = words.map((word) => pauseResponse((response) => void writeWord(response, word)));
  const behavior: Behavior = async (response, request) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (const step of steps) await step.behavior(response, request);
  };
  return { behavior, steps };
}

function writeWord(response: ServerResponse, content: string): void {
  response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
}

/** Records when the other side has closed the connection. */
function watched(behavior: Behavior) {
  const seen = { isClosed: false };
  const watching: Behavior = (response, request) => {
    response.on('close', () => {
      seen.isClosed = true;
    });
    return behavior(response, request);
  };
  return { watching, seen };
}

describe('POST /api/articles/transform-style with Accept: text/event-stream', () => {
  beforeEach(async () => {
    member = await buildMember(app.url);
  });

  it('returns 200 with chunks, and then the complete text in the JSON of the plain response', async () => {
    provider.setResponses(respond.withText('The text, but friendlier: hello you!'));
    const response = await send();
    expect(response.status).to.equal(200);
    expect(response.headers.get('Content-Type')).to.equal('text/event-stream');
    expect(response.headers.get('Cache-Control')).to.equal('no-store, no-transform');
    expect(response.headers.get('Vary')).to.match(/Accept/);
    expect(response.headers.get('X-Request-Id')).to.be.a('string');
    const events = await allEvents(response);
    const deltas = events.filter(({ event }) => event === 'delta');
    expect(deltas.length).to.be.above(2);
    expect(deltas.map(({ data }) => data.text).join('')).to.equal('The text, but friendlier: hello you!');
    const plain = await call(app.url, TRANSFORM, { token: member.token, json });
    expect(events.at(-1)).to.deep.equal({ event: 'done', data: plain.body });
    expect(plain.body?.data.transformedContent).to.equal('The text, but friendlier: hello you!');
    expect(provider.requests.map(({ body }) => body.stream ?? false)).to.deep.equal([true, false]);
  });

  it('is counted in the request duration metric', async () => {
    provider.setResponses(respond.withText('A text.'));
    const labels = { route: '/api/articles/transform-style', status: '2xx' };
    const count = async () => (await scrape(app.url)).value('daybook_http_request_duration_seconds_count', labels);
    const before = await count();
    await allEvents(await send());
    await until(async () => (await count()) === before + 1);
  });

  it('sends each chunk before the next one is available', async () => {
    const { behavior, steps } = wordByWord(['one ', 'two ', 'three']);
    provider.setResponses(behavior);
    const response = send();
    steps[0]?.release();
    const events = (await response).events[Symbol.asyncIterator]();
    expect((await events.next()).value).to.deep.equal({ event: 'delta', data: { text: 'one ' } });
    steps[1]?.release();
    expect((await events.next()).value).to.deep.equal({ event: 'delta', data: { text: 'two ' } });
    await events.return?.();
  });

  it('reads events of the provider with comments, CRLF and parts of characters', async () => {
    const chunk = (choice: object) => `data:${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\r\n\r\n`;
    const events = [
      ': keep-alive\r\n\r\n',
      chunk({ delta: { content: '안녕' } }),
      chunk({ delta: {}, finish_reason: 'stop' }),
      'data: [DONE]\r\n\r\n',
    ].join('');
    provider.setResponses((response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for (const byte of Buffer.from(events)) response.write(Buffer.of(byte));
      response.end();
    });
    const received = await allEvents(await send());
    expect(received.map(({ event }) => event)).to.deep.equal(['delta', 'done']);
    expect(received[0]?.data).to.deep.equal({ text: '안녕' });
  });

  it('returns JSON to clients that accept anything or prefer JSON', async () => {
    provider.setResponses(respond.withText('x'));
    for (const Accept of ['*/*', 'application/json', 'application/json, text/event-stream', 'text/html']) {
      const { headers, body } = await send(undefined, { Accept });
      expect(headers.get('Content-Type'), Accept).to.match(/^application\/json/);
      expect(body?.data.transformedContent).to.equal('x');
    }
    const preferred = await send(undefined, { Accept: 'application/json;q=0.5, text/event-stream' });
    expect(preferred.headers.get('Content-Type')).to.equal('text/event-stream');
  });

  it('is documented beside the JSON response', async () => {
    const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as {
      paths: Record<string, { post: { responses: { 200: { content: Record<string, { schema: object }> } } } }>;
    };
    const content = document.paths['/api/articles/transform-style']?.post.responses[200].content ?? {};
    expect(Object.keys(content)).to.deep.equal(['application/json', 'text/event-stream']);
    expect(content['text/event-stream']?.schema).to.have.property('description').that.includes('`delta`');
  });

  it('ends with an error event in the requested language when the provider disconnects', async () => {
    let reset = () => {};
    provider.setResponses(respond.withResetAfter('The beginning', () => new Promise((resolve) => (reset = resolve))));
    const response = await send(undefined, { 'Accept-Language': 'ko' });
    reset();
    expect(response.headers.get('Content-Language')).to.equal('ko');
    expect(response.status).to.equal(200);
    const events = await allEvents(response);
    expect(events[0]).to.deep.equal({ event: 'delta', data: { text: 'The beginning' } });
    expect(events).to.have.length(2);
    expect(events[1]).to.deep.equal({
      event: 'error',
      data: {
        code: 'AI_PROVIDER_FAILED',
        message: 'AI 제공자에 연결할 수 없습니다. 나중에 다시 시도하십시오.',
        data: {},
      },
    });
  });

  it('ends with an error when the provider stops early, since the text is incomplete', async () => {
    provider.setResponses(respond.withText('Half of', 'length'));
    const last = (await allEvents(await send())).at(-1);
    expect([last?.event, last?.data.code]).to.deep.equal(['error', 'AI_PROVIDER_FAILED']);
  });

  it('closes the provider request when the client disconnects in the middle', async () => {
    const { behavior, steps } = wordByWord(['one ', 'two ']);
    const { watching, seen } = watched(behavior);
    provider.setResponses(watching);
    const response = send();
    steps[0]?.release();
    for await (const { data } of (await response).events) {
      expect(data.text).to.equal('one ');
      break;
    }
    await until(() => seen.isClosed);
  });

  for (const Accept of ['text/event-stream', 'application/json']) {
    it(`closes the provider request on a disconnect before the first word, with ${Accept}`, async () => {
      const { watching, seen } = watched(respond.never);
      provider.setResponses(watching);
      const leaving = new AbortController();
      const response = send(leaving.signal, { Accept }).catch((error: Error) => error.name);
      await until(() => provider.requests.length === 1);
      leaving.abort();
      expect(await response).to.equal('AbortError');
      await until(() => seen.isClosed);
      provider.setResponses(respond.withText('still here'));
      const { body } = await call(app.url, TRANSFORM, { token: member.token, json });
      expect(body?.data.transformedContent, 'and the permit is free again').to.equal('still here');
    });
  }
});
