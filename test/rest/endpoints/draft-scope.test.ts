/** The scope `drafts` of API tokens: texts are prepared with it, and published by their author. */
import { expect } from 'chai';
import type { Scope } from '../../../src/models/session/api-token.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildImage, useMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp();

const tokenWith = async (author: BuiltMember, ...scopes: Scope[]) =>
  (await buildApiToken(app.url, author, scopes)).token;

async function statusOf(target: string, token: string, json?: object): Promise<[status: number, code: string]> {
  const { status, body } = await call(app.url, target, { token, ...(json && { json }) });
  return [status, body?.code ?? ''];
}

describe('The scope drafts', () => {
  const author = useMember(app);

  it('admits drafts, their revisions, previews and uploads of images', async () => {
    const token = await tokenWith(author, 'drafts');
    const article = await buildArticle(app.url, {}, author);
    const created = await call(app.url, 'POST /api/drafts', { token, json: { title: 'Owls' } });
    expect(created.status).to.equal(201);
    const { id } = created.body?.data ?? {};
    const calls: [string, object?][] = [
      ['GET /api/drafts'],
      [`GET /api/drafts/${id}`],
      [`PATCH /api/drafts/${id}`, { content: 'One is in the attic.' }],
      [`GET /api/drafts/${id}/revisions`],
      [`PUT /api/articles/${article.id}/draft`],
      ['POST /api/articles/preview', { content: '**Owls**' }],
      [`DELETE /api/drafts/${id}`],
    ];
    for (const [target, json] of calls) expect(await statusOf(target, token, json), target).to.deep.equal([200, '1']);
    await buildImage(app.url, { token });
    const { data } = await graphql(app.url, 'mutation { createDraft(input: { title: "Owls" }) { title } }', {}, token);
    expect(data).to.deep.equal({ createDraft: { title: 'Owls' } });
  });

  it('admits no publication, schedule, share link or article', async () => {
    const token = await tokenWith(author, 'drafts');
    const article = await buildArticle(app.url, {}, author);
    const { body } = await call(app.url, 'POST /api/drafts', { token, json: { title: 'Owls', content: 'Two.' } });
    const id = body?.data.id;
    const text = { title: 'Owls', content: 'Two.' };
    const calls: [string, object?][] = [
      [`POST /api/drafts/${id}/publish`],
      [`PUT /api/drafts/${id}/schedule`, { publishAt: '2099-01-01T00:00:00' }],
      [`DELETE /api/drafts/${id}/schedule`],
      [`POST /api/drafts/${id}/share`, {}],
      [`GET /api/drafts/${id}/share`],
      ['POST /api/articles', text],
      [`PUT /api/articles/${article.id}`, text],
      [`GET /api/articles/${article.id}/revisions`],
      ['GET /api/images'],
    ];
    for (const [target, json] of calls)
      expect(await statusOf(target, token, json), target).to.deep.equal([403, 'SCOPE_MISSING']);
    const { errors } = await graphql(app.url, 'mutation ($id: ID!) { publishDraft(id: $id) { id } }', { id }, token);
    expect(errors?.[0]?.extensions.code).to.equal('SCOPE_MISSING');
    expect(errors?.[0]?.message).to.equal(
      'publishDraft requires an API token with the scope articles; this one has drafts.',
    );
  });

  it('does not see private articles and their drafts, unlike articles, and read with it', async () => {
    const article = await buildArticle(app.url, {}, author);
    const id = (await call(app.url, `PUT /api/articles/${article.id}/draft`, author)).body?.data.id;
    await call(app.url, `PATCH /api/drafts/${id}`, { ...author, json: { title: 'A first save' } });
    await app.database.sequelize.query(`update drafts set stored_at = now() - interval '1 hour'`);
    await call(app.url, `PATCH /api/drafts/${id}`, { ...author, json: { title: 'A second save' } });
    const drafts = await tokenWith(author, 'drafts');
    const calls: [string, object?][] = [
      [`GET /api/drafts/${id}`],
      [`PATCH /api/drafts/${id}`, { content: 'Owls.' }],
      [`PATCH /api/drafts/${id}`, {}],
      [`GET /api/drafts/${id}/revisions`],
      [`GET /api/drafts/${id}/revisions/2`],
    ];
    const start = `PUT /api/articles/${article.id}/draft`;
    const total = async (token: string) =>
      (await call(app.url, 'GET /api/drafts', { token })).body?.data.pagination.totalElements;
    const before = await total(drafts);
    await setPrivate(app.url, article);
    for (const [target, json] of calls)
      expect(await statusOf(target, drafts, json), target).to.deep.equal([404, 'DRAFT_NOT_FOUND']);
    expect(await statusOf(`DELETE /api/drafts/${id}`, drafts)).to.deep.equal([404, 'DRAFT_NOT_FOUND']);
    expect(await statusOf(start, drafts)).to.deep.equal([404, 'ARTICLE_NOT_FOUND']);
    expect(await total(drafts)).to.equal(before - 1);
    const { errors } = await graphql(app.url, 'query ($id: ID!) { draft(id: $id) { title } }', { id }, drafts);
    expect(errors?.[0]?.extensions.code).to.equal('DRAFT_NOT_FOUND');
    for (const token of [await tokenWith(author, 'articles'), await tokenWith(author, 'drafts', 'read')]) {
      for (const [target, json] of [...calls, [start] as const])
        expect((await statusOf(target, token, json))[0], target).to.equal(200);
      expect(await total(token)).to.equal(before);
    }
  });

  it('does not see of which private article a draft is a translation', async () => {
    const translated = await buildArticle(app.url, { language: 'ko' }, author);
    const json = { title: 'Owls', language: 'en', translationOf: translated.id };
    const headers = { 'Idempotency-Key': `translation-of-${translated.id}` };
    const create = (token: string) => call(app.url, 'POST /api/drafts', { token, json, headers });
    const drafts = await tokenWith(author, 'drafts');
    const { id } = (await create(await tokenWith(author, 'articles'))).body?.data ?? {};
    const shownTo = async (token: string) => {
      const read = await call(app.url, `GET /api/drafts/${id}`, { token });
      const saved = await call(app.url, `PATCH /api/drafts/${id}`, { token, json: { title: token.slice(-50) } });
      const repeated = await call(app.url, `PATCH /api/drafts/${id}`, { token, json: { title: token.slice(-50) } });
      const listed = await graphql(app.url, '{ drafts(size: 1) { contents { translationOf } } }', {}, token);
      const ids = [read, saved, repeated].map(({ body }) => body?.data.translationOf);
      return new Set([...ids, listed.data.drafts.contents[0].translationOf && translated.id]);
    };
    expect(await shownTo(drafts)).to.deep.equal(new Set([translated.id]));
    await setPrivate(app.url, translated);
    expect(await shownTo(drafts)).to.deep.equal(new Set([null]));
    for (const token of [author.token, await tokenWith(author, 'drafts', 'read')])
      expect(await shownTo(token)).to.deep.equal(new Set([translated.id]));
    expect((await create(drafts)).body?.code).to.equal('RESPONSE_REMOVED');
  });

  it('does not receive what is stored for the key of a token that sees the private article', async () => {
    const article = await buildArticle(app.url, { visibility: 'PRIVATE' }, author);
    const target = `PUT /api/articles/${article.id}/draft`;
    const headers = { 'Idempotency-Key': `start-${article.id}` };
    const startWith = async (...scopes: Scope[]) =>
      call(app.url, target, { token: await tokenWith(author, ...scopes), headers });
    expect((await startWith('articles')).status).to.equal(200);
    expect((await startWith('articles')).headers.get('Idempotency-Replayed')).to.equal('true');
    expect((await startWith('drafts')).body?.code).to.equal('RESPONSE_REMOVED');
  });
});
