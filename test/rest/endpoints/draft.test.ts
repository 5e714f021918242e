/** Drafts: created, saved, listed, started of articles and deleted, over REST and GraphQL. */
import { expect } from 'chai';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildImage, buildMember, useMember } from '../../support/build.js';
import { call, expectStatus, fieldErrors, graphql } from '../../support/client.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { NO_METADATA } from '../../support/metadata.js';
import { statementsDuring } from '../../support/statements.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp();

const create = (json: unknown, { token }: Pick<BuiltMember, 'token'>) =>
  call(app.url, 'POST /api/drafts', { token, json });
const read = (id: number, { token }: Pick<BuiltMember, 'token'>) => call(app.url, `GET /api/drafts/${id}`, { token });
const save = (id: number, json: unknown, { token }: Pick<BuiltMember, 'token'>, ifMatch?: string | null) =>
  call(app.url, `PATCH /api/drafts/${id}`, { token, json, ...(ifMatch && { headers: { 'If-Match': ifMatch } }) });
const start = (articleId: number, { token }: Pick<BuiltMember, 'token'>) =>
  call(app.url, `PUT /api/articles/${articleId}/draft`, { token });

async function buildDraft(json: Record<string, unknown>, member: BuiltMember): Promise<number> {
  return (await create(json, member)).body?.data.id;
}

