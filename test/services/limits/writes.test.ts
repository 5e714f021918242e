/** The daily limit on the bytes of text that a member sends in changes. */
import { expect } from 'chai';
import { loadConfig } from '../../../src/platform/config/index.js';
import { useApp } from '../../support/app.js';
import { buildArticle, buildMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { buildReport, decide, REASONS } from '../../support/moderation.js';
import { buildWithRole } from '../../support/roles.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp({ LIMIT_WRITE_BYTES: '20kB/1d' });

describe('The daily write limit in bytes', () => {
  it('applies to each member over both APIs: 429 with Retry-After', async () => {
    const [member, other] = [await buildMember(app.url), await buildMember(app.url)];
    const { id } = await buildArticle(app.url, { content: 'x'.repeat(8_000) }, member);
    const mutation = 'mutation ($c: String!) { createComment(input: { articleId: ID, content: $c }) { id } }';
    for (let comment = 0; comment < 3; comment++) {
      // 1,000 characters of 3 bytes each.
      const sent = await graphql(app.url, mutation.replace('ID', String(id)), { c: '가'.repeat(1000) }, member.token);
      expect(sent.errors).to.equal(undefined);
    }
    const content = 'x'.repeat(4_000);
    const rejected = await call(app.url, 'POST /api/articles', { token: member.token, json: { title: 'T', content } });
    expect([rejected.status, rejected.body?.code]).to.deep.equal([429, 'RATE_LIMITED']);
    expect(Number(rejected.headers.get('Retry-After'))).to.be.within(86_000, 86_400);
    expect(rejected.body?.message).to.equal('Too many bytes of text: try again in 1440 minutes.');
    const again = await graphql(app.url, mutation.replace('ID', String(id)), { c: 'short' }, member.token);
    expect(again.errors?.[0]?.extensions.code).to.equal('RATE_LIMITED');
    expect((await call(app.url, `DELETE /api/articles/${id}`, { token: member.token })).status).to.equal(200);
    const json = { title: 'T', content };
    expect((await call(app.url, 'POST /api/articles', { token: other.token, json })).status).to.equal(201);
  });

  it('returns 429 also when the counter is near the maximum of an integer', async () => {
    const { token } = await buildMember(app.url);
    const json = { title: 'T', content: 'x'.repeat(21_000) };
    expect((await call(app.url, 'POST /api/articles', { token, json })).status).to.equal(429);
    await app.database.sequelize.query(`update rate_limits set points = 2147480000 where key like 'write-bytes:%'`);
    expect((await call(app.url, 'POST /api/articles', { token, json })).status).to.equal(429);
  });

  it('is reset after the period', async () => {
    const { token } = await buildMember(app.url);
    const json = { title: 'T', content: 'x'.repeat(12_000) };
    const write = async () => (await call(app.url, 'POST /api/articles', { token, json })).status;
    expect([await write(), await write()]).to.deep.equal([201, 429]);
    await app.database.sequelize.query('update rate_limits set expire = expire - 24 * 60 * 60 * 1000');
    expect(await write()).to.equal(201);
  });

  it('counts changes of the visibility by the stored text', async () => {
    const author = await buildMember(app.url);
    const { token } = author;
    const { id } = await buildArticle(app.url, { content: 'x'.repeat(4_000) }, author);
    const change = async (visibility: string) =>
      (await call(app.url, `PUT /api/articles/${id}/visibility`, { token, json: { visibility } })).status;
    const statuses: number[] = [];
    for (const visibility of ['PRIVATE', 'PRIVATE', 'PRIVATE', 'PUBLIC', 'PRIVATE', 'PUBLIC']) {
      statuses.push(await change(visibility));
    }
    // The article and four changes of 4,000 bytes, of which the last is rejected; those without an effect are not counted.
    expect(statuses).to.deep.equal([200, 200, 200, 200, 200, 429]);
  });

  it('counts a restored revision by its text, also if only the title differs', async () => {
    const author = await buildMember(app.url);
    const { token } = author;
    const { id } = await buildArticle(app.url, { title: 'One', content: 'x'.repeat(6_000) }, author);
    const json = { title: 'Two', content: 'x'.repeat(6_000) };
    expect((await call(app.url, `PUT /api/articles/${id}`, { token, json })).status).to.equal(200);
    const restore = () => call(app.url, `POST /api/articles/${id}/revisions/1/restore`, { token });
    expect([(await restore()).status, (await call(app.url, `GET /api/articles/${id}`)).body?.data.title]).to.deep.equal(
      [200, 'One'],
    );
    const edit = { title: 'Three', content: 'x' };
    expect((await call(app.url, `PUT /api/articles/${id}`, { token, json: edit })).status).to.equal(200);
    expect((await restore()).status).to.equal(429);
  });

  it('counts removals and restorations by moderators by the stored text, also on an appeal', async () => {
    const moderator = await buildWithRole(app, 'MODERATOR');
    const { id: articleId, author } = await buildArticle(app.url, { content: '가'.repeat(2_000) });
    await buildReport(app.url, moderator, { articleId });
    const decided = async (action: string, target: object = { articleId }) => {
      const { status, body } = await decide(app.url, moderator, { action, ...target, ...REASONS });
      return [status, body?.data?.id];
    };
    const [status, id] = await decided('REMOVE');
    expect([status, (await decided('RESTORE'))[0]]).to.deep.equal([201, 201]);
    // Of 20,000 bytes, 8,000 are left.
    const [, second] = await decided('REMOVE');
    expect(id).to.be.below(second);
    const appeal = await call(app.url, `POST /api/decisions/${second}/appeal`, {
      token: author.token,
      json: { text: 'It is not the same link.' },
    });
    expect(appeal.status).to.equal(201);
    expect((await decided('RESTORE', { appealId: second }))[0]).to.equal(429);
  });

  it('executes a single statement on rate_limits for a change', async () => {
    const { token } = await buildMember(app.url);
    const texts = await statementsDuring(() => call(app.url, 'PATCH /api/members/me', { token, json: { bio: 'x' } }));
    expect(texts.filter((text) => text.includes('rate_limits'))).to.have.length(1);
  });

  it('is configured as a size and a duration', () => {
    const limitOf = (value: string) => loadConfig({ LIMIT_WRITE_BYTES: value }).limits.writeBytes;
    expect(limitOf('1500B/1h')).to.deep.equal({ points: 1500, durationMs: 3_600_000 });
    expect(limitOf('1GB/1d')).to.deep.equal({ points: 1e9, durationMs: 86_400_000 });
    for (const value of ['10/1d', '1.5MB/1d', '2GB/1d', '0MB/1d', 'MB/1d', '1MB']) {
      expect(() => limitOf(value), value).to.throw(
        /^LIMIT_WRITE_BYTES must be a size from 1B to 1GB and a duration, such as 20MB\/1d, not /,
      );
    }
  });
});
