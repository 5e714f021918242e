/** The daily limits of saves of drafts. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { buildMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';

describe('The daily limits of drafts', () => {
  const limited = useApp({ LIMIT_DRAFT_BYTES: '1000B/1d', LIMIT_WRITE_BYTES: '100B/1d', LIMIT_WRITES: '3/1d' });

  it('count the bytes of saves that change something, over both APIs, and not towards those of writes', async () => {
    const { token } = await buildMember(limited.url);
    const { body } = await call(limited.url, 'POST /api/drafts', { token, json: { content: 'x'.repeat(400) } });
    const target = `PATCH /api/drafts/${body?.data.id}`;
    const write = (content: string) => call(limited.url, target, { token, json: { content } });
    for (let count = 0; count < 5; count++) expect((await write('x'.repeat(400))).status).to.equal(200);
    const options = { token, json: { content: 'y'.repeat(400) }, headers: { 'If-Match': 'W/"9.x"' } };
    expect((await call(limited.url, target, options)).status).to.equal(412);
    expect((await write('가'.repeat(200))).status).to.equal(200);
    const rejected = await write('z');
    expect([rejected.status, rejected.body?.code]).to.deep.equal([429, 'RATE_LIMITED']);
    expect(Number(rejected.headers.get('Retry-After'))).to.be.within(86_000, 86_400);
    const mutation = `mutation { createDraft(input: { content: "z" }) { id } }`;
    expect((await graphql(limited.url, mutation, {}, token)).errors?.[0]?.extensions.code).to.equal('RATE_LIMITED');
    expect((await call(limited.url, target, { token, json: { title: 'T' } })).status, 'without content').to.equal(200);
    const profile = await call(limited.url, 'PATCH /api/members/me', { token, json: { bio: 'x'.repeat(90) } });
    expect(profile.status, 'not a write of a draft').to.equal(204);
  });

  it('count stored responses of requests with an Idempotency-Key', async () => {
    const { token } = await buildMember(limited.url);
    const headers = { 'Idempotency-Key': 'one' };
    const json = { content: 'x'.repeat(400) };
    const created = await call(limited.url, 'POST /api/drafts', { token, json, headers });
    expect(created.status).to.equal(201);
    const target = `PATCH /api/drafts/${created.body?.data.id}`;
    expect((await call(limited.url, target, { token, json: { content: 'y'.repeat(201) } })).status).to.equal(429);
    expect((await call(limited.url, target, { token, json: { content: 'y'.repeat(200) } })).status).to.equal(200);
  });
});

describe('The number of saves of drafts', () => {
  const limited = useApp({ LIMIT_DRAFT_WRITES: '3/1d' });

  it('is limited, with those that change nothing', async () => {
    const { token } = await buildMember(limited.url);
    const { body } = await call(limited.url, 'POST /api/drafts', { token, json: {} });
    const write = () => call(limited.url, `PATCH /api/drafts/${body?.data.id}`, { token, json: { title: '' } });
    expect([(await write()).status, (await write()).status, (await write()).status]).to.deep.equal([200, 200, 429]);
  });
});
