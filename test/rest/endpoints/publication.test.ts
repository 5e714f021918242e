/** Publishing drafts, and scheduling it, over both APIs. */
import { expect } from 'chai';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildImage, buildMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { type BuiltDraft, buildDraft, timeIn } from '../../support/drafts.js';
import { flat } from '../../support/images.js';
import { rowsOf } from '../../support/imported.js';
import { interleave } from '../../support/interleave.js';
import { waitingJobs, waitingSummaries } from '../../support/jobs.js';
import { filePart, multipart, requestPart } from '../../support/multipart.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();

const publish = ({ id, author }: BuiltDraft, headers: Record<string, string> = {}, token = author.token) =>
  call(app.url, `POST /api/drafts/${id}/publish`, { token, headers });
const plan = ({ id, author }: BuiltDraft, publishAt: unknown, headers: Record<string, string> = {}) =>
  call(app.url, `PUT /api/drafts/${id}/schedule`, { token: author.token, json: { publishAt }, headers });
const save = ({ id, author }: BuiltDraft, json: object) =>
  call(app.url, `PATCH /api/drafts/${id}`, { token: author.token, json });

async function read(id: number) {
  return (await call(app.url, `GET /api/articles/${id}`)).body?.data;
}

async function numberOfArticles(): Promise<number> {
  return (await call(app.url, 'GET /api/articles')).body?.data.pagination.totalElements;
}

/** The draft of an article. */
async function start({ id, author }: BuiltArticle): Promise<BuiltDraft> {
  const { body } = await call(app.url, `PUT /api/articles/${id}/draft`, { token: author.token });
  return { id: body?.data.id, author };
}

