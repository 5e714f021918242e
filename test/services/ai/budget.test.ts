/** Limits on the AI requests of a member: a daily budget over all processes, and a concurrency limit. */
import { expect } from 'chai';
import ms from 'ms';
import pg from 'pg';
import { loadConfig } from '../../../src/platform/config/index.js';
import { type Behavior, pauseResponse, respond, startAiProvider } from '../../support/ai-provider.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { call } from '../../support/client.js';
import { waitingForLock } from '../../support/database.js';
import { PROMPT_CLIENTS } from '../../support/prompts.js';
import { buildStyle, outcome, TRANSFORM, TRANSFORM_CLIENTS } from '../../support/styles.js';
import { until } from '../../support/until.js';

const provider = await startAiProvider();
after(() => provider.close());

const BUDGET = 4;
const environment = {
  ...provider.environment,
  AI_DAILY_BUDGET: String(BUDGET),
  AI_MAX_RETRIES: '0',
  ACCESS_TOKEN_TTL: '3d',
  TRUST_PROXY: '1',
};
const app = useApp(environment);
/** Acts as another process with regard to limits. */
const other = useApp(environment);

const transform = (member: BuiltMember, way = 'REST', url = app.url) =>
  TRANSFORM_CLIENTS[way]?.(url, member, { content: 'x', writingStyle: 'FRIENDLY' }) ?? Promise.reject(new Error(way));
/** In another network. */
const transformElsewhere = async ({ token }: BuiltMember) => {
  const options = {
    token,
    json: { content: 'x', writingStyle: 'FRIENDLY' },
    headers: { 'X-Forwarded-For': '203.0.113.1' },
  };
  const { status, headers, body } = await call(app.url, TRANSFORM, options);
  return outcome(status, headers, body);
};
const prompt = (member: BuiltMember, way = 'REST', url = app.url) =>
  PROMPT_CLIENTS[way]?.(url, member, 'x') ?? Promise.reject(new Error(way));

/** Number of further sequential requests of a member that succeed. */
async function left(member: BuiltMember): Promise<number> {
  provider.setResponses(respond.withText('x'));
  for (let count = 0; ; count++) {
    const { code, message } = await transform(member);
    if (code === '1') continue;
    expect(code, message).to.equal('RATE_LIMITED');
    return count;
  }
}

/** Waits until the provider has received all of these requests. */
async function allReceived(running: Promise<{ code: string; message: string }>[]): Promise<void> {
  const early: string[] = [];
  for (const request of running) void request.then(({ code, message }) => early.push(`${code} ${message}`));
  await until(() => early.length > 0 || provider.requests.length === running.length);
  expect(early, 'requests that ended before the provider has responded').to.deep.equal([]);
}

describe('The daily budget for AI', () => {
  let realNow: () => number;
  let shift: number;
  before(() => {
    realNow = app.database.now;
    // Starts at noon, so that no test crosses midnight unintentionally.
    shift = new Date(realNow()).setUTCHours(12, 0, 0, 0) - realNow();
    app.database.now = () => realNow() + shift;
  });
  after(() => {
    app.database.now = realNow;
  });

  it('is shared by all APIs and processes, and returns 429 until the next day', async () => {
    const member = await buildMember(app.url);
    provider.setResponses(respond.withText('x'));
    const results = [
      await transform(member, 'REST'),
      await transform(member, 'REST in chunks', other.url),
      await transform(member, 'GraphQL'),
      await prompt(member, 'GraphQL', other.url),
    ];
    expect(results.map(({ code }) => code)).to.deep.equal(['1', '1', '1', '1']);
    const rejected = [
      await transform(member, 'REST', other.url),
      await transform(member, 'REST in chunks'),
      await transform(member, 'GraphQL'),
      await prompt(member, 'REST'),
      await prompt(member, 'GraphQL', other.url),
    ];
    for (const { code, message, retryAfter } of rejected) {
      expect(code).to.equal('RATE_LIMITED');
      expect(message).to.equal('You have used all 4 AI requests for today: the budget resets at 00:00 UTC.');
      expect(Number(retryAfter)).to.be.within(ms('12h') / 1000 - 60, ms('12h') / 1000);
    }
    expect(rejected.map(({ status }) => status).slice(0, 2)).to.deep.equal([429, 429]);
    expect(provider.requests).to.have.length(BUDGET);
    expect(await left(await buildMember(app.url)), 'another member').to.equal(BUDGET);
  });

  it('is counted without a wait for the counters of other members', async () => {
    const [member, otherMember] = [await buildMember(app.url), await buildMember(app.url)];
    provider.setResponses(respond.withText('x'));
    await transform(member);
    const [locker, observer] = [0, 1].map(() => new pg.Client({ connectionString: app.database.url })) as [
      pg.Client,
      pg.Client,
    ];
    await Promise.all([locker.connect(), observer.connect()]);
    let waiting: ReturnType<typeof transform>;
    try {
      await locker.query("begin; update rate_limits set points = points where key like 'ai:%'");
      waiting = transform(member);
      await until(async () => (await waitingForLock(observer)) === 1);
      expect((await transform(otherMember)).code).to.equal('1');
    } finally {
      await Promise.all([locker.end(), observer.end()]);
    }
    expect((await waiting).code).to.equal('1');
  });

  it('starts again at 00:00 UTC', async () => {
    const member = await buildMember(app.url);
    expect(await left(member)).to.equal(BUDGET);
    shift += ms('11h');
    expect(await left(member), 'at 23:00').to.equal(0);
    shift += ms('1h');
    expect(await left(member), 'at 00:00').to.equal(BUDGET);
    shift += ms('12h');
    expect(await left(member), 'at noon').to.equal(0);
    shift -= ms('1d');
  });

  it('is not exceeded by concurrent requests to several processes, and none of it is lost', async () => {
    const member = await buildMember(app.url);
    provider.setResponses(respond.withText('x'));
    const requests = [app.url, other.url].flatMap((url) => [1, 2, 3].map(() => transform(member, 'REST', url)));
    const codes = (await Promise.all(requests)).map(({ code }) => code);
    const succeeded = codes.filter((code) => code === '1').length;
    expect(succeeded).to.be.within(1, BUDGET);
    expect(codes.filter((code) => code === 'RATE_LIMITED')).to.have.length(6 - succeeded);
    expect(await left(member)).to.equal(BUDGET - succeeded);
  });

  it('is not spent on requests that the provider rejected', async () => {
    const member = await buildMember(app.url);
    const behaviors: Behavior[] = [respond.withStatus(500), respond.withStatus(429), respond.withStatus(401)];
    provider.setResponses(...behaviors);
    for (const way of Object.keys(TRANSFORM_CLIENTS))
      expect((await transform(member, way)).code).to.equal('AI_PROVIDER_FAILED');
    expect(provider.requests).to.have.length(behaviors.length);
    expect(await left(member)).to.equal(BUDGET);
  });

  it('is spent on unusable provider responses, which are billed too', async () => {
    const member = await buildMember(app.url);
    provider.setResponses(respond.withText('half', 'length'), respond.withText(''));
    for (const way of ['REST', 'GraphQL']) expect((await transform(member, way)).code).to.equal('AI_PROVIDER_FAILED');
    expect(await left(member)).to.equal(BUDGET - 2);
  });

  it('is not spent on requests rejected before the provider call', async () => {
    const [member, stranger] = [await buildMember(app.url), await buildMember(app.url)];
    const { id } = await buildStyle(app.url, stranger);
    for (const style of [{}, { customStyleId: id }, { writingStyle: 'NONE' }]) {
      expect((await TRANSFORM_CLIENTS.REST?.(app.url, member, { content: 'x', ...style }))?.status).to.be.oneOf([
        400, 404,
      ]);
    }
    expect(await left(member)).to.equal(BUDGET);
  });
});

