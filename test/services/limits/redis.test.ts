/** Limits counted in Redis. Skipped if the program redis-server is not installed; CI requires it. */
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { respond, startAiProvider } from '../../support/ai-provider.js';
import { useApp } from '../../support/app.js';
import { buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectStatus } from '../../support/client.js';
import { describeFault, seconds } from '../../support/faults.js';
import { PROMPT_CLIENTS } from '../../support/prompts.js';
import { hasRedis, startRedis } from '../../support/redis.js';

const isThere = hasRedis();
if (!isThere && process.env.CI) throw new Error('CI needs redis-server');
const title = isThere ? 'Limits in Redis' : 'Limits in Redis (skipped: there is no redis-server on this machine)';

const provider = await startAiProvider();
after(() => provider.close());

// Started here, because the applications are configured while `describe` runs.
const first = isThere ? await startRedis() : null;

(isThere ? describe : describe.skip)(title, () => {
  let redis = first;
  const environment = {
    REDIS_URL: first?.url ?? '',
    LIMIT_LOGIN_PAIR: '3/15m',
    LIMIT_DRAFT_BYTES: '200B/1d',
    ...provider.environment,
    AI_DAILY_BUDGET: '2',
    AI_MAX_RETRIES: '0',
  };
  const app = useApp(environment);
  const other = useApp(environment);
  after(() => redis?.stop());

  const fail = async (url: string, email: string) =>
    (await call(url, 'POST /api/auth/login', { json: { email, password: 'wrong password' } })).status;

  it('count across all processes, and not in PostgreSQL', async () => {
    const { email, password } = await buildMember(app.url);
    expect([await fail(app.url, email), await fail(other.url, email), await fail(app.url, email)]).to.deep.equal([
      401, 401, 401,
    ]);
    const response = await call(other.url, 'POST /api/auth/login', { json: { email, password } });
    expect([response.status, response.body?.code]).to.deep.equal([429, 'RATE_LIMITED']);
    expect(Number(response.headers.get('Retry-After'))).to.be.within(850, 900);
    const [rows] = await app.database.sequelize.query('select * from rate_limits');
    expect(rows).to.deep.equal([]);
  });

  it('count the bytes of saves of drafts that change something', async () => {
    const { token } = await buildMember(app.url);
    const json = { content: 'x'.repeat(60) };
    const { body } = await call(app.url, 'POST /api/drafts', { token, json });
    const save = async (content: string, url = app.url) =>
      (await call(url, `PATCH /api/drafts/${body?.data.id}`, { token, json: { content } })).status;
    expect([await save(json.content), await save(json.content, other.url), await save('y'.repeat(100))]).to.deep.equal([
      200, 200, 200,
    ]);
    expect(await save('z'.repeat(41))).to.equal(429);
  });

  it('end after their duration at the latest when the clock of Redis was set back', async () => {
    const { email, password } = await buildMember(app.url);
    for (let attempt = 0; attempt < 3; attempt++) await fail(app.url, email);
    const client = new Redis(first?.url ?? '');
    const remaining = async () => Promise.all((await client.keys('*login*')).map((key) => client.pttl(key)));
    for (const key of await client.keys('*login*')) await client.pexpire(key, 10 * 3_600_000);
    const response = await call(app.url, 'POST /api/auth/login', { json: { email, password } });
    expect(Number(response.headers.get('Retry-After'))).to.be.within(850, 900);
    expect(await remaining(), 'the limit that was reached').to.satisfy((all: number[]) =>
      all.some((ms) => ms <= 900_000),
    );
    await fail(app.url, 'nobody@example.org');
    await client.quit();
  });

  it('count AI requests, and do not count those that failed at the provider', async () => {
    const member = await buildMember(app.url);
    const send = async (url: string) => (await PROMPT_CLIENTS.REST?.(url, member, 'x'))?.code;
    provider.setResponses(respond.withStatus(500), respond.withText('x'));
    const codes = [await send(app.url), await send(other.url), await send(app.url), await send(other.url)];
    expect(codes).to.deep.equal(['AI_PROVIDER_FAILED', '1', '1', 'RATE_LIMITED']);
  });

  describeFault('redis-down', (measured) => {
    it('return 503 for logins and allow reads and writes of members while Redis is unreachable', async () => {
      const { id, author } = await buildArticle(app.url);
      await redis?.stop();
      const json = { email: author.email, password: author.password };
      await expectStatus(call(app.url, 'POST /api/auth/login', { json }), 503, 'SERVICE_UNAVAILABLE');
      expect((await call(app.url, `GET /api/articles/${id}`)).status).to.equal(200);
      expect((await call(app.url, 'GET /api/members/me', { token: author.token })).status).to.equal(200);
      for (let round = 0; round < 3; round++) {
        await buildComment(app.url, id, {}, author);
        await call(app.url, 'GET /api/articles');
      }
      const ready = await fetch(`${app.url}/readyz`);
      const { limits } = (await ready.json()) as { limits: string };
      expect([ready.status, limits]).to.deep.equal([200, 'not counted: Redis is unreachable']);
      redis = await startRedis(Number(new URL(first?.url ?? '').port));
      const startedAt = performance.now();
      let status = 503;
      for (let attempt = 0; attempt < 50 && status === 503; attempt++) {
        status = (await call(app.url, 'POST /api/auth/login', { json })).status;
      }
      expect(status).to.equal(200);
      measured(`logins succeed ${seconds(performance.now() - startedAt)} after Redis is up`);
    });
  });
});
