/** Descriptions of articles: on both APIs, in drafts and revisions. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { buildArticle, useMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';

const app = useApp();

const TEXT = { title: 'Owls', content: 'One is in the attic.' };

describe('The description of an article', () => {
  const author = useMember(app);

  const rest = async (target: string, json?: object) =>
    (await call(app.url, target, { token: author.token, ...(json && { json }) })).body?.data;
  const create = (fields: object) => rest('POST /api/articles', { ...TEXT, ...fields });

  it('is null until it is set, and stays in an edit without it', async () => {
    const { id, description } = await create({});
    expect(description).to.equal(null);
    const put = async (fields: object) => {
      const { description, excerpt, revision } = await rest(`PUT /api/articles/${id}`, { ...TEXT, ...fields });
      expect(excerpt).to.equal('One is in the attic.');
      return [description, revision];
    };
    expect(await put({ description: '  Who lives there?  ' })).to.deep.equal(['Who lives there?', 2]);
    expect(await put({})).to.deep.equal(['Who lives there?', 3]);
    expect(await put({ description: null })).to.deep.equal(['Who lives there?', 4]);
    expect(await put({ description: '' })).to.deep.equal([null, 5]);
  });

  it('is in every list, beside the excerpt', async () => {
    const { id } = await create({ description: 'In every list', tags: ['owl'] });
    for (const list of ['/api/articles', '/api/articles/me', '/api/articles?tag=owl', '/api/articles?keyword=attic']) {
      const { contents } = await rest(`GET ${list}`);
      const { description, excerpt } = contents.find((article: { id: number }) => article.id === id);
      expect([description, excerpt], list).to.deep.equal(['In every list', 'One is in the attic.']);
    }
  });

  it('renews the validators of the article and of lists', async () => {
    const { id } = await create({ description: 'First' });
    const targets = [`GET /api/articles/${id}`, 'GET /api/articles'];
    const read = (target: string, etag = '') => call(app.url, target, { headers: { 'if-none-match': etag } });
    const etags = await Promise.all(targets.map(async (target) => (await read(target)).headers.get('etag') ?? ''));
    await rest(`PUT /api/articles/${id}`, { ...TEXT, description: 'Second' });
    for (const [index, target] of targets.entries()) expect((await read(target, etags[index])).status).to.equal(200);
  });

  it('is written and read over GraphQL', async () => {
    const { token } = author;
    const input = { ...TEXT, description: 'Over GraphQL' };
    const create = 'mutation ($input: CreateArticleInput!) { createArticle(input: $input) { id description } }';
    const { id, description } = (await graphql(app.url, create, { input }, token)).data?.createArticle ?? {};
    expect(description).to.equal('Over GraphQL');
    const update =
      'mutation ($id: ID!, $input: UpdateArticleInput!) { updateArticle(id: $id, input: $input) { description } }';
    const edit = async (fields: object) =>
      (await graphql(app.url, update, { id, input: { ...TEXT, ...fields } }, token)).data?.updateArticle.description;
    expect([await edit({}), await edit({ description: '' })]).to.deep.equal(['Over GraphQL', null]);
    const fields = 'articles { contents { description } } article(id: 1) { description }';
    expect((await graphql(app.url, `{ ${fields} }`)).errors).to.equal(undefined);
  });

  it('is stored as it is: markup, emoji and marks of direction', async () => {
    for (const description of ['<b>Owls</b> & *more*', '🦉👩‍👩‍👧', '\u202bשלום\u202c', '\u200fمرحبا', '🦉'.repeat(300)])
      expect((await create({ description })).description).to.equal(description);
  });

  it('is one line of at most 300 characters', async () => {
    const wrong: [unknown, string][] = [
      ['Two\nlines', 'must be one line without control characters'],
      ['A\u0000', 'must not contain the character U+0000'],
      ['x'.repeat(301), 'must be 0 to 300 characters long, got 301'],
      [7, 'must be a string'],
    ];
    for (const [description, message] of wrong) {
      const json = { ...TEXT, description };
      const { status, body } = await call(app.url, 'POST /api/articles', { token: author.token, json });
      expect([status, body?.code]).to.deep.equal([400, 'VALIDATION_FAILED']);
      expect(JSON.stringify(body)).to.include(message);
    }
  });

  it('is stored in revisions, also if nothing else changes, and restored', async () => {
    const { id } = await create({ description: 'First', tags: ['owl'] });
    await rest(`PUT /api/articles/${id}`, { ...TEXT, description: 'Second' });
    await rest(`PUT /api/articles/${id}`, { ...TEXT, description: '', tags: ['door'] });
    const { contents } = await rest(`GET /api/articles/${id}/revisions`);
    const descriptions = contents.map((each: { description: string }) => each.description);
    expect(descriptions).to.deep.equal(['Second', 'First']);
    const restore = async (number: number) => {
      const { description, revision, tags } = await rest(`POST /api/articles/${id}/revisions/${number}/restore`);
      return [description, revision, tags];
    };
    expect((await rest(`GET /api/articles/${id}/revisions/2`)).description).to.equal('Second');
    expect(await restore(2)).to.deep.equal(['Second', 4, ['owl']]);
    expect(await restore(2)).to.deep.equal(['Second', 4, ['owl']]);
    expect(await restore(3)).to.deep.equal([null, 5, ['door']]);
  });

  it('is in drafts, which take over that of their article, and publish theirs', async () => {
    const draft = await rest('POST /api/drafts', { ...TEXT, description: 'In a draft' });
    expect(draft.description).to.equal('In a draft');
    expect((await rest('GET /api/drafts')).contents[0].description).to.equal('In a draft');
    expect((await rest(`PATCH /api/drafts/${draft.id}`, { description: 'In a draft' })).revision).to.equal(1);
    expect((await rest(`PATCH /api/drafts/${draft.id}`, { title: 'Two owls' })).description).to.equal('In a draft');
    const article = await rest(`POST /api/drafts/${draft.id}/publish`);
    expect(article.description).to.equal('In a draft');
    const edit = await rest(`PUT /api/articles/${article.id}/draft`);
    expect(edit.description).to.equal('In a draft');
    expect((await rest(`PATCH /api/drafts/${edit.id}`, { description: '' })).description).to.equal(null);
    expect((await rest(`POST /api/drafts/${edit.id}/publish`)).description).to.equal(null);
  });

  it('of an edit and its hiding at once is not what was public', async () => {
    const { id } = await buildArticle(app.url, { ...TEXT, description: 'Public' }, author);
    await rest(`PUT /api/articles/${id}`, { ...TEXT, description: 'Private', visibility: 'PRIVATE' });
    const revision = 'select private_revision as revision from all_articles where id = :id';
    const [rows] = await app.database.sequelize.query(revision, { replacements: { id } });
    expect(rows).to.deep.equal([{ revision: 1 }]);
    expect((await rest(`GET /api/articles/${id}/revisions/1`)).description).to.equal('Public');
  });
});