describe('Concurrent AI requests of one member', () => {
  it('are limited to 3 per process; another returns 429 immediately and costs nothing', async () => {
    const [member, neighbor] = [await buildMember(app.url), await buildMember(app.url)];
    const slow = pauseResponse(respond.withText('x'));
    provider.setResponses(slow.behavior);
    const running = Object.keys(TRANSFORM_CLIENTS).map((way) => transform(member, way));
    await allReceived(running);
    const rejected = [await transform(member), await transform(member, 'GraphQL'), await prompt(member)];
    for (const { code, message, retryAfter } of rejected) {
      expect([code, retryAfter]).to.deep.equal(['RATE_LIMITED', '5']);
      expect(message).to.equal('You have 3 AI requests in progress: wait until one of them has finished.');
    }
    const beside = transform(neighbor);
    slow.release();
    expect([...(await Promise.all(running)), await beside].map(({ code }) => code)).to.deep.equal(['1', '1', '1', '1']);
    expect(await left(member)).to.equal(BUDGET - 3);
  });
});

describe('Concurrent AI requests of all members', () => {
  it('are limited to 24 for a network and 32 per process; another returns 503 with Retry-After and costs nothing', async () => {
    const members = await Promise.all(Array.from({ length: 11 }, () => buildMember(app.url)));
    const slow = pauseResponse(respond.withText('x'));
    provider.setResponses(slow.behavior);
    const [last, ...others] = members as [BuiltMember, ...BuiltMember[]];
    const threeOf = (some: BuiltMember[]) => some.flatMap((member) => [member, member, member]);
    const running = threeOf(others.slice(0, 8)).map((member) => transform(member));
    await allReceived(running);
    expect((await transform(last)).code, 'another one of the network').to.equal('SERVICE_UNAVAILABLE');
    running.push(...[...threeOf(others.slice(8)), last, last].map(transformElsewhere));
    await allReceived(running);
    for (const rejected of [await transform(last), await transform(last, 'GraphQL')]) {
      expect([rejected.code, rejected.retryAfter]).to.deep.equal(['SERVICE_UNAVAILABLE', '2']);
      expect(rejected.message).to.equal('Too many AI requests are being processed: try again in a moment.');
    }
    slow.release();
    expect((await Promise.all(running)).map(({ code }) => code)).to.deep.equal(Array(32).fill('1'));
    expect(await left(last)).to.equal(BUDGET - 2);
  });
});

describe('AI_DAILY_BUDGET', () => {
  it('is 50 by default, and an invalid value is a startup error', () => {
    expect(loadConfig({}).aiRequestsPerDay).to.equal(50);
    for (const AI_DAILY_BUDGET of ['0', '-1', '1.5', 'many', '1000001']) {
      expect(() => loadConfig({ AI_DAILY_BUDGET }), AI_DAILY_BUDGET).to.throw(/^AI_DAILY_BUDGET must be /);
    }
  });
});