describe('POST /api/drafts', () => {
  const member = useMember(app);

  it('returns 201 with an empty draft for an empty body', async () => {
    const { status, body, headers } = await create({}, member);
    expect(status).to.equal(201);
    const { id, createdAt, updatedAt } = body?.data ?? {};
    expect(body?.data).to.deep.equal({
      id,
      articleId: null,
      title: '',
      ...NO_METADATA,
      category: null,
      tags: [],
      slug: null,
      visibility: 'PUBLIC',
      articleImg: null,
      articleImgAlt: null,
      articleImgWidth: null,
      articleImgHeight: null,
      articleImgSizes: [],
      imageId: null,
      translationOf: null,
      publishedAt: null,
      publishAt: null,
      publicationError: null,
      baseRevision: null,
      revision: 1,
      createdAt,
      updatedAt,
      content: '',
    });
    expect(headers.get('etag')).to.match(/^W\/"1\./);
  });

  it('stores every field, with one statement besides the token and the limits', async () => {
    const image = await buildImage(app.url, member);
    const json = {
      title: ' The lighthouse ',
      content: '  Nine seconds.\n',
      category: 'general',
      tags: ['Sea', 'sea', '밤'],
      slug: 'the-lighthouse',
      visibility: 'PRIVATE',
      imageId: image.id,
    };
    let id = 0;
    const texts = await statementsDuring(async () => {
      id = await buildDraft(json, member);
    });
    expect(texts).to.have.length(3);
    const { body } = await read(id, member);
    expect(body?.data).to.deep.include({
      title: 'The lighthouse',
      content: json.content,
      category: 'General',
      tags: ['sea', '밤'],
      slug: 'the-lighthouse',
      visibility: 'PRIVATE',
      imageId: image.id,
      articleImg: image.url,
    });
    expect(body?.data.articleImgSizes).to.have.length(1);
  });

  it('returns 400 and names every field that is not valid', async () => {
    const bad = {
      title: 'x'.repeat(101),
      content: 'x'.repeat(100_001),
      category: 'x'.repeat(21),
      tags: Array(11).fill('x'),
      visibility: 'SECRET',
      imageId: 0,
      removeImage: true,
    };
    const names = fieldErrors(await create(bad, member)).map((line) => line.split(':')[0]);
    expect(names).to.have.members(Object.keys(bad));
    expect((await create({ title: 7, content: 'a\0b', tags: [''] }, member)).status).to.equal(400);
  });

  it('returns 404 for a category or an image that the author does not have', async () => {
    const image = await buildImage(app.url, await buildMember(app.url));
    await expectStatus(create({ category: 'Unknown' }, member), 404, 'CATEGORY_NOT_FOUND');
    for (const imageId of [image.id, 2 ** 31, 2 ** 53])
      await expectStatus(create({ imageId }, member), 404, 'IMAGE_NOT_FOUND');
  });

  it('returns 400 from the 201st draft on, also for parallel requests, until one is deleted', async () => {
    const writer = await buildMember(app.url);
    await app.database.sequelize.query(
      `insert into drafts (member_id, title) select ${writer.id}, n::text from generate_series(1, 195) n`,
    );
    const responses = await Promise.all(Array.from({ length: 12 }, () => create({}, writer)));
    const codes = responses.map(({ body }) => body?.code).sort();
    expect(codes).to.deep.equal([...Array(5).fill('1'), ...Array(7).fill('DRAFT_LIMIT_REACHED')]);
    const { id } = await buildArticle(app.url, {}, writer);
    await expectStatus(start(id, writer), 400, 'DRAFT_LIMIT_REACHED');
    const options = { token: writer.token, json: {}, headers: { 'Idempotency-Key': 'full' } };
    await expectStatus(call(app.url, 'POST /api/drafts', options), 400, 'DRAFT_LIMIT_REACHED');
    const created = responses.find(({ status }) => status === 201)?.body?.data.id;
    await call(app.url, `DELETE /api/drafts/${created}`, { token: writer.token });
    expect((await create({}, writer)).status).to.equal(201);
  });

  it('creates one draft for requests with the same Idempotency-Key', async () => {
    const writer = await buildMember(app.url);
    const options = { token: writer.token, json: { title: 'T' }, headers: { 'Idempotency-Key': 'one' } };
    const [first, second] = [
      await call(app.url, 'POST /api/drafts', options),
      await call(app.url, 'POST /api/drafts', options),
    ];
    expect(second.body).to.deep.equal(first.body);
    expect(second.headers.get('idempotency-replayed')).to.equal('true');
    const { body } = await call(app.url, 'GET /api/drafts', { token: writer.token });
    expect(body?.data.pagination.totalElements).to.equal(1);
  });
});

describe('GET /api/drafts', () => {
  it('returns 200 with the drafts of the member, the last changed one first, in one statement', async () => {
    const [member, other] = [await buildMember(app.url), await buildMember(app.url)];
    await buildDraft({ title: 'Of another' }, other);
    const ids: number[] = [];
    for (const title of ['A', 'B', 'C']) ids.push(await buildDraft({ title, content: `# ${title}\n\nText` }, member));
    await save(ids[0] ?? 0, { title: 'A2' }, member);
    const list = async (query = '') => (await call(app.url, `GET /api/drafts${query}`, { token: member.token })).body;
    const texts = await statementsDuring(() => list());
    expect(texts, 'one for the token').to.have.length(2);
    const { contents, pagination } = (await list())?.data ?? {};
    expect(contents.map(({ title }: { title: string }) => title)).to.deep.equal(['A2', 'C', 'B']);
    expect(contents[1]).to.deep.include({ excerpt: 'Text', revision: 1 }).and.not.have.property('content');
    expect(pagination).to.deep.include({ totalElements: 3, totalPages: 1 });
    const second = (await list('?page=2&size=2'))?.data;
    expect(second.contents.map(({ title }: { title: string }) => title)).to.deep.equal(['B']);
    expect((await list('?page=9'))?.data).to.deep.include({ contents: [] });
    expect((await list('?page=9'))?.data.pagination.totalElements).to.equal(3);
  });

  it('returns only scheduled drafts, or only others, with `scheduled`', async () => {
    const member = await buildMember(app.url);
    const id = await buildDraft({ title: 'Later' }, member);
    await buildDraft({ title: 'Open' }, member);
    await app.database.sequelize.query(`update drafts set publish_at = now() + interval '1 day' where id = ${id}`);
    const titles = async (query: string) => {
      const { body } = await call(app.url, `GET /api/drafts${query}`, { token: member.token });
      return body?.data.contents.map(({ title }: { title: string }) => title);
    };
    expect(await titles('?scheduled=true')).to.deep.equal(['Later']);
    expect(await titles('?scheduled=false')).to.deep.equal(['Open']);
    expect(await titles('')).to.have.members(['Later', 'Open']);
    expect((await call(app.url, 'GET /api/drafts?scheduled=1', { token: member.token })).status).to.equal(400);
  });
});

describe('Drafts', () => {
  it('are not found by others, on every route and field', async () => {
    const [author, other] = [await buildMember(app.url), await buildMember(app.url)];
    const id = await buildDraft({ title: 'Mine' }, author);
    for (const target of [`GET /api/drafts/${id}`, `DELETE /api/drafts/${id}`])
      await expectStatus(call(app.url, target, { token: other.token }), 404, 'DRAFT_NOT_FOUND');
    await expectStatus(save(id, { title: 'Yours' }, other), 404, 'DRAFT_NOT_FOUND');
    const { data, errors } = await graphql(app.url, `{ draft(id: ${id}) { title } }`, {}, other.token);
    expect([data.draft, errors?.[0]?.extensions.code]).to.deep.equal([null, 'DRAFT_NOT_FOUND']);
    expect((await read(id, author)).body?.data.title).to.equal('Mine');
    expect((await call(app.url, `GET /api/drafts/${id}`)).status).to.equal(401);
  });

  it('need the scope `articles` of API tokens', async () => {
    const author = await buildMember(app.url);
    const id = await buildDraft({ title: 'Mine' }, author);
    const reader = await buildApiToken(app.url, author, ['read']);
    const writer = await buildApiToken(app.url, author, ['articles']);
    await expectStatus(read(id, reader), 403, 'SCOPE_MISSING');
    await expectStatus(save(id, { title: 'T' }, reader), 403, 'SCOPE_MISSING');
    await expectStatus(create({}, reader), 403, 'SCOPE_MISSING');
    expect((await read(id, writer)).status).to.equal(200);
    expect((await save(id, { title: 'T' }, writer)).status).to.equal(200);
  });

  it('have ids that are positive integers: others are 400, unknown ones 404', async () => {
    const member = await buildMember(app.url);
    for (const id of BAD_IDS) expect((await call(app.url, `GET /api/drafts/${id}`, member)).status).to.equal(400);
    for (const id of HUGE_IDS)
      await expectStatus(call(app.url, `GET /api/drafts/${id}`, member), 404, 'DRAFT_NOT_FOUND');
  });

  it('are deleted once, and only at the revision of If-Match', async () => {
    const member = await buildMember(app.url);
    const id = await buildDraft({ title: 'T' }, member);
    const remove = (ifMatch: string) =>
      call(app.url, `DELETE /api/drafts/${id}`, { token: member.token, headers: { 'If-Match': ifMatch } });
    await expectStatus(remove('W/"2.x"'), 412, 'PRECONDITION_FAILED');
    expect((await remove('W/"1.x"')).body?.data).to.deep.equal({});
    await expectStatus(remove('*'), 404, 'DRAFT_NOT_FOUND');
  });

  it('lose their category when it is deleted', async () => {
    const member = await buildMember(app.url);
    const json = { categoryName: 'Travel' };
    const { body } = await call(app.url, 'POST /api/categories', { token: member.token, json });
    const id = await buildDraft({ category: 'travel' }, member);
    expect((await read(id, member)).body?.data.category).to.equal('Travel');
    await call(app.url, `DELETE /api/categories/${body?.data.id}`, { token: member.token });
    expect((await read(id, member)).body?.data).to.include({ category: null, revision: 1 });
  });
});

describe('PUT /api/articles/{articleId}/draft', () => {
  const text = { title: 'Owls', content: 'In the **attic**.', category: 'General', tags: ['bird', 'attic'] };

  it('starts one draft with the text of the article, also for parallel requests', async () => {
    const { id, author } = await buildArticle(app.url, text);
    const responses = await Promise.all(Array.from({ length: 5 }, () => start(id, author)));
    expect(responses.map(({ status }) => status)).to.deep.equal(Array(5).fill(200));
    expect(new Set(responses.map(({ body }) => body?.data.id)).size).to.equal(1);
    const [first] = responses;
    expect(first?.body?.data).to.deep.include({ ...text, articleId: id, baseRevision: 1, slug: null, revision: 1 });
    const { body } = await call(app.url, 'GET /api/drafts', { token: author.token });
    expect(body?.data.pagination.totalElements).to.equal(1);
  });

  it('returns the existing draft with its changes, and the image of the article until it is replaced or removed', async () => {
    const { id, author } = await buildArticle(app.url, text);
    const key = 'c'.repeat(32);
    await app.database.sequelize.query(`update articles set image = '${key}', image_width = 400 where id = ${id}`);
    const draft = (await start(id, author)).body?.data;
    expect(draft.articleImg).to.include(key);
    const image = await buildImage(app.url, author);
    expect((await save(draft.id, { title: 'Bats', imageId: image.id }, author)).body?.data.articleImg).to.equal(
      image.url,
    );
    expect((await start(id, author)).body?.data).to.include({ id: draft.id, title: 'Bats', articleImg: image.url });
    const removed = (await save(draft.id, { removeImage: true }, author)).body?.data;
    expect(removed).to.deep.include({ articleImg: null, articleImgSizes: [], imageId: null });
    expect((await call(app.url, `GET /api/articles/${id}`)).body?.data.title).to.equal('Owls');
  });

  it('has the alternative text of the image of the article, until the draft has another text or image', async () => {
    const { id, author } = await buildArticle(app.url, text);
    const image = `image = '${'d'.repeat(32)}', image_width = 400, image_height = 300, image_alt = 'An owl'`;
    await app.database.sequelize.query(`update articles set ${image} where id = ${id}`);
    const draft = (await start(id, author)).body?.data;
    expect(draft).to.include({ articleImgAlt: 'An owl', articleImgWidth: 400, articleImgHeight: 300 });
    const alt = async (json: object) => (await save(draft.id, json, author)).body?.data.articleImgAlt;
    expect(await alt({ articleImgAlt: ' Two owls ' })).to.equal('Two owls');
    expect(await alt({ articleImgAlt: '' })).to.equal(null);
    expect((await read(draft.id, author)).body?.data.articleImgAlt).to.equal(null);
    const imageId = (await buildImage(app.url, author)).id;
    expect(await alt({ imageId, articleImgAlt: 'A bat' })).to.equal('A bat');
    expect(await alt({ imageId })).to.equal('A bat');
    expect(await alt({ title: 'Bats' })).to.equal('A bat');
    expect(await alt({ imageId: (await buildImage(app.url, author)).id })).to.equal(null);
    expect(await alt({ articleImgAlt: 'A bird' })).to.equal('A bird');
    expect(await alt({ removeImage: true })).to.equal(null);
  });

  it('returns 403 for the public article of another member, and 404 for a private or unknown one', async () => {
    const article = await buildArticle(app.url);
    const { id } = article;
    const other = await buildMember(app.url);
    await expectStatus(start(id, other), 403, 'ARTICLE_FORBIDDEN');
    await setPrivate(app.url, article);
    await expectStatus(start(id, other), 404, 'ARTICLE_NOT_FOUND');
    expect((await start(id, article.author)).body?.data).to.include({ visibility: 'PRIVATE', baseRevision: 2 });
    await expectStatus(start(999_999_999, other), 404, 'ARTICLE_NOT_FOUND');
  });

  it('leaves a draft for a new article when the article is deleted', async () => {
    const { id, author } = await buildArticle(app.url, text);
    const draft = (await start(id, author)).body?.data;
    await save(draft.id, { removeImage: true, baseRevision: 7 }, author);
    expect((await read(draft.id, author)).body?.data.baseRevision).to.equal(7);
    await call(app.url, `DELETE /api/articles/${id}`, { token: author.token });
    expect((await read(draft.id, author)).body?.data).to.include({
      articleId: null,
      baseRevision: null,
      title: 'Owls',
    });
    await save(draft.id, { baseRevision: 8, title: 'Bats' }, author);
    expect((await read(draft.id, author)).body?.data).to.include({ baseRevision: null, title: 'Bats' });
  });
});

describe('GET /api/drafts/{draftId}/revisions', () => {
  it('returns the stored states of a draft, newest first, and each with its text, in one statement', async () => {
    const [member, other] = [await buildMember(app.url), await buildMember(app.url)];
    const id = await buildDraft({ title: '1', content: '등대', tags: ['sea'] }, member);
    for (const title of ['2', '3']) {
      await app.database.sequelize.query(`update drafts set stored_at = now() - interval '1 hour' where id = ${id}`);
      await save(id, { title, content: `등대 ${title}` }, member);
    }
    const get = (path = '', { token } = member) => call(app.url, `GET /api/drafts/${id}/revisions${path}`, { token });
    expect(await statementsDuring(() => get()), 'one for the token').to.have.length(2);
    const { contents, pagination } = (await get()).body?.data ?? {};
    expect(
      contents.map(({ number, title, characters }: Record<string, unknown>) => [number, title, characters]),
    ).to.deep.equal([
      [2, '2', 4],
      [1, '1', 2],
    ]);
    expect(pagination.totalElements).to.equal(2);
    expect((await get('?page=3')).body?.data).to.deep.include({ contents: [] });
    expect(await statementsDuring(() => get('/1'))).to.have.length(2);
    expect((await get('/1')).body?.data).to.deep.include({ title: '1', content: '등대', tags: ['sea'] });
    await expectStatus(get('/3'), 404, 'REVISION_NOT_FOUND');
    for (const path of ['', '/1']) await expectStatus(get(path, other), 404, 'DRAFT_NOT_FOUND');
    const query = `{ draftRevisions(draftId: ${id}) { contents { number } } draftRevision(draftId: ${id}, number: 2) { content } }`;
    const { data } = await graphql(app.url, query, {}, member.token);
    expect(data).to.deep.equal({
      draftRevisions: { contents: [{ number: 2 }, { number: 1 }] },
      draftRevision: { content: '등대 2' },
    });
  });
});

describe('Drafts over GraphQL', () => {
  it('have the same operations', async () => {
    const { id: articleId, author } = await buildArticle(app.url, { title: 'Owls', content: 'In the attic.' });
    const query = (text: string) => graphql(app.url, text, {}, author.token);
    const created = await query(
      'mutation { createDraft(input: { title: "T", content: "One *two*" }) { id content excerpt revision } }',
    );
    const { id, ...rest } = created.data.createDraft;
    expect(rest).to.deep.equal({ content: 'One *two*', excerpt: 'One two', revision: 1 });
    const saved = await query(`mutation { updateDraft(id: ${id}, input: { title: "U" }) { title content revision } }`);
    expect(saved.data.updateDraft).to.deep.equal({ title: 'U', content: 'One *two*', revision: 2 });
    const started = await query(
      `mutation { startDraft(articleId: ${articleId}) { id articleId content baseRevision } }`,
    );
    expect(started.data.startDraft).to.deep.include({
      articleId: String(articleId),
      content: 'In the attic.',
      baseRevision: 1,
    });
    const listed = await query('{ drafts(size: 1) { contents { title content } pagination { totalElements } } }');
    expect(listed.data.drafts).to.deep.equal({
      contents: [{ title: 'Owls', content: 'In the attic.' }],
      pagination: { totalElements: 2 },
    });
    expect((await query(`{ draft(id: ${id}) { title excerpt } }`)).data.draft).to.deep.equal({
      title: 'U',
      excerpt: 'One two',
    });
    expect((await query(`mutation { deleteDraft(id: ${id}) { id } }`)).data.deleteDraft).to.deep.equal({ id });
    expect((await query(`{ draft(id: ${id}) { id } }`)).errors?.[0]?.extensions.code).to.equal('DRAFT_NOT_FOUND');
  });
});
