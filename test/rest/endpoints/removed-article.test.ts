/** Articles that a moderator has removed: who can read them, and what their authors can do. */
import { expect } from 'chai';
import { THIN_REVISIONS } from '../../../src/models/article/revision.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { buildDraft, timeIn } from '../../support/drafts.js';
import { addJobs, runJobs } from '../../support/jobs.js';
import { remove, restore } from '../../support/removal.js';
import { buildWithRole, setRole } from '../../support/roles.js';
import { buildShare, codeOfShared } from '../../support/shared-texts.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();
const REASON = 'A moderator has removed it: you can read and delete it, but not change it.';

let article: BuiltArticle;
let reader: BuiltMember;
let moderator: BuiltMember;
/** Before the removal. */
let slug: string;

const read = (token?: string, path = '') =>
  call(app.url, `GET /api/articles/${article.id}${path}`, token === undefined ? {} : { token });

beforeEach(async () => {
  article = await buildArticle(app.url, { title: 'A libel', content: 'He **stole** it.', tags: ['crime'] });
  slug = (await read()).body?.data.slug;
  await buildComment(app.url, article.id, { content: 'Really?' });
  reader = await buildMember(app.url);
  moderator = await buildWithRole(app, 'MODERATOR');
});

for (const visibility of ['PUBLIC', 'PRIVATE']) {
  describe(`A removed article that was ${visibility}`, () => {
    beforeEach(async () => {
      const json = { visibility };
      await call(app.url, `PUT /api/articles/${article.id}/visibility`, { token: article.author.token, json });
      expect(await remove(app, 'article', article.id)).to.equal(true);
    });

    it('does not exist, except for its author and moderators', async () => {
      const ofModerator = await buildApiToken(app.url, moderator, ['read', 'articles']);
      for (const token of [undefined, reader.token, ofModerator.token]) {
        for (const path of ['', '/rendered', '/markdown', '/comments', '/neighbors'])
          await expectStatus(read(token, path), 404, 'ARTICLE_NOT_FOUND', path);
        const options = token === undefined ? {} : { token };
        await expectStatus(call(app.url, `GET /api/articles/by-slug/${slug}`, options), 404, 'ARTICLE_NOT_FOUND');
      }
      expect(
        (await call(app.url, `GET /api/articles?tag=crime&memberId=${article.author.id}`)).body?.data.contents,
      ).to.deep.equal([]);
      for (const { token } of [article.author, moderator]) {
        const { body } = await expectStatus(read(token), 200, '1');
        expect(body?.data).to.include({ content: 'He **stole** it.', visibility: 'PRIVATE' });
        expect(body?.data.removedAt).to.match(/^20\d\d-/);
        expect((await read(token, '/rendered')).body?.data.contentHtml).to.equal(
          '<p>He <strong>stole</strong> it.</p>\n',
        );
        const query =
          'query ($id: ID!) { article(id: $id) { removedAt comments(first: 1) { edges { node { content } } } } }';
        const { data } = await graphql(app.url, query, { id: article.id }, token);
        expect(data.article.comments.edges[0].node.content).to.equal('Really?');
      }
    });

    it('is read by a moderator while the role lasts', async () => {
      await setRole(app, moderator.id, 'MEMBER');
      await expectStatus(read(moderator.token), 404, 'ARTICLE_NOT_FOUND');
    });

    it('is in the list of its author, with the time of the removal', async () => {
      const { body } = await call(app.url, 'GET /api/articles/me', { token: article.author.token });
      expect(body?.data.contents[0].removedAt).to.match(/^20\d\d-/);
    });

    it('returns to its visibility, and is removed and restored once', async () => {
      expect(await remove(app, 'article', article.id)).to.equal(false);
      expect(await restore(app, 'article', article.id)).to.equal(true);
      expect(await restore(app, 'article', article.id)).to.equal(false);
      expect((await read(article.author.token)).body?.data).to.include({ visibility, removedAt: null });
      expect((await read()).status).to.equal(visibility === 'PUBLIC' ? 200 : 404);
      const tagged = (await call(app.url, `GET /api/articles?tag=crime&memberId=${article.author.id}`)).body?.data
        .contents;
      expect(tagged).to.have.lengthOf(visibility === 'PUBLIC' ? 1 : 0);
    });
  });
}