describe('POST /api/drafts/{draftId}/publish', () => {
  it('returns 200 with the new article, which is in lists, searches and feeds, and removes the draft', async () => {
    const draft = await buildDraft(app.url, { title: 'Lanterns', content: 'A **glow** in the fog.', tags: ['Sea'] });
    const before = Math.floor(app.database.now() / 1_000) * 1_000;
    const { status, body, headers } = await publish(draft);
    expect([status, body?.message]).to.deep.equal([200, 'Draft published.']);
    const article = body?.data;
    expect(article).to.deep.include({
      ...{ title: 'Lanterns', content: 'A **glow** in the fog.', excerpt: 'A glow in the fog.', tags: ['sea'] },
      ...{ category: 'General', memberId: draft.author.id, revision: 1, articleImg: null },
    });
    expect(headers.get('ETag')).to.match(/^W\/"1\./);
    expect(Date.parse(`${article.createdAt}Z`)).to.be.at.least(before);
    expect(await read(article.id)).to.deep.equal(article);
    const found = await call(app.url, 'GET /api/articles?keyword=glow');
    expect(found.body?.data.contents).to.have.length(1);
    expect(await (await fetch(`${app.url}/feed.json`)).text()).to.include('Lanterns');
    expect((await waitingSummaries(app)).map(({ payload }) => payload)).to.deep.include({
      articleId: article.id,
      revision: 1,
    });
    await expectStatus(
      call(app.url, `GET /api/drafts/${draft.id}`, { token: draft.author.token }),
      404,
      'DRAFT_NOT_FOUND',
    );
  });

  it('returns the same over GraphQL', async () => {
    const draft = await buildDraft(app.url, { title: 'Over GraphQL', content: 'A *text*.' });
    const text = 'mutation ($id: ID!) { publishDraft(id: $id) { id title contentHtml summaryStatus author { id } } }';
    const { data } = await graphql(app.url, text, { id: draft.id }, draft.author.token);
    expect(data.publishDraft).to.deep.include({
      ...{ title: 'Over GraphQL', contentHtml: '<p>A <em>text</em>.</p>\n', summaryStatus: 'PENDING' },
      author: { id: String(draft.author.id) },
    });
    const { errors } = await graphql(app.url, text, { id: draft.id }, draft.author.token);
    expect(errors?.[0]?.extensions.code).to.equal('DRAFT_NOT_FOUND');
  });

  it('publishes an edit of an article, which stays where it was', async () => {
    const article = await buildArticle(app.url, { title: 'Before', content: 'Old', tags: ['old'] });
    const created = await read(article.id);
    const draft = await start(article);
    await save(draft, { title: 'After', content: 'New', tags: ['new'] });
    const { body } = await publish(draft);
    const { id, createdAt } = created;
    expect(body?.data).to.deep.include({ id, createdAt, title: 'After', content: 'New', tags: ['new'], revision: 2 });
    expect(await read(article.id)).to.deep.equal(body?.data);
  });

  it('publishes all values of a draft: its category, and the image that it has or removes', async () => {
    const author = await buildMember(app.url);
    const { token } = author;
    await call(app.url, 'POST /api/categories', { token, json: { categoryName: 'Travel' } });
    const image = await buildImage(app.url, author, 640, 480);
    const draft = await buildDraft(app.url, { category: 'travel', imageId: image.id }, author);
    const { body } = await publish(draft);
    expect(body?.data).to.deep.include({ category: 'Travel', articleImg: image.url });
    expect(body?.data.articleImgSizes.map(({ width }: { width: number }) => width)).to.deep.equal([320]);
    const article = { id: body?.data.id, author };
    await expectStatus(call(app.url, `DELETE /api/images/${image.id}`, { token }), 409, 'IMAGE_IN_USE');

    const kept = await start(article);
    await save(kept, { title: 'Another title' });
    expect((await publish(kept)).body?.data).to.deep.include({ category: 'Travel', articleImg: image.url });

    const removed = await start(article);
    await save(removed, { removeImage: true, category: '' });
    expect((await publish(removed)).body?.data).to.deep.include({ category: 'General', articleImg: null });
  });

  it('gives the article the value of each column that both tables have, besides the identity, the revision and the times', async () => {
    const author = await buildMember(app.url);
    const { body } = await call(app.url, 'POST /api/categories', {
      token: author.token,
      json: { categoryName: 'Sea' },
    });
    const ofType: Readonly<Record<string, (column: string) => string>> = {
      boolean: () => 'true',
      text: (column) => `'of ${column}'`,
      'character varying': (column) => `'of-${column}'`,
      bigint: () => String(body?.data.id),
    };
    const columns = await rowsOf<{ name: string; type: string }>(
      app.database,
      `select column_name as name, d.data_type as type from information_schema.columns d
         join information_schema.columns a using (table_schema, column_name)
       where d.table_name = 'drafts' and a.table_name = 'all_articles'
         and column_name not in ('id', 'key', 'member_id', 'revision', 'created_at', 'updated_at')`,
    );
    const address = (name: string) => name === 'canonical_url' && `'https://of.test/'`;
    const values = columns.map(({ name, type }) => `${name} = ${address(name) || ofType[type]?.(name)}`);
    const list = columns.map(({ name }) => name).join(', ');
    for (const draft of [await buildDraft(app.url, {}, author), await start(await buildArticle(app.url, {}, author))]) {
      const text = `update drafts set ${values.join(', ')} where id = ${draft.id} returning ${list}`;
      const [written] = await rowsOf(app.database, text);
      const id = (await publish(draft)).body?.data.id;
      expect(await rowsOf(app.database, `select ${list} from all_articles where id = ${id}`)).to.deep.equal([written]);
      await app.database.sequelize.query(`delete from all_articles where id = ${id}`);
    }
  });

  it('keeps the alternative text of an image unless it replaces the image', async () => {
    const author = await buildMember(app.url);
    const png = filePart(await flat(400, 10).png().toBuffer());
    const json = { title: 'Owls', content: 'One.', articleImgAlt: 'An owl' };
    const { body } = await call(app.url, 'POST /api/articles', {
      token: author.token,
      ...multipart([requestPart(json), png]),
    });
    const article = { id: body?.data.id, author };
    const draft = await start(article);
    await save(draft, { content: 'Two.' });
    expect((await publish(draft)).body?.data.articleImgAlt).to.equal('An owl');
    const replacing = await start(article);
    await save(replacing, { imageId: (await buildImage(app.url, author)).id });
    expect((await publish(replacing)).body?.data.articleImgAlt).to.equal(null);
  });

  it('gives the article the alternative text and the size of the image of the draft', async () => {
    const author = await buildMember(app.url);
    const image = await buildImage(app.url, author, 400, 10);
    const json = { title: 'Owls', content: 'One.', imageId: image.id, articleImgAlt: 'An owl' };
    const published = (await publish(await buildDraft(app.url, json, author))).body?.data;
    expect(published).to.include({ articleImgAlt: 'An owl', articleImgWidth: 400, articleImgHeight: 10 });
    const article = { id: published.id, author };
    const other = await start(article);
    await save(other, { imageId: (await buildImage(app.url, author)).id, articleImgAlt: 'A bat' });
    expect((await publish(other)).body?.data.articleImgAlt).to.equal('A bat');
    const without = await start(article);
    await save(without, { articleImgAlt: '' });
    expect((await publish(without)).body?.data.articleImgAlt).to.equal(null);
  });

  it('uses the default category if that of the draft was deleted', async () => {
    const author = await buildMember(app.url);
    const { token } = author;
    const json = { categoryName: 'Short-lived' };
    const { body } = await call(app.url, 'POST /api/categories', { token, json });
    const draft = await buildDraft(app.url, { category: 'Short-lived' }, author);
    const edit = await start(await buildArticle(app.url, { category: 'Short-lived' }, author));
    await call(app.url, `DELETE /api/categories/${body?.data.id}`, { token });
    for (const one of [draft, edit]) expect((await publish(one)).body?.data.category).to.equal('General');
  });

  it('reports first the unknown draft, then its revision, then every missing field, then the revision of the article', async () => {
    const article = await buildArticle(app.url);
    const { token } = article.author;
    const draft = await start(article);
    await save(draft, { title: '', content: ' \n' });
    await call(app.url, `PUT /api/articles/${article.id}`, { token, json: { title: 'Edited', content: 'meanwhile' } });
    const stale = { 'If-Match': 'W/"9"' };
    const other = await buildMember(app.url);
    for (const id of [999_999, 2 ** 60])
      await expectStatus(publish({ id, author: other }, stale), 404, 'DRAFT_NOT_FOUND');
    await expectStatus(publish(draft, stale, other.token), 404, 'DRAFT_NOT_FOUND');
    await expectStatus(publish(draft, stale), 412, 'PRECONDITION_FAILED');
    expectFieldErrors(
      await expectStatus(publish(draft), 400, 'VALIDATION_FAILED'),
      'title: must be 1 to 100 characters long, got 0',
      'content: must not be blank',
    );
    await save(draft, { title: 'Mine', content: 'Mine' });
    await expectStatus(publish(draft), 409, 'REVISION_CONFLICT');
    await save(draft, { baseRevision: 3 });
    await expectStatus(publish(draft), 409, 'REVISION_CONFLICT');
    expect((await read(article.id)).title).to.equal('Edited');
    await save(draft, { baseRevision: 2 });
    expect((await publish(draft)).body?.data).to.deep.include({ title: 'Mine', revision: 3 });
  });

  it('reserves the slug of the draft, unless it is taken', async () => {
    const [first, second] = [
      await buildDraft(app.url, { slug: 'the-tide' }),
      await buildDraft(app.url, { slug: 'the-tide' }),
    ];
    expect((await publish(first)).body?.data.slug).to.equal('the-tide');
    await expectStatus(publish(second), 409, 'SLUG_TAKEN');
    await expectStatus(plan(second, timeIn(3_600)), 409, 'SLUG_TAKEN');
    const article = {
      id: (await call(app.url, 'GET /api/articles/by-slug/the-tide')).body?.data.id,
      author: first.author,
    };
    const kept = await start(article);
    await save(kept, { title: 'Renamed' });
    expect((await publish(kept)).body?.data).to.deep.include({ title: 'Renamed', slug: 'the-tide' });
    const renamed = await start(article);
    await save(renamed, { slug: 'High-Tide' });
    expect((await publish(renamed)).body?.data.slug).to.equal('high-tide');
  });

  it('requires a token with the scope of articles', async () => {
    const draft = await buildDraft(app.url);
    expect((await call(app.url, `POST /api/drafts/${draft.id}/publish`)).status).to.equal(401);
    const [reader, writer] = [
      await buildApiToken(app.url, draft.author, ['read']),
      await buildApiToken(app.url, draft.author, ['articles']),
    ];
    await expectStatus(publish(draft, {}, reader.token), 403, 'SCOPE_MISSING');
    await expectStatus(publish(draft, {}, writer.token), 200, '1');
  });

  it('publishes once for several requests at once, and for a retry with a key', async () => {
    const draft = await buildDraft(app.url);
    const before = await numberOfArticles();
    const responses = await Promise.all(Array.from({ length: 5 }, () => publish(draft)));
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([200, 404, 404, 404, 404]);
    expect(await numberOfArticles()).to.equal(before + 1);
    const keyed = await buildDraft(app.url);
    const key = { 'Idempotency-Key': 'publish-once' };
    const first = await publish(keyed, key);
    const second = await publish(keyed, key);
    expect(second.headers.get('Idempotency-Replayed')).to.equal('true');
    expect(second.body).to.deep.equal(first.body);
    expect(await numberOfArticles()).to.equal(before + 2);
  });

  it('counts its text towards the write limits', async () => {
    const draft = await buildDraft(app.url, { content: 'x'.repeat(50_000) });
    const points = async () => {
      const [rows] = await app.database.sequelize.query(`select points from rate_limits where points >= 50000`);
      return rows.length;
    };
    const before = await points();
    await publish(draft);
    expect(await points()).to.equal(before + 1);
  });

  it('executes these statements', async () => {
    const draft = await buildDraft(app.url);
    const statements = await statementsDuring(() => publish(draft));
    const names = statements.map((text) => text.trim().split(/\s+/).slice(0, 3).join(' '));
    expect(names, names.join('\n')).to.have.lengthOf(15);
  });
});

describe('A draft that changes while it is published', () => {
  const lock = 'select from drafts for update';
  let draft: BuiltDraft;
  beforeEach(async () => {
    await app.database.sequelize.query('delete from drafts');
    draft = await buildDraft(app.url, { title: 'First', content: 'First' });
  });
  const during = (change: string, headers = {}) =>
    interleave(app, { lock, request: () => publish(draft, headers), change });

  it('is published with the text that was saved', async () => {
    const { body } = await during(`update drafts set title = 'Second', content = '*Second*', revision = 2`);
    expect(body?.data).to.deep.include({ title: 'Second', content: '*Second*' });
    const { data } = await graphql(app.url, 'query ($id: ID!) { article(id: $id) { contentHtml } }', {
      id: body?.data.id,
    });
    expect(data.article.contentHtml).to.equal('<p><em>Second</em></p>\n');
  });

  it('is not published with If-Match, nor if it lacks a field now', async () => {
    const etag = { 'If-Match': 'W/"1"' };
    await expectStatus(during('update drafts set revision = 2', etag), 412, 'PRECONDITION_FAILED');
    await expectStatus(during(`update drafts set title = ''`), 400, 'VALIDATION_FAILED');
  });

  it('is not published if it is deleted', async () => {
    await expectStatus(during('delete from drafts'), 404, 'DRAFT_NOT_FOUND');
  });

  it('becomes a new article if its article is deleted', async () => {
    const article = await buildArticle(app.url, {}, draft.author);
    draft = await start(article);
    const { body } = await interleave(app, {
      lock: `select from all_articles where id = ${article.id} for update`,
      request: () => publish(draft),
      change: `delete from all_articles where id = ${article.id}`,
    });
    expect(body?.data.revision).to.equal(1);
    expect(body?.data.id).to.be.above(article.id);
  });

  it('does not overwrite its article if that is edited', async () => {
    const article = await buildArticle(app.url, {}, draft.author);
    draft = await start(article);
    const response = interleave(app, {
      lock: `select from all_articles where id = ${article.id} for update`,
      request: () => publish(draft),
      change: `update all_articles set revision = 2 where id = ${article.id}`,
    });
    await expectStatus(response, 409, 'REVISION_CONFLICT');
  });

  it('is not published if the session ends', async () => {
    const article = await buildArticle(app.url, {}, draft.author);
    draft = await start(article);
    const response = interleave(app, {
      lock: `select from all_articles where id = ${article.id} for update`,
      request: () => publish(draft),
      change: `delete from sessions where member_id = ${draft.author.id}`,
    });
    await expectStatus(response, 401, 'UNAUTHENTICATED');
  });
});

describe('PUT /api/drafts/{draftId}/schedule', () => {
  let draft: BuiltDraft;
  let author: BuiltMember;
  beforeEach(async () => {
    draft = await buildDraft(app.url);
    ({ author } = draft);
  });
  const jobs = async () =>
    (await waitingJobs(app)).filter(({ payload }) => (payload as { draftId?: number }).draftId === draft.id);

  it('returns 200 with the draft, whose revision and time of the last change stay', async () => {
    const before = (await call(app.url, `GET /api/drafts/${draft.id}`, { token: author.token })).body?.data;
    const publishAt = timeIn(3_600);
    const { status, body, headers } = await plan(draft, publishAt);
    expect([status, body?.data]).to.deep.equal([200, { ...before, publishAt }]);
    expect(headers.get('ETag')).to.match(/^W\/"1\./);
    expect(await jobs()).to.have.length(1);
    const listed = await call(app.url, 'GET /api/drafts?scheduled=true', { token: author.token });
    expect(listed.body?.data.contents.map(({ id }: { id: number }) => id)).to.deep.equal([draft.id]);
  });

  it('returns the same over GraphQL, also without the schedule', async () => {
    const set = 'mutation ($id: ID!, $at: DateTime!) { scheduleDraft(id: $id, publishAt: $at) { id publishAt } }';
    const at = `${timeIn(3_600)}Z`;
    const { data } = await graphql(app.url, set, { id: draft.id, at }, author.token);
    expect(data.scheduleDraft).to.deep.equal({ id: String(draft.id), publishAt: at });
    const unset = 'mutation ($id: ID!) { unscheduleDraft(id: $id) { publishAt publicationError } }';
    const removed = await graphql(app.url, unset, { id: draft.id }, author.token);
    expect(removed.data.unscheduleDraft).to.deep.equal({ publishAt: null, publicationError: null });
  });

  it('keeps the schedule when the draft is saved, and replaces it when it is scheduled again', async () => {
    await plan(draft, timeIn(3_600));
    expect((await save(draft, { title: 'Later' })).body?.data.publishAt).to.not.equal(null);
    const publishAt = timeIn(7_200);
    expect((await plan(draft, publishAt)).body?.data.publishAt).to.equal(publishAt);
    expect(await jobs()).to.have.length(1);
  });

  it('returns 400 for a time that is not one minute to a year ahead, with every missing field', async () => {
    await save(draft, { content: '' });
    for (const seconds of [-3_600, 30, 366 * 86_400]) {
      const publishAt = timeIn(seconds);
      expectFieldErrors(
        await expectStatus(plan(draft, publishAt), 400, 'VALIDATION_FAILED'),
        'content: must be 1 to 100000 characters long, got 0',
        `publishAt: must be at least one minute and at most 365 days ahead, got ${publishAt}.000Z`,
      );
    }
    await save(draft, { content: 'x' });
    for (const seconds of [90, 364 * 86_400]) expect((await plan(draft, timeIn(seconds))).status).to.equal(200);
    for (const publishAt of ['tomorrow', '2026-02-30T00:00:00', 5, null]) {
      expect((await plan(draft, publishAt)).status, String(publishAt)).to.equal(400);
    }
  });

  it('returns 404, 412 and 409 as publishing does', async () => {
    const other = { ...draft, author: await buildMember(app.url) };
    await expectStatus(plan(other, timeIn(3_600)), 404, 'DRAFT_NOT_FOUND');
    await expectStatus(plan(draft, timeIn(3_600), { 'If-Match': '"7"' }), 412, 'PRECONDITION_FAILED');
    const article = await buildArticle(app.url, {}, author);
    const edit = await start(article);
    const json = { title: 'Edited', content: 'meanwhile' };
    await call(app.url, `PUT /api/articles/${article.id}`, { token: author.token, json });
    await expectStatus(plan(edit, timeIn(3_600)), 409, 'REVISION_CONFLICT');
    expect(await jobs()).to.have.length(0);
  });

  it('leaves no job without a schedule if the transaction fails', async () => {
    const key = { 'Idempotency-Key': 'x'.repeat(256) };
    expect((await plan(draft, timeIn(3_600), key)).status).to.equal(400);
    expect(await jobs()).to.have.length(0);
  });
});

describe('DELETE /api/drafts/{draftId}/schedule', () => {
  it('returns 200 with the draft, also without a schedule', async () => {
    const draft = await buildDraft(app.url);
    const { token } = draft.author;
    await plan(draft, timeIn(3_600));
    for (let time = 0; time < 2; time++) {
      const { status, body } = await call(app.url, `DELETE /api/drafts/${draft.id}/schedule`, { token });
      expect([status, body?.data.publishAt, body?.data.revision]).to.deep.equal([200, null, 1]);
    }
  });

  it('returns 404 and 412', async () => {
    const draft = await buildDraft(app.url);
    const target = `DELETE /api/drafts/${draft.id}/schedule`;
    const { token } = await buildMember(app.url);
    await expectStatus(call(app.url, target, { token }), 404, 'DRAFT_NOT_FOUND');
    const headers = { 'If-Match': '"2"' };
    await expectStatus(call(app.url, target, { token: draft.author.token, headers }), 412, 'PRECONDITION_FAILED');
  });
});
