/** Editing and deleting articles, and their images. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, buildArticle, buildComment, buildMember, useMember } from '../../support/build.js';
import { call, fieldErrors, graphql } from '../../support/client.js';
import { replaceFunctions } from '../../support/database.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { flat } from '../../support/images.js';
import { runJobs, waitingJobs } from '../../support/jobs.js';
import { filePart, multipart, requestPart } from '../../support/multipart.js';

const app = useApp();
const fields = { title: 'Title', content: 'Content' };

async function read(id: number) {
  return (await call(app.url, `GET /api/articles/${id}`)).body?.data;
}

async function imageFiles(): Promise<string[]> {
  await runJobs(app);
  return readdir(join(app.dataDir, 'images')).catch(() => []);
}

describe('PUT /api/articles/{articleId}', () => {
  let article: BuiltArticle;
  const edit = (json: unknown, id: number | string = article.id, token = article.author.token) =>
    call(app.url, `PUT /api/articles/${id}`, { token, json });
  beforeEach(async () => {
    article = await buildArticle(app.url, { tags: ['one', 'two'] });
  });

  it('returns 200 with the updated article and keeps absent fields', async () => {
    const before = await read(article.id);
    const { status, body } = await edit({ title: 'New', content: '# New\n\nwords' });
    expect(status).to.equal(200);
    expect(body?.data).to.deep.include({ title: 'New', excerpt: 'words', tags: ['one', 'two'], revision: 2 });
    expect(body?.data.categoryId).to.equal(before.categoryId);
    expect(await read(article.id)).to.deep.equal(body?.data);
  });

  it('returns 200 with normalized, deduplicated tags, or none', async () => {
    const tags = ['Two', 'THREE', 'two', ' three '];
    expect((await edit({ ...fields, tags })).body?.data.tags).to.deep.equal(['two', 'three']);
    expect((await edit({ ...fields, tags: [] })).body?.data.tags).to.deep.equal([]);
  });

  it('returns 200 after moving the article to another category of the member', async () => {
    const { token } = article.author;
    await call(app.url, 'POST /api/categories', { token, json: { categoryName: 'Else' } });
    expect((await edit({ ...fields, category: 'else' })).body?.data.category).to.equal('Else');
    expect((await edit(fields)).body?.data.category).to.equal('Else');
  });

  it('returns 400 and names every invalid field', async () => {
    const response = await edit({ title: '', tags: Array(11).fill('t'), version: 0, category: 'x'.repeat(21), id: 1 });
    expect(fieldErrors(response).map((line) => line.split(':')[0])).to.have.members([
      'id',
      'title',
      'content',
      'tags',
      'version',
      'category',
    ]);
    expect(fieldErrors(await edit({ ...fields, tags: ['İ'.repeat(30)] }))).to.deep.equal([
      'tags: each must be 1 to 30 characters long, got 60',
    ]);
    for (const id of BAD_IDS) expect((await edit(fields, id)).status, id).to.equal(400);
  });

  it('returns 401 without a token', async () => {
    expect((await call(app.url, `PUT /api/articles/${article.id}`, { json: {} })).status).to.equal(401);
  });

  it('returns 403 for another member, and 400 first for an invalid body', async () => {
    const { token } = await buildMember(app.url);
    expect((await edit(fields, article.id, token)).body?.code).to.equal('ARTICLE_FORBIDDEN');
    expect((await edit({ ...fields, category: 'none' }, article.id, token)).body?.code).to.equal('ARTICLE_FORBIDDEN');
    expect((await edit({}, article.id, token)).body?.code).to.equal('VALIDATION_FAILED');
    expect((await read(article.id)).revision).to.equal(1);
  });

  it('returns 404 for an unknown article or category', async () => {
    for (const id of HUGE_IDS) expect((await edit(fields, id)).body?.code, id).to.equal('ARTICLE_NOT_FOUND');
    expect((await edit({ ...fields, category: 'none' })).body?.code).to.equal('CATEGORY_NOT_FOUND');
  });

  it('has no condition in its body', async () => {
    for (const name of ['version', 'revision', 'ifRevision']) {
      const [error] = fieldErrors(await edit({ ...fields, [name]: 1 }));
      expect(error).to.match(new RegExp(`^${name}: is not a known field; expected description, `));
    }
  });

  it('keeps the comment count after parallel comments', async () => {
    await Promise.all(Array.from({ length: 5 }, () => buildComment(app.url, article.id, {}, article.author)));
    await edit(fields);
    expect((await read(article.id)).commentCount).to.equal(5);
  });
});

describe('Article image', () => {
  let png: Buffer;
  const writer = useMember(app);
  before(async () => {
    png = await flat(400, 10).png().toBuffer();
  });
  const send = (target: string, json: object | null, withFile = true) =>
    call(app.url, target, {
      token: writer.token,
      ...multipart([...(json ? [requestPart(json)] : []), ...(withFile ? [filePart(png)] : [])]),
    });

  it('is created (201), replaced, removed and deleted with its article, leaving no files', async () => {
    const made = await send('POST /api/articles', fields);
    expect(made.status).to.equal(201);
    const { id, articleImg, articleImgSizes } = made.body?.data ?? {};
    expect(articleImgSizes).to.deep.equal([{ url: articleImg.replace('.webp', '-320.webp'), width: 320 }]);
    expect((await fetch(articleImgSizes[0].url)).status).to.equal(200);
    expect((await fetch(articleImg)).status).to.equal(200);
    expect(await imageFiles()).to.have.length(2);
    const replaced = await send(`PUT /api/articles/${id}`, fields);
    expect(replaced.body?.data.articleImg).to.not.equal(articleImg);
    expect(await imageFiles()).to.have.length(2);
    expect((await fetch(articleImg)).status).to.equal(404);
    expect((await send(`PUT /api/articles/${id}`, fields, false)).body?.data.articleImg).to.be.a('string');
    const removed = await send(`PUT /api/articles/${id}`, { ...fields, removeImage: true }, false);
    expect(removed.body?.data).to.deep.include({ articleImg: null, articleImgSizes: [] });
    expect(await imageFiles()).to.deep.equal([]);
    await send(`PUT /api/articles/${id}`, fields);
    await call(app.url, `DELETE /api/articles/${id}`, { token: writer.token });
    expect(await imageFiles()).to.deep.equal([]);
  });

  it('has an alternative text, which ends with the image that it describes', async () => {
    const articleImgAlt = '  A lighthouse <in> the fog ';
    const made = await send('POST /api/articles', { ...fields, articleImgAlt });
    const { id } = made.body?.data ?? {};
    expect(made.body?.data.articleImgAlt).to.equal(articleImgAlt.trim());
    const edit = async (changes: object, withFile = false) => {
      const { body } = await send(`PUT /api/articles/${id}`, { ...fields, ...changes }, withFile);
      const { data } = await graphql(app.url, 'query ($id: ID!) { article(id: $id) { articleImgAlt } }', { id });
      expect(data.article.articleImgAlt).to.equal(body?.data.articleImgAlt);
      return body?.data.articleImgAlt;
    };
    expect(await edit({})).to.equal('A lighthouse <in> the fog');
    expect(await edit({ articleImgAlt: null })).to.equal('A lighthouse <in> the fog');
    expect(await edit({ articleImgAlt: ' ' })).to.equal(null);
    expect(await edit({ articleImgAlt: '등대' })).to.equal('등대');
    expect(await edit({ articleImgAlt: 'Another one' }, true)).to.equal('Another one');
    expect(await edit({}, true)).to.equal(null);
    await edit({ articleImgAlt: 'A third one' });
    const [listed] = (await call(app.url, `GET /api/articles?memberId=${writer.id}`)).body?.data.contents ?? [];
    expect(listed.articleImgAlt).to.equal('A third one');
    expect(await edit({ removeImage: true })).to.equal(null);
    expect(await edit({ articleImgAlt: 'Written before its image' })).to.equal('Written before its image');
    expect(await edit({}, true)).to.equal('Written before its image');
    await call(app.url, `DELETE /api/articles/${id}`, { token: writer.token });
  });

  it('has an alternative text of one line and at most 300 characters', async () => {
    const wrong = [
      ['x'.repeat(301), 'articleImgAlt: must be 0 to 300 characters long, got 301'],
      ['two\nlines', 'articleImgAlt: must be one line without control characters'],
      [7, 'articleImgAlt: must be a string, got 7'],
    ] as const;
    for (const [articleImgAlt, error] of wrong) {
      const rejected = await call(app.url, 'POST /api/articles', {
        token: writer.token,
        json: { ...fields, articleImgAlt },
      });
      expect(fieldErrors(rejected)).to.deep.equal([error]);
    }
    const input = { ...fields, articleImgAlt: '🌊'.repeat(300) };
    const mutation = 'mutation ($input: CreateArticleInput!) { createArticle(input: $input) { id articleImgAlt } }';
    const { data } = await graphql(app.url, mutation, { input }, writer.token);
    expect(data.createArticle.articleImgAlt).to.equal(input.articleImgAlt);
  });

  it('is shown with that of the author, whose change renews the list', async () => {
    const { author } = await buildArticle(app.url);
    const path = `GET /api/articles?memberId=${author.id}`;
    const first = await call(app.url, path);
    expect(first.body?.data.contents[0].authorImg).to.equal(null);
    const sent = { ...multipart([filePart(png)]), token: author.token };
    expect((await call(app.url, 'PATCH /api/members/me', sent)).status).to.equal(204);
    const profile = await call(app.url, `GET /api/members/${author.id}`);
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    const [listed] = (await call(app.url, path, { headers })).body?.data.contents ?? [];
    expect(listed.authorImg).to.equal(profile.body?.data.profileImg).and.be.a('string');
    await call(app.url, 'PATCH /api/members/me', { token: author.token, json: { removeImage: true } });
  });

  it('leaves no file when the article is rejected', async () => {
    const rejected = await send('POST /api/articles', { ...fields, category: 'none' });
    expect(rejected.body?.code).to.equal('CATEGORY_NOT_FOUND');
    expect((await send('POST /api/articles', null)).status).to.equal(400);
    const { id } = await buildArticle(app.url, {}, writer);
    expect((await send(`PUT /api/articles/${id}`, { ...fields, category: 'none' })).status).to.equal(404);
    expect(fieldErrors(await send(`PUT /api/articles/${id}`, { ...fields, removeImage: true }))).to.deep.equal([
      'removeImage: cannot be combined with a new image',
    ]);
    expect(await imageFiles()).to.deep.equal([]);
  });

  it('leaves no file when the transaction fails after the file was saved', async () => {
    const transaction = () => Promise.reject(new Error('the database went away'));
    const restore = replaceFunctions(app.database, { transaction });
    const failed = await send('POST /api/articles', fields).finally(restore);
    expect(failed.status).to.equal(500);
    expect(await imageFiles()).to.deep.equal([]);
  });

  it('has a cleanup job scheduled before the file is saved', async () => {
    const { save } = app.services.images;
    app.services.images.save = () => Promise.reject(new Error('the process was killed'));
    await send('POST /api/articles', fields).finally(() => {
      app.services.images.save = save;
    });
    const job = (await waitingJobs(app)).at(-1);
    expect([job?.task, (job?.seconds ?? 0) > 3_000]).to.deep.equal(['remove-unused-image', true]);
  });
});

describe('DELETE /api/articles/{articleId}', () => {
  const remove = (id: number | string, token: string) => call(app.url, `DELETE /api/articles/${id}`, { token });

  it('returns 200 and deletes the article with its comments', async () => {
    const { id, author } = await buildArticle(app.url, { tags: ['gone'] });
    const comment = await buildComment(app.url, id);
    await buildComment(app.url, id, { parentCommentId: comment.id });
    expect((await remove(id, author.token)).body).to.deep.equal({ code: '1', message: 'Article deleted.', data: {} });
    expect((await call(app.url, `GET /api/articles/${id}`)).status).to.equal(404);
    expect((await call(app.url, `GET /api/comments/${comment.id}/replies`)).status).to.equal(404);
    expect((await remove(id, author.token)).body?.code).to.equal('ARTICLE_NOT_FOUND');
  });

  it('returns 400, 401, 403 and 404', async () => {
    const { id, author } = await buildArticle(app.url);
    const { token } = await buildMember(app.url);
    for (const bad of BAD_IDS) expect((await remove(bad, author.token)).status, bad).to.equal(400);
    expect((await call(app.url, `DELETE /api/articles/${id}`)).status).to.equal(401);
    expect((await remove(id, token)).body?.code).to.equal('ARTICLE_FORBIDDEN');
    for (const huge of HUGE_IDS) expect((await remove(huge, token)).body?.code, huge).to.equal('ARTICLE_NOT_FOUND');
  });
});

describe('GraphQL articles', () => {
  it('are edited and deleted under the same rules as over REST', async () => {
    const { id, author } = await buildArticle(app.url);
    const update =
      'mutation ($id: ID!, $input: UpdateArticleInput!) { updateArticle(id: $id, input: $input) { revision } }';
    const run = (input: object, token = author.token) => graphql(app.url, update, { id, input }, token);
    expect((await run(fields)).data.updateArticle.revision).to.equal(2);
    const { token } = await buildMember(app.url);
    expect((await run(fields, token)).errors?.[0]?.extensions.code).to.equal('ARTICLE_FORBIDDEN');
    const remove = `mutation { deleteArticle(id: ${id}) { id title } }`;
    expect((await graphql(app.url, remove, {}, author.token)).data.deleteArticle).to.deep.equal({
      id: String(id),
      title: 'Title',
    });
  });
});