describe('A removed article that became private before', () => {
  const author = () => ({ token: article.author.token });
  const edit = (json: object) => call(app.url, `PUT /api/articles/${article.id}`, { ...author(), json });
  const setVisibility = (visibility: string) =>
    expectStatus(
      call(app.url, `PUT /api/articles/${article.id}/visibility`, { ...author(), json: { visibility } }),
      200,
      '1',
    );
  const ofModerator = async (path = '') => (await expectStatus(read(moderator.token, path), 200, '1')).body?.data;
  const all = `query ($id: ID!) { article(id: $id) { title content excerpt slug categoryName tags articleImgAlt wordCount aiSummary contentHtml
    renderedHtml markdown commentCount commentConnection: comments(first: 10) { totalCount edges { node { content replies { content } } } } }
    comments(articleId: $id) { pagination { totalElements } contents { content replies { content } } } }`;
  const textOf = async () => JSON.stringify(await graphql(app.url, all, { id: article.id }, moderator.token));

  it('is shown to moderators as it was then, without what was written since', async () => {
    const comment = (await read(undefined, '/comments')).body?.data.contents[0].id;
    const { token } = article.author;
    const { id: edited } = await buildComment(app.url, article.id, { content: 'My source' }, article.author);
    await setVisibility('PRIVATE');
    const changes = [
      { title: 'A secret', content: 'A **secret**.', slug: 'a-secret', tags: ['secret'], category: 'secret' },
      { title: 'A secret again', content: 'Another secret.' },
    ];
    await call(app.url, 'POST /api/categories', { token, json: { categoryName: 'secret' } });
    for (const change of changes) await expectStatus(edit(change), 200, '1');
    await buildComment(app.url, article.id, { content: 'A secret comment' }, article.author);
    await buildComment(app.url, article.id, { content: 'A secret reply', parentCommentId: comment }, article.author);
    await call(app.url, `PATCH /api/comments/${edited}`, { token, json: { content: 'A secret source' } });
    await remove(app, 'article', article.id);
    expect(await ofModerator()).to.include({ title: 'A libel', content: 'He **stole** it.', slug, commentCount: 1 });
    expect((await ofModerator()).tags).to.deep.equal(['crime']);
    expect((await ofModerator('/rendered')).contentHtml).to.equal('<p>He <strong>stole</strong> it.</p>\n');
    const { contents, pagination } = await ofModerator('/comments');
    expect(contents.map((one: { content: string; replies: unknown[] }) => [one.content, one.replies])).to.deep.equal([
      ['Really?', []],
    ]);
    expect(pagination.totalElements).to.equal(1);
    expect(await textOf())
      .to.include('Really?')
      .and.not.include('secret');
    await expectStatus(
      call(app.url, `GET /api/comments/${edited}`, { token: moderator.token }),
      404,
      'COMMENT_NOT_FOUND',
    );
    expect((await read(article.author.token)).body?.data.title).to.equal('A secret again');
  });

  it('is shown as before an edit that made it private', async () => {
    await expectStatus(edit({ title: 'A secret', content: 'A secret.', visibility: 'PRIVATE' }), 200, '1');
    await remove(app, 'article', article.id);
    expect(await ofModerator()).to.include({ title: 'A libel', content: 'He **stole** it.' });
    expect(await textOf()).to.not.include('secret');
  });

  it('is shown as before an edit of the tags that made it private', async () => {
    const json = { title: 'A libel', content: 'He **stole** it.', tags: ['secret'], visibility: 'PRIVATE' };
    await expectStatus(edit(json), 200, '1');
    await remove(app, 'article', article.id);
    expect((await ofModerator()).tags).to.deep.equal(['crime']);
    expect(await textOf()).to.not.include('secret');
  });

  it('is shown as it was when it became private for the last time', async () => {
    await setVisibility('PRIVATE');
    await setVisibility('PUBLIC');
    await edit({ title: 'A correction', content: 'He did **not** steal it.' });
    await setVisibility('PRIVATE');
    await remove(app, 'article', article.id);
    expect(await ofModerator()).to.include({ title: 'A correction', content: 'He did **not** steal it.' });
    await restore(app, 'article', article.id);
    await edit({ title: 'A secret', content: 'A secret.' });
    await remove(app, 'article', article.id);
    expect(await ofModerator()).to.include({ title: 'A correction' });
  });

  it('keeps its revision of that version, however many follow', async () => {
    await setVisibility('PRIVATE');
    for (let count = 0; count < 5; count++) await edit({ title: `Secret ${count}`, content: 'A secret.' });
    await app.database.change(THIN_REVISIONS, [[article.id], 1, 100]);
    await remove(app, 'article', article.id);
    expect(await ofModerator()).to.include({ title: 'A libel', content: 'He **stole** it.' });
  });

  it('does not exist for moderators if it never was public', async () => {
    article = await buildArticle(app.url, { title: 'A secret', visibility: 'PRIVATE' });
    await remove(app, 'article', article.id);
    for (const path of ['', '/rendered', '/comments'])
      await expectStatus(read(moderator.token, path), 404, 'ARTICLE_NOT_FOUND');
  });

  it('is read as it is by moderators once it is public again', async () => {
    await setVisibility('PRIVATE');
    await edit({ title: 'A correction', content: 'He did not.' });
    await buildComment(app.url, article.id, { content: 'Sorry' }, article.author);
    await setVisibility('PUBLIC');
    await remove(app, 'article', article.id);
    expect(await ofModerator()).to.include({ title: 'A correction', commentCount: 2 });
    expect((await ofModerator('/comments')).pagination.totalElements).to.equal(2);
  });
});

