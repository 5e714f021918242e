/** Creating and reading one article. Lists, edits and deletion have their own files. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { buildArticle, buildMember, useMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, fieldErrors, graphql } from '../../support/client.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { NO_METADATA } from '../../support/metadata.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();

const FIELDS = [
  ...[
    'id',
    'title',
    'slug',
    'excerpt',
    'author',
    'authorImg',
    'memberId',
    'category',
    'categoryId',
    'articleImg',
    'articleImgAlt',
    'articleImgWidth',
    'articleImgHeight',
    'articleImgSizes',
    'tags',
    'visibility',
    'commentCount',
    'likeCount',
    'viewCount',
    'seriesId',
    'wordCount',
    'readingMinutes',
  ],
  ...['publishedAt', 'createdAt', 'updatedAt', 'content', 'aiSummary', 'revision', 'removedAt', 'translations'],
  ...Object.keys(NO_METADATA),
];

const member = useMember(app);

const create = (json: unknown, token = member.token) => call(app.url, 'POST /api/articles', { token, json });
const read = (id: number | string) => call(app.url, `GET /api/articles/${id}`);

async function countArticles(): Promise<number> {
  const [rows] = await app.database.sequelize.query('select count(*) as n from articles');
  return (rows as { n: number }[])[0]?.n ?? 0;
}

describe('POST /api/articles', () => {
  it('returns 201 with exactly the documented fields and the default category', async () => {
    const { body } = await expectStatus(create({ title: '  A day ', content: '# Morning\n\nIt *rained*.' }), 201, '1');
    expect(Object.keys(body?.data)).to.have.members(FIELDS);
    const { id, categoryId, createdAt, ...rest } = body?.data ?? {};
    expect(id).to.be.a('number').above(0);
    expect(categoryId).to.be.a('number').above(0);
    expect(createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    expect(rest).to.deep.equal({
      title: 'A day',
      ...NO_METADATA,
      slug: 'a-day',
      excerpt: 'It rained.',
      author: member.nickname,
      authorImg: null,
      memberId: member.id,
      category: 'General',
      articleImg: null,
      articleImgAlt: null,
      articleImgWidth: null,
      articleImgHeight: null,
      articleImgSizes: [],
      tags: [],
      visibility: 'PUBLIC',
      commentCount: 0,
      likeCount: 0,
      viewCount: 0,
      seriesId: null,
      wordCount: 3,
      readingMinutes: 1,
      publishedAt: createdAt,
      updatedAt: createdAt,
      content: '# Morning\n\nIt *rained*.',
      aiSummary: null,
      revision: 1,
      removedAt: null,
      translations: [],
    });
    expect((await read(id)).body?.data).to.deep.equal(body?.data);
  });

  it('returns 201 with a plain-text excerpt of at most 200 characters', async () => {
    const content = `# Tea\n\n- **strong**, ![a cup](cup.png) &amp; <b>hot</b>: 3 &lt; 5 [[x]](y)\n<!-- no -->${' 차'.repeat(200)}`;
    const { excerpt } = (await create({ title: 'x', content })).body?.data ?? {};
    expect(excerpt).to.match(/^strong, & hot: 3 < 5 \[x\] 차 차 .*차…$/);
    expect([...excerpt]).to.have.length.within(198, 200);
  });

  it('returns 201 with lower-case, deduplicated tags in the given order', async () => {
    const tags = ['Zürich', ' travel ', 'ZU\u0308RICH', 'Travel', '여행', 'a b'];
    const { body } = await create({ title: 't', content: 'c', tags });
    expect(body?.data.tags).to.deep.equal(['zürich', 'travel', '여행', 'a b']);
    expect((await create({ title: 't', content: 'c', tags: [] })).body?.data.tags).to.deep.equal([]);
    expect((await create({ title: 't', content: 'c', tags: null })).body?.data.tags).to.deep.equal([]);
  });

  it('returns 201 for 10 parallel requests with the same tags in different orders', async () => {
    const tags = Array.from({ length: 10 }, (_, number) => `tag ${number}`);
    const orders = Array.from({ length: 10 }, (_, turn) => [...tags.slice(turn), ...tags.slice(0, turn)]);
    const responses = await Promise.all(orders.map((order) => create({ title: 't', content: 'c', tags: order })));
    expect(responses.map(({ body }) => body?.data?.tags)).to.deep.equal(orders);
  });

  it('returns 201 with a category found by name regardless of case, and the default one for null', async () => {
    await app.database.sequelize.query(`insert into categories (member_id, name) values (${member.id}, 'Reisen Über')`);
    for (const category of ['Reisen Über', 'reisen über', ' Reisen U\u0308ber ']) {
      expect((await create({ title: 't', content: 'c', category })).body?.data.category).to.equal('Reisen Über');
    }
    expect((await create({ title: 't', content: 'c', category: 'general' })).body?.data.category).to.equal('General');
    expect((await create({ title: 't', content: 'c', category: null })).body?.data.category).to.equal('General');
  });

  it('returns 201 at every length limit, counted in code points', async () => {
    const json = {
      title: '😀'.repeat(100),
      content: '😀'.repeat(100_000),
      tags: Array.from({ length: 10 }, (_, number) => `${number}${'😀'.repeat(29)}`),
    };
    const { status, body } = await create(json);
    expect(status).to.equal(201);
    expect([body?.data.title, body?.data.content === json.content]).to.deep.equal([json.title, true]);
    expect(body?.data.tags).to.deep.equal(json.tags);
    expect([...(body?.data.excerpt ?? '')]).to.have.length(200);
  });

  it('returns 201 with unchanged content, including line breaks and markup', async () => {
    const content = ' \n\n\tcode\r\n<script>alert("x")</script>\u2028 %s $1 \\n {{x}} \u0007\n ';
    const { body } = await create({ title: '<b>"x"</b>', content });
    expect([body?.data.content, body?.data.title]).to.deep.equal([content, '<b>"x"</b>']);
    expect(body?.data.excerpt).to.equal('%s $1 \\n {{x}}');
  });

  it('returns 400 and names every invalid field', async () => {
    const before = await countArticles();
    expect(fieldErrors(await create({}))).to.have.members(['title: is required', 'content: is required']);
    expect(fieldErrors(await create({ title: null, content: null }))).to.have.members([
      'title: is required',
      'content: is required',
    ]);
    expect(
      fieldErrors(await create({ title: 1, content: ['x'], category: {}, tags: 'a', memberId: 1, id: 5, version: 3 })),
    ).to.have.members([
      ...['memberId', 'id', 'version'].map(
        (name) =>
          `${name}: is not a known field; expected ${Object.keys(NO_METADATA).join(', ')}, publishedAt, title, content, slug, translationOf, category, tags, articleImgAlt, visibility`,
      ),
      'title: must be a string, got 1',
      'content: must be a string, got ["x"]',
      'category: must be a string, got {}',
      'tags: must be an array, got "a"',
    ]);
    expect(
      fieldErrors(
        await create({
          title: 't'.repeat(101),
          content: 'c'.repeat(100_001),
          category: 'k'.repeat(21),
          tags: ['ok', ''],
        }),
      ),
    ).to.have.members([
      'title: must be 1 to 100 characters long, got 101',
      'content: must be 1 to 100000 characters long, got 100001',
      'category: must be 1 to 20 characters long, got 21',
      'tags: each must be 1 to 30 characters long, got 0',
    ]);
    expect(await countArticles()).to.equal(before);
  });

  it('returns 400 for too many tags and for invalid tags', async () => {
    const make = (tags: unknown) => create({ title: 't', content: 'c', tags });
    expect(fieldErrors(await make(Array.from({ length: 11 }, (_, number) => `t${number}`)))).to.deep.equal([
      'tags: must have at most 10 elements, got 11',
    ]);
    expectFieldErrors(await make(['a', 5]), 'tags: each must be a string, got 5');
    expectFieldErrors(await make(['a', null]), 'tags: each is required');
    expectFieldErrors(await make([['a']]), 'tags: each must be a string, got ["a"]');
    expectFieldErrors(await make(['x'.repeat(31)]), 'tags: each must be 1 to 30 characters long, got 31');
    expectFieldErrors(await make(['a\nb']), 'tags: each must be one line without control characters');
    expectFieldErrors(await make(['a\0b']), 'tags: must not contain the character U+0000');
    expectFieldErrors(await make(['a\udc00']), 'tags: must be well-formed Unicode, got a lone surrogate');
    expect(fieldErrors(await make({ length: 1, 0: 'a' }))).to.have.length(1);
  });

  it('returns 400 for blank text, a title with line breaks, NUL and lone surrogates', async () => {
    const good = { title: 't', content: 'c' };
    expectFieldErrors(await create({ ...good, title: ' \t ' }), 'title: must be 1 to 100 characters long, got 0');
    expectFieldErrors(await create({ ...good, title: 'a\nb' }), 'title: must be one line without control characters');
    expectFieldErrors(await create({ ...good, content: ' \n ' }), 'content: must not be blank');
    for (const field of ['title', 'content', 'category']) {
      expectFieldErrors(await create({ ...good, [field]: 'a\0b' }), `${field}: must not contain the character U+0000`);
      expect(fieldErrors(await create({ ...good, [field]: 'a\ud83d' }))).to.deep.equal([
        `${field}: must be well-formed Unicode, got a lone surrogate`,
      ]);
    }
  });

  it('returns 401 without a token before it validates the body', async () => {
    await expectStatus(call(app.url, 'POST /api/articles', { json: { nothing: 'right' } }), 401, 'UNAUTHENTICATED');
  });

  it("returns 404 for an unknown category or another member's category", async () => {
    const other = await buildMember(app.url);
    await app.database.sequelize.query(`insert into categories (member_id, name) values (${other.id}, 'Theirs')`);
    for (const category of ['Nowhere', 'Theirs', '%', 'General\\']) {
      const response = await create({ title: 't', content: 'c', category, tags: ['never kept'] });
      expect([response.status, response.body?.code]).to.deep.equal([404, 'CATEGORY_NOT_FOUND']);
    }
    const [tags] = await app.database.sequelize.query("select id from tags where name = 'never kept'");
    expect(tags).to.deep.equal([]);
  });
});

describe('GET /api/articles/{articleId}', () => {
  it('returns 200 with and without a token, in one statement', async () => {
    const { id } = await buildArticle(app.url, { tags: ['one', 'two'] });
    await read(id);
    const sent = await statementsDuring(() => read(id));
    expect(sent).to.have.length(1);
    expect((await call(app.url, `GET /api/articles/${id}`, { token: member.token })).status).to.equal(200);
  });

  it("returns 200 with the author's current nickname", async () => {
    const { id, author } = await buildArticle(app.url);
    await call(app.url, 'PATCH /api/members/me', { token: author.token, json: { nickname: `Renamed${id}` } });
    expect((await read(id)).body?.data.author).to.equal(`Renamed${id}`);
  });

  it('returns 400 for an id that is not a positive whole number', async () => {
    for (const id of BAD_IDS) {
      const response = await read(id);
      expect([response.status, response.body?.code], id).to.satisfy(
        ([status, key]: [number, string]) => status === 400 && ['VALIDATION_FAILED', 'BAD_REQUEST'].includes(key),
      );
    }
    expectFieldErrors(await read('1e3'), 'articleId: must be a positive whole number, got "1e3"');
  });

  it('returns 401 for an invalid token, although no token is required', async () => {
    const { id } = await buildArticle(app.url);
    await expectStatus(call(app.url, `GET /api/articles/${id}`, { token: 'bad' }), 401, 'UNAUTHENTICATED');
  });

  it('returns 404 for an unknown article, for ids of any size', async () => {
    for (const id of HUGE_IDS) {
      await expectStatus(read(id), 404, 'ARTICLE_NOT_FOUND', id);
    }
  });
});

describe('GraphQL articles', () => {
  it('link to their author and category, and have the timestamps of REST with a time zone', async () => {
    const { id, author } = await buildArticle(app.url, { tags: ['x'] });
    const query =
      'query ($id: ID!) { article(id: $id) { id author { id nickname } category { name memberId } tags createdAt } }';
    const { data, errors } = await graphql(app.url, query, { id });
    expect(errors).to.equal(undefined);
    expect(data.article).to.deep.include({
      id: String(id),
      author: { id: String(author.id), nickname: author.nickname },
      category: { name: 'General', memberId: String(author.id) },
      tags: ['x'],
    });
    const { body } = await read(id);
    expect(data.article.createdAt).to.equal(`${body?.data.createdAt}Z`);
  });

  it('are created under the same rules as over REST', async () => {
    const mutation = 'mutation ($input: CreateArticleInput!) { createArticle(input: $input) { id title } }';
    const made = await graphql(app.url, mutation, { input: { title: ' t ', content: 'c' } }, member.token);
    expect(made.data.createArticle.title).to.equal('t');
    const rejected = await graphql(app.url, mutation, { input: { title: 't', content: 'c' } });
    expect(rejected.errors?.[0]?.extensions.code).to.equal('UNAUTHENTICATED');
    const invalid = await graphql(app.url, mutation, { input: { title: '', content: ' ', tags: [''] } }, member.token);
    expect(invalid.errors?.[0]?.extensions).to.deep.equal({
      code: 'VALIDATION_FAILED',
      errors: [
        { field: 'title', message: 'must be 1 to 100 characters long, got 0' },
        { field: 'content', message: 'must not be blank' },
        { field: 'tags', message: 'each must be 1 to 30 characters long, got 0' },
      ],
    });
    const elsewhere = await graphql(
      app.url,
      mutation,
      { input: { title: 't', content: 'c', category: 'No' } },
      member.token,
    );
    expect(elsewhere.errors?.[0]?.extensions.code).to.equal('CATEGORY_NOT_FOUND');
  });
});

describe('GET /api/articles/{articleId}/rendered', () => {
  it('returns the content as sanitized HTML, in two statements and a transaction', async () => {
    const { id } = await buildArticle(app.url, { content: '# Sea\n\n*Waves*.\n\n<script>alert(1)</script>' });
    const statements = await statementsDuring(async () => {
      const { body } = await call(app.url, `GET /api/articles/${id}/rendered`);
      const { data } = await graphql(app.url, 'query ($id: ID!) { article(id: $id) { contentHtml } }', { id });
      expect(body?.data).to.deep.equal({ articleId: id, contentHtml: data.article.contentHtml });
      expect(body?.data.contentHtml).to.contain('<em>Waves</em>').and.not.contain('alert');
      expect(body?.data.contentHtml).to.not.contain('<script');
    });
    // Two in a transaction for each of the APIs.
    expect(statements).to.have.lengthOf(8);
  });

  it('returns 404 for an unknown article, 400 for an invalid id', async () => {
    for (const id of HUGE_IDS) {
      await expectStatus(call(app.url, `GET /api/articles/${id}/rendered`), 404, 'ARTICLE_NOT_FOUND', id);
    }
    for (const id of BAD_IDS)
      expect((await call(app.url, `GET /api/articles/${id}/rendered`)).status, id).to.equal(400);
  });
});
