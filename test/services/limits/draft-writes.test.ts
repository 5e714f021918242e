/** The daily limits of saves of drafts. */
import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import { useApp } from '../../support/app.js';
import { buildMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { timeIn } from '../../support/drafts.js';

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
    expect((await write('가'.repeat(200))).status, 'without a difference').to.equal(200);
    const unchanged = await graphql(
      limited.url,
      'mutation ($id: ID!, $content: String!) { updateDraft(id: $id, input: { content: $content }) { revision content } }',
      { id: body?.data.id, content: '가'.repeat(200) },
      token,
    );
    expect(unchanged.data?.updateDraft).to.deep.equal({ revision: 3, content: '가'.repeat(200) });
    const outdated = { ...options, json: { content: '가'.repeat(199) } };
    expect((await call(limited.url, target, outdated)).status, 'a conflict').to.equal(412);
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

describe('The limits of writes', () => {
  const limited = useApp({ LIMIT_WRITE_BYTES: '1000B/1d', LIMIT_WRITES: '3/1d' });
  const rows = (text: string) => limited.database.sequelize.query(text, { type: QueryTypes.SELECT });

  it('count the text of a publication and of a restored revision like that of an article', async () => {
    const { token } = await buildMember(limited.url);
    const send = (target: string, json?: object) => call(limited.url, target, { token, ...(json && { json }) });
    const draft = async (length: number) =>
      (await send('POST /api/drafts', { title: 'T', content: 'x'.repeat(length) })).body?.data.id;
    const article = await send(`POST /api/drafts/${await draft(600)}/publish`);
    expect(article.status).to.equal(200);
    const second = await draft(401);
    expect((await send(`POST /api/drafts/${second}/publish`)).body?.code).to.equal('RATE_LIMITED');
    expect((await send(`GET /api/drafts/${second}`)).status, 'stays').to.equal(200);

    await limited.database.sequelize.query('truncate rate_limits');
    const id = article.body?.data.id;
    expect((await send(`PUT /api/articles/${id}`, { title: 'T', content: 'y'.repeat(399) })).status).to.equal(200);
    expect((await send(`POST /api/articles/${id}/revisions/1/restore`)).status).to.equal(200);
    const edits = await rows(`select revision from all_articles where id = ${id}`);
    expect((await send(`POST /api/articles/${id}/revisions/2/restore`)).body?.code).to.equal('RATE_LIMITED');
    expect(await rows(`select revision from all_articles where id = ${id}`)).to.deep.equal(edits);
  });

  it('count schedules and share links as changes, without the text', async () => {
    const { token } = await buildMember(limited.url);
    const created = await call(limited.url, 'POST /api/drafts', {
      token,
      json: { title: 'T', content: 'x'.repeat(2_000) },
    });
    const target = `/api/drafts/${created.body?.data.id}`;
    const options = { token, json: { publishAt: timeIn(3_600) } };
    expect((await call(limited.url, `PUT ${target}/schedule`, options)).status).to.equal(200);
    expect((await call(limited.url, `POST ${target}/share`, { token, json: {} })).status).to.equal(201);
    expect((await call(limited.url, `DELETE ${target}/share`, { token })).status).to.equal(200);
    const rejected = await call(limited.url, `DELETE ${target}/schedule`, { token });
    expect([rejected.status, rejected.body?.code]).to.deep.equal([429, 'RATE_LIMITED']);
    expect((await call(limited.url, `PATCH ${target}`, { token, json: { title: 'U' } })).status, 'a save').to.equal(
      200,
    );
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