describe('The author of a removed article', () => {
  const token = () => article.author.token;
  const change = (method: string, path: string, json: object = {}) =>
    call(app.url, `${method} /api/articles/${article.id}${path}`, { token: token(), json });

  it('cannot edit it, publish it, restore a revision of it, share it or start a draft of it', async () => {
    const { id: shared } = await buildArticle(app.url, {}, article.author);
    await change('PUT', '', { title: 'A libel', content: 'He *stole* it.' });
    await remove(app, 'article', article.id);
    const attempts = [
      ['PUT', '', { title: 'Renamed', content: 'Changed' }],
      ['PUT', '/visibility', { visibility: 'PUBLIC' }],
      ['PUT', '/visibility', { visibility: 'PRIVATE' }],
      ['POST', '/revisions/1/restore'],
      ['POST', '/share'],
      ['PUT', '/draft'],
    ] as const;
    for (const [method, path, json] of attempts) {
      const { body } = await expectStatus(change(method, path, json), 403, 'ARTICLE_FORBIDDEN', path);
      expect(body?.message, path).to.equal(REASON);
    }
    const mutation = 'mutation ($id: ID!) { setVisibility(articleId: $id, visibility: PUBLIC) { id } }';
    const { errors } = await graphql(app.url, mutation, { id: article.id }, token());
    expect(errors?.[0]?.extensions.code).to.equal('ARTICLE_FORBIDDEN');
    expect((await call(app.url, `GET /api/articles/${shared}`)).status).to.equal(200);
    expect((await read()).status).to.equal(404);
  });

  it('reads its revisions, and deletes it', async () => {
    await change('PUT', '', { title: 'A libel', content: 'Changed' });
    await remove(app, 'article', article.id);
    expect((await read(token(), '/revisions')).body?.data.contents).to.have.lengthOf(1);
    await expectStatus(change('DELETE', ''), 200, '1');
    await expectStatus(read(token()), 404, 'ARTICLE_NOT_FOUND');
  });

  it('cannot publish a draft onto it, at once or later', async () => {
    const draft = (await change('PUT', '/draft')).body?.data.id;
    const schedule = (path: string) =>
      call(app.url, `${path} /api/drafts/${draft}/schedule`, { token: token(), json: { publishAt: timeIn(3_600) } });
    await expectStatus(schedule('PUT'), 200, '1');
    await remove(app, 'article', article.id);
    const publish = call(app.url, `POST /api/drafts/${draft}/publish`, { token: token() });
    await expectStatus(publish, 403, 'ARTICLE_FORBIDDEN');
    await expectStatus(schedule('PUT'), 403, 'ARTICLE_FORBIDDEN');
    expect((await change('PUT', '/draft')).body?.data.id).to.equal(draft);
    await app.database.sequelize.query(`update drafts set publish_at = now() where id = ${draft}`);
    await addJobs(app.database, 'publish-drafts', [{ draftId: draft }]);
    await runJobs(app);
    const { body } = await call(app.url, `GET /api/drafts/${draft}`, { token: token() });
    expect(body?.data).to.include({ publicationError: 'ARTICLE_FORBIDDEN', publishAt: null });
    expect((await read()).status).to.equal(404);
    expect((await read(token())).body?.data.content).to.equal('He **stole** it.');
  });
});

describe('The share links of a removed article and its draft', () => {
  it('lead nowhere until it is restored', async () => {
    const { author } = article;
    const { body } = await call(app.url, `PUT /api/articles/${article.id}/draft`, { token: author.token });
    const texts = [
      { kind: 'article', id: article.id, author },
      { kind: 'draft', id: body?.data.id, author },
    ] as const;
    const tokens = [];
    for (const text of texts) tokens.push((await buildShare(app, text)).token);
    await remove(app, 'article', article.id);
    for (const token of tokens) expect(await codeOfShared(app, token)).to.equal('SHARE_NOT_FOUND');
    for (const { kind, id } of texts) {
      const again = call(app.url, `POST /api/${kind}s/${id}/share`, { token: author.token, json: {} });
      await expectStatus(again, 403, 'ARTICLE_FORBIDDEN');
    }
    await restore(app, 'article', article.id);
    for (const token of tokens)
      expect((await call(app.url, `GET /api/shared/${token}`)).body?.data.content).to.equal('He **stole** it.');
  });

  it('leave those of other drafts as they are', async () => {
    const other = await buildDraft(app.url, { title: 'Owls', content: 'Attic' }, article.author);
    const { token } = await buildShare(app, { kind: 'draft', id: other.id, author: article.author });
    await remove(app, 'article', article.id);
    expect((await call(app.url, `GET /api/shared/${token}`)).status).to.equal(200);
  });
});

describe('An unknown article', () => {
  it('costs members one statement, and moderators another one', async () => {
    const statements = async (token: string) =>
      (await statementsDuring(() => call(app.url, 'GET /api/articles/999999', { token }))).filter((text) =>
        text.includes('all_articles'),
      );
    expect(await statements(reader.token)).to.have.lengthOf(1);
    expect(await statements(moderator.token)).to.have.lengthOf(2);
  });
});
