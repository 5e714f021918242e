/** Revisions of articles: what stores them, who reads them, and restoring one, on both APIs. */
import { expect } from 'chai';
import { editArticle } from '../../../src/commands/change-article.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, buildArticle, buildImage, buildMember, useMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import { interleave } from '../../support/interleave.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();

interface Revision {
  number: number;
  title: string;
  characters: number;
  createdAt: string;
}

const LIST = `query ($id: ID!, $page: Int, $size: Int) {
  articleRevisions(articleId: $id, page: $page, size: $size) { contents { number title characters createdAt } pagination { totalElements } }
}`;
const READ = `query ($id: ID!, $number: Int!) {
  articleRevision(articleId: $id, number: $number) { number title description characters createdAt content tags }
}`;
const RESTORE = `mutation ($id: ID!, $number: Int!) {
  restoreRevision(articleId: $id, number: $number) { id title content contentHtml tags revision }
}`;

describe('Revisions of articles', () => {
  const author = useMember(app);
  const build = (fields: object = {}) => buildArticle(app.url, { title: 'Owls', content: 'One.', ...fields }, author);
  const put = (id: number, json: object) => call(app.url, `PUT /api/articles/${id}`, { token: author.token, json });
  const edit = (id: number, json: object) => expectStatus(put(id, json), 200, '1');
  const list = async (id: number, query = ''): Promise<Revision[]> => {
    const { body } = await call(app.url, `GET /api/articles/${id}/revisions${query}`, { token: author.token });
    return body?.data.contents;
  };
  const read = (id: number, number: number) =>
    call(app.url, `GET /api/articles/${id}/revisions/${number}`, { token: author.token });
  const restore = (id: number, number: number, headers: Record<string, string> = {}) =>
    call(app.url, `POST /api/articles/${id}/revisions/${number}/restore`, { token: author.token, headers });
  const numbers = async (id: number) => (await list(id)).map(({ number }) => number);

  it('are the states that edits of the title, the content or the tags replaced, newest first', async () => {
    const { id } = await build({ content: '하나 🦉', tags: ['night', 'birds'] });
    const first = (await call(app.url, `GET /api/articles/${id}`)).body?.data;
    await edit(id, { title: 'Two owls', content: '하나 🦉' });
    await edit(id, { title: 'Two owls', content: 'Two.' });
    await edit(id, { title: 'Two owls', content: 'Two.', tags: ['birds'] });
    await edit(id, { title: 'No owl', content: 'None.', tags: [] });
    expect((await list(id)).map(({ number, title, characters }) => [number, title, characters])).to.deep.equal([
      [4, 'Two owls', 4],
      [3, 'Two owls', 4],
      [2, 'Two owls', 4],
      [1, 'Owls', 4],
    ]);
    const states = await Promise.all([1, 2, 3, 4].map(async (number) => (await read(id, number)).body?.data));
    expect(states.map(({ content, tags }) => [content, tags])).to.deep.equal([
      ['하나 🦉', ['night', 'birds']],
      ['하나 🦉', ['night', 'birds']],
      ['Two.', ['night', 'birds']],
      ['Two.', ['birds']],
    ]);
    expect(states[0].createdAt).to.equal(first.createdAt);
    const { data } = await graphql(app.url, READ, { id, number: 4 }, author.token);
    expect(data.articleRevision).to.deep.equal({ ...states[3], createdAt: `${states[3].createdAt}Z` });
  });

  it('are not stored by edits of anything else, or without a difference', async () => {
    const { id } = await build({ tags: ['night', 'birds'] });
    const same = { title: 'Owls', content: 'One.' };
    await edit(id, same);
    await edit(id, { ...same, tags: ['NIGHT', 'birds'], category: 'General' });
    await edit(id, { ...same, articleImgAlt: 'An owl.' });
    expect(await numbers(id)).to.deep.equal([]);
    await edit(id, { ...same, tags: ['birds', 'night'] });
    expect(await numbers(id)).to.deep.equal([4]);
  });

  it('are stored by updateArticle, and by statements of operators, which increase its number', async () => {
    const { id } = await build({ tags: ['night'] });
    const update =
      'mutation ($id: ID!, $input: UpdateArticleInput!) { updateArticle(id: $id, input: $input) { revision } }';
    await graphql(app.url, update, { id, input: { title: 'Owls', content: 'Two.' } }, author.token);
    await app.database.sequelize.query(`update all_articles set content = 'Three.' where id = ${id}`);
    await app.database.sequelize.query(
      `update articles set content = 'Four.', revision = revision + 5 where id = ${id}`,
    );
    await app.database.sequelize.query(
      `update all_articles set category_id = category_id, revision = 1 where id = ${id}`,
    );
    await edit(id, { title: 'Owls', content: 'Five.' });
    expect(await numbers(id)).to.deep.equal([3, 2, 1]);
    expect((await read(id, 3)).body?.data).to.deep.include({ content: 'Three.', tags: ['night'] });
  });

  it('are stored in the transaction of the edit: one that fails stores none', async () => {
    const { id } = await build();
    const category = { title: 'Owls', content: 'Two.', category: 'None' };
    await expectStatus(put(id, category), 404, 'CATEGORY_NOT_FOUND');
    const failing = { ...app.services, database: { ...app.database, transaction: failAtEnd } };
    const guard = { credentialId: null, check: () => {} };
    const input = { title: 'Owls', content: 'Two.' };
    let failure: unknown;
    await editArticle(failing, id, { input, rendered: null }, undefined, guard, async () => {}).catch(
      (error) => (failure = error),
    );
    expect(String(failure)).to.contain('at the end');
    expect(await numbers(id)).to.deep.equal([]);
  });

  it('are listed in two statements, and read in two', async () => {
    const { id } = await build();
    for (const content of ['Two.', 'Three.', 'Four.']) await edit(id, { title: 'Owls', content });
    const pages = await statementsDuring(async () => {
      const { data } = await graphql(app.url, LIST, { id, page: 2, size: 2 }, author.token);
      expect(data.articleRevisions.contents.map(({ number }: Revision) => number)).to.deep.equal([1]);
      expect(data.articleRevisions.pagination.totalElements).to.equal(3);
    });
    const one = await statementsDuring(() => read(id, 2));
    const check = (await statementsDuring(() => call(app.url, 'GET /api/members/me', author))).length - 1;
    expect([pages.length - check, one.length - check]).to.deep.equal([2, 2]);
    expect(await list(id, '?page=9')).to.deep.equal([]);
  });

  it('are restored as a new one, with HTML, whose previous state is a revision', async () => {
    const { id } = await build({ content: '**One.**', tags: ['night'] });
    await edit(id, { title: 'Two owls', content: 'Two.', tags: ['birds', 'sea'] });
    const { status, body, headers } = await restore(id, 1, { 'If-Match': 'W/"2.x"' });
    const restored = { title: 'Owls', content: '**One.**', tags: ['night'], revision: 3 };
    expect([status, body?.message]).to.deep.equal([200, 'Revision restored.']);
    expect(body?.data).to.deep.include({ id, ...restored });
    expect(headers.get('ETag')).to.match(/^W\/"3\./);
    expect((await read(id, 2)).body?.data).to.deep.include({
      title: 'Two owls',
      content: 'Two.',
      tags: ['birds', 'sea'],
    });
    const { data } = await graphql(app.url, RESTORE, { id, number: 2 }, author.token);
    expect(data.restoreRevision).to.deep.include({ title: 'Two owls', tags: ['birds', 'sea'], revision: 4 });
    expect((await graphql(app.url, RESTORE, { id, number: 1 }, author.token)).data.restoreRevision).to.deep.include({
      ...restored,
      revision: 5,
      contentHtml: '<p><strong>One.</strong></p>\n',
    });
    const { body: found } = await call(app.url, 'GET /api/articles?keyword=One');
    expect(found?.data.contents.map((article: { id: number }) => article.id)).to.include(id);
  });

  it('are restored if only the content differs', async () => {
    const { id } = await build({ tags: ['night'] });
    await edit(id, { title: 'Owls', content: 'Two.' });
    expect((await restore(id, 1)).body?.data).to.deep.include({ content: 'One.', tags: ['night'], revision: 3 });
  });

  it('change nothing if they equal the current state, also with an Idempotency-Key', async () => {
    const { id } = await build({ tags: ['a,b'] });
    await edit(id, { title: 'Owls', content: 'Two.', tags: ['a', 'b'] });
    await edit(id, { title: 'Owls', content: 'One.', tags: ['a,b'] });
    const headers = { 'Idempotency-Key': 'the-same-state' };
    for (const replayed of [null, 'true']) {
      const response = await restore(id, 1, headers);
      expect(response.body?.data).to.deep.include({ revision: 3, tags: ['a,b'] });
      expect(response.headers.get('Idempotency-Replayed')).to.equal(replayed);
    }
    await expectStatus(restore(id, 1, { 'If-Match': 'W/"2.x"' }), 412, 'PRECONDITION_FAILED');
    expect(await numbers(id)).to.deep.equal([2, 1]);
    expect((await restore(id, 2)).body?.data).to.deep.include({ revision: 4, tags: ['a', 'b'] });
  });

  it('are restored only to the revision of If-Match, which is compared again under the lock of the row', async () => {
    const { id } = await build();
    await edit(id, { title: 'Owls', content: 'Two.' });
    const overtaken = interleave(app, {
      lock: `select from all_articles where id = ${id} for update`,
      request: () => restore(id, 1, { 'If-Match': 'W/"2.x"' }),
      change: `update all_articles set content = 'Three.' where id = ${id}`,
    });
    await expectStatus(overtaken, 412, 'PRECONDITION_FAILED');
    expect((await call(app.url, `GET /api/articles/${id}`)).body?.data).to.include({ content: 'Three.', revision: 3 });
    const last = await interleave(app, {
      lock: `select from all_articles where id = ${id} for update`,
      request: () => restore(id, 1),
      change: `update all_articles set content = 'Four.' where id = ${id}`,
    });
    expect(last.body?.data).to.include({ content: 'One.', revision: 5 });
    expect((await read(id, 4)).body?.data.content).to.equal('Four.');
  });

  it('exist only for the author of the article, and for API tokens with the scope `articles`', async () => {
    const { id } = await build();
    await edit(id, { title: 'Owls', content: 'Two.' });
    const other = await buildMember(app.url);
    const scoped = await buildApiToken(app.url, author, ['articles']);
    const unscoped = await buildApiToken(app.url, author, ['read', 'comments']);
    const paths = (articleId: number, number: number) => [
      `GET /api/articles/${articleId}/revisions`,
      `GET /api/articles/${articleId}/revisions/${number}`,
      `POST /api/articles/${articleId}/revisions/${number}/restore`,
    ];
    for (const path of paths(id, 1)) {
      await expectStatus(call(app.url, path), 401, 'UNAUTHENTICATED', path);
      await expectStatus(call(app.url, path, other), 403, 'ARTICLE_FORBIDDEN', path);
      await expectStatus(call(app.url, path, unscoped), 403, 'SCOPE_MISSING', path);
      await expectStatus(call(app.url, path, scoped), 200, '1', path);
    }
    for (const path of paths(999_999, 1))
      await expectStatus(call(app.url, path, author), 404, 'ARTICLE_NOT_FOUND', path);
    for (const path of paths(id, 99).slice(1))
      await expectStatus(call(app.url, path, author), 404, 'REVISION_NOT_FOUND', path);
    for (const path of paths(id, 0).slice(1))
      await expectStatus(call(app.url, path, author), 400, 'VALIDATION_FAILED', path);
    for (const document of [LIST, READ, RESTORE]) {
      const codes = async (variables: object, token?: string) =>
        (await graphql(app.url, document, { id, number: 1, ...variables }, token)).errors?.map(
          ({ extensions }) => extensions.code,
        );
      expect(await codes({})).to.deep.equal(['UNAUTHENTICATED']);
      expect(await codes({}, other.token)).to.deep.equal(['ARTICLE_FORBIDDEN']);
      expect(await codes({ id: 999_999 }, author.token)).to.deep.equal(['ARTICLE_NOT_FOUND']);
    }
  });

  it('of a private article are 404 for other members', async () => {
    const { id } = await build({ visibility: 'PRIVATE' });
    await edit(id, { title: 'Owls', content: 'Two.' });
    const other = await buildMember(app.url);
    for (const path of [
      `GET /api/articles/${id}/revisions`,
      `GET /api/articles/${id}/revisions/1`,
      `POST /api/articles/${id}/revisions/1/restore`,
    ]) {
      await expectStatus(call(app.url, path, other), 404, 'ARTICLE_NOT_FOUND', path);
      await expectStatus(call(app.url, path, author), 200, '1', path);
    }
    for (const document of [LIST, READ, RESTORE]) {
      const { errors } = await graphql(app.url, document, { id, number: 1 }, other.token);
      expect(errors?.map(({ extensions }) => extensions.code)).to.deep.equal(['ARTICLE_NOT_FOUND']);
    }
    expect((await call(app.url, `GET /api/articles/${id}`, author)).body?.data).to.include({
      content: 'One.',
      visibility: 'PRIVATE',
      revision: 3,
    });
  });

  it('are stored by the publication of a draft, and not by changes of the visibility or the slug', async () => {
    const { id } = await build({ tags: ['night'] });
    const { token } = author;
    await call(app.url, `PUT /api/articles/${id}/visibility`, { token, json: { visibility: 'PRIVATE' } });
    await edit(id, { title: 'Owls', content: 'One.', slug: 'revised-owls' });
    expect(await numbers(id)).to.deep.equal([]);
    const draft = (await call(app.url, `PUT /api/articles/${id}/draft`, author)).body?.data;
    await call(app.url, `PATCH /api/drafts/${draft.id}`, { token, json: { tags: ['birds'] } });
    await expectStatus(call(app.url, `POST /api/drafts/${draft.id}/publish`, author), 200, '1');
    expect(await numbers(id)).to.deep.equal([3]);
    expect((await read(id, 3)).body?.data.tags).to.deep.equal(['night']);
  });

  it('keep images from their removal without IMAGE_IN_USE, and end with the article', async () => {
    const [kept, deleted] = [await buildImage(app.url, author), await buildImage(app.url, author)];
    const { id } = await build({ content: `![](${kept.url}) ![](${deleted.url})` });
    await edit(id, { title: 'Owls', content: 'Two.' });
    const unreferenced = async (image: number) =>
      (
        await rowsOf<{ since: Date | null }>(
          app.database,
          `select unreferenced_at as since from images where id = ${image}`,
        )
      )[0]?.since;
    expect(await unreferenced(kept.id)).to.equal(null);
    await expectStatus(call(app.url, `DELETE /api/images/${deleted.id}`, author), 200, '1');
    expect((await restore(id, 1)).body?.data.content).to.contain(deleted.key);
    await edit(id, { title: 'Owls', content: 'Three.' });
    await call(app.url, `DELETE /api/articles/${id}`, author);
    expect(await unreferenced(kept.id)).to.be.instanceOf(Date);
    expect(await rowsOf(app.database, `select from article_revisions where article_id = ${id}`)).to.deep.equal([]);
  });
});

describe('The number of revisions', () => {
  const few = useApp({ REVISIONS_KEPT: '3' });

  it('is less than twice REVISIONS_KEPT between two runs of the job, for edits of one day', async () => {
    const { id, author }: BuiltArticle = await buildArticle(few.url);
    const counts: number[] = [];
    for (let edit = 1; edit <= 20; edit++) {
      await call(few.url, `PUT /api/articles/${id}`, {
        token: author.token,
        json: { title: 'Owls', content: `${edit}` },
      });
      const { body } = await call(few.url, `GET /api/articles/${id}/revisions`, author);
      counts.push(body?.data.pagination.totalElements);
    }
    expect(Math.max(...counts)).to.be.lessThan(6);
    expect(Math.min(...counts.slice(3))).to.be.at.least(3);
  });
});

const failAtEnd: typeof app.database.transaction = (work, options) =>
  app.database.transaction(async (db) => {
    await work(db);
    throw new Error('at the end');
  }, options);
