/** The largest requests and responses that clients may need: no limit rejects them. */
import { expect } from 'chai';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from 'graphql';
import { MAX_IMAGE_BYTES } from '../../../src/services/images/image.js';
import { useApp } from '../../support/app.js';
import { buildArticle, buildMember, useMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { flat } from '../../support/images.js';
import { filePart, multipart, requestPart } from '../../support/multipart.js';

const app = useApp();

/** In code points. */
const MAX_CONTENT = 100_000;

/** 100,000 code points each; the last one takes 1.2 MB in UTF-16 escapes and 400 kB in UTF-8. */
const CONTENTS: Record<string, string> = {
  ASCII: fill('A sentence of a *long* article, with a [link](https://example.org/).\n\n'),
  Korean: fill('긴 글의 문장입니다. **굵은** 글씨와 [링크](https://example.org/)도 있습니다.\n\n'),
  emoji: fill('😀👍🏽 🎉 '),
};

function fill(text: string, length = MAX_CONTENT): string {
  const points = [...text];
  return Array.from({ length }, (_, index) => points[index % points.length])
    .join('')
    .replace(/\s$/, '.');
}

const ARTICLE_QUERY = 'query ($id: ID!) { article(id: $id) { content contentHtml excerpt tags title } }';

describe('The longest article', () => {
  const author = useMember(app);
  const title = fill('가나다', 100);
  const tags = Array.from({ length: 10 }, (_, index) => fill(`${index}태그`, 30));

  for (const [script, content] of Object.entries(CONTENTS)) {
    it(`in ${script} can be written and read over REST`, async () => {
      const json = { title, content, tags };
      const { status, body } = await call(app.url, 'POST /api/articles', { token: author.token, json });
      expect(status, JSON.stringify(body).slice(0, 500)).to.equal(201);
      const read = await call(app.url, `GET /api/articles/${body?.data.id}`);
      expect(read.status).to.equal(200);
      expect(read.body?.data.content).to.equal(content);
      expect(read.body?.data.tags).to.deep.equal(tags);
    });

    it(`in ${script} can be written and read over GraphQL, as Markdown and as HTML`, async () => {
      const mutation = 'mutation ($input: CreateArticleInput!) { createArticle(input: $input) { id } }';
      const created = await graphql(app.url, mutation, { input: { title, content, tags } }, author.token);
      expect(created.errors).to.equal(undefined);
      const { data, errors } = await graphql(app.url, ARTICLE_QUERY, { id: created.data.createArticle.id });
      expect(errors).to.equal(undefined);
      expect(data.article.content).to.equal(content);
      expect(data.article.contentHtml.length).to.be.above(MAX_CONTENT);
    });
  }

  it('is found by keyword, and appears in feeds and lists with others of this length', async () => {
    for (let index = 0; index < 20; index++) {
      await buildArticle(app.url, { content: CONTENTS.ASCII, tags: ['long'] }, author);
    }
    for (const path of [
      '/feed.xml',
      '/feed.atom',
      '/feed.json',
      `/members/${author.id}/feed.json`,
      '/tags/long/feed.xml',
    ]) {
      const response = await fetch(app.url + path);
      expect(response.status, path).to.equal(200);
      expect((await response.text()).length, path).to.be.above(20 * MAX_CONTENT);
    }
    const list = await call(app.url, 'GET /api/articles?keyword=sentence&size=100');
    expect(list.body?.data.contents).to.have.lengthOf.at.least(20);
  });
});

describe('The largest discussion: 100 comments with 100 replies each', () => {
  const text = fill('😀 댓글 ', 1_000);
  let articleId: number;
  before(async () => {
    const article = await buildArticle(app.url);
    articleId = article.id;
    const replacements = { articleId, memberId: article.author.id, text };
    await app.database.sequelize.query(
      `insert into comments (article_id, member_id, content) select :articleId, :memberId, :text from generate_series(1, 100)`,
      { replacements },
    );
    await app.database.sequelize.query(
      `insert into comments (article_id, parent_id, member_id, content)
       select article_id, id, :memberId, 'A reply' from comments, generate_series(1, 100)
       where article_id = :articleId and parent_id is null`,
      { replacements },
    );
  });

  it('can be read over REST', async () => {
    const { status, body } = await call(app.url, `GET /api/articles/${articleId}/comments?size=100`);
    expect(status).to.equal(200);
    expectComplete(body?.data);
  });

  it('can be read over GraphQL with the same fields as over REST', async () => {
    const fields = 'id content author: authorName memberId createdAt updatedAt';
    const query = `query ($id: ID!) { comments(articleId: $id, size: 100) {
      contents { ${fields} replies { ${fields} } }
      pagination { currentPage pageSize totalElements totalPages first last }
    } }`;
    const { data, errors } = await graphql(app.url, query, { id: articleId });
    expect(errors).to.equal(undefined);
    expectComplete(data.comments);
  });

  function expectComplete({ contents }: { contents: { content: string; replies: unknown[] }[] }): void {
    expect(contents).to.have.lengthOf(100);
    for (const { content, replies } of contents) {
      expect(content).to.equal(text);
      expect(replies).to.have.lengthOf(100);
    }
  }

  it('returns an empty page 1,000', async () => {
    for (const path of [`/api/articles/${articleId}/comments`, '/api/articles', '/api/articles?tag=long']) {
      const target = `GET ${path}${path.includes('?') ? '&' : '?'}page=1000&size=100`;
      const { status, body } = await call(app.url, target);
      expect([status, body?.data.contents], target).to.deep.equal([200, []]);
    }
  });

  it('accepts a comment of 1,000 characters', async () => {
    const { token } = await buildMember(app.url);
    const json = { content: text };
    const { status, body } = await call(app.url, `POST /api/articles/${articleId}/comments`, { token, json });
    expect([status, body?.data.content]).to.deep.equal([201, text]);
  });
});

describe('The largest image', () => {
  it('of the maximum size is stored', async () => {
    const { token } = await buildMember(app.url);
    const image = Buffer.alloc(MAX_IMAGE_BYTES);
    (await flat(8_000, 5_000).jpeg().toBuffer()).copy(image);
    const form = multipart([requestPart({ bio: 'b'.repeat(200) }), filePart(image, 'image.jpg', 'image/jpeg')]);
    const { status, body } = await call(app.url, 'PATCH /api/members/me', { token, ...form });
    expect(status, JSON.stringify(body)).to.equal(204);
  });
});

describe('Introspection', () => {
  const ALL = { descriptions: true, specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true };
  const OPTIONS = {
    'with the default options, as GraphiQL and Apollo Sandbox send it': {},
    'with all options': { ...ALL, inputValueDeprecation: true, oneOf: false },
    'without descriptions, as code generators send it': { descriptions: false },
  };

  for (const [form, options] of Object.entries(OPTIONS)) {
    it(`${form} returns the whole schema`, async () => {
      const { data, errors } = await graphql(app.url, getIntrospectionQuery(options));
      expect(errors).to.equal(undefined);
      expect(printSchema(buildClientSchema(data as IntrospectionQuery))).to.contain('type Subscription');
    });
  }

  it('returns the whole schema by GET', async () => {
    const response = await fetch(`${app.url}/graphql?${new URLSearchParams({ query: getIntrospectionQuery() })}`);
    const { data, errors } = (await response.json()) as { data: IntrospectionQuery; errors?: unknown };
    expect(errors).to.equal(undefined);
    expect(printSchema(buildClientSchema(data))).to.contain('type Subscription');
  });
});
