/** Documents that run as compiled code after their first requests: the responses stay the same. */
import { expect } from 'chai';
import { AppError } from '../../src/platform/errors.js';
import { useApp } from '../support/app.js';
import { type BuiltArticle, buildArticle, buildComment, useMember } from '../support/build.js';
import { call, graphql } from '../support/client.js';
import { postGraphQL, type Reply } from '../support/graphql-http.js';

const app = useApp();

describe('A repeated GraphQL document', () => {
  let article: BuiltArticle;
  const member = useMember(app);
  before(async () => {
    article = await buildArticle(app.url, { title: 'Again', tags: ['x', 'y'] });
    const parent = await buildComment(app.url, article.id, {}, member);
    await buildComment(app.url, article.id, { parentCommentId: parent.id }, article.author);
    const placeholder = await buildComment(app.url, article.id, {}, member);
    await buildComment(app.url, article.id, { parentCommentId: placeholder.id }, article.author);
    await call(app.url, `DELETE /api/comments/${placeholder.id}`, { token: member.token });
  });

  interface Case {
    query: string;
    variables?: unknown;
    operationName?: string;
    anonymous?: true;
  }

  /** The first three executions are interpreted, later ones compiled: all responses must be identical byte by byte. */
  async function expectSameEachTime({ anonymous, ...body }: Case): Promise<Reply> {
    const headers: Record<string, string> = anonymous ? {} : { Authorization: `Bearer ${member.token}` };
    const first = await postGraphQL(app.url, body, headers);
    for (let sight = 2; sight <= 8; sight++) {
      const again = await postGraphQL(app.url, body, headers);
      expect([again.status, again.text], `sight ${sight} of ${body.query}`).to.deep.equal([first.status, first.text]);
    }
    return first;
  }

  const page = 'contents { id content replies { id } } pagination { totalElements }';
  const cases: Record<string, () => Case> = {
    'a scalar': () => ({ query: '{ __typename }' }),
    'an object': () => ({ query: '{ me { id email nickname bio profileImg createdAt } }' }),
    'a literal argument': () => ({ query: `{ article(id: ${article.id}) { id title tags } }` }),
    'a literal argument as text': () => ({ query: `{ article(id: "${article.id}") { id } }` }),
    'a variable': () => ({
      query: 'query ($id: ID!) { article(id: $id) { id title } }',
      variables: { id: article.id },
    }),
    'a variable as text': () => ({
      query: 'query ($id: ID!) { article(id: $id) { title } }',
      variables: { id: String(article.id) },
    }),
    'a variable with a default that is used': () => ({
      query: `query ($id: ID!, $size: Int = 1) { comments(articleId: $id, size: $size) { ${page} } }`,
      variables: { id: article.id },
    }),
    'a variable with a default that is not used': () => ({
      query: `query ($id: ID!, $size: Int = 1) { comments(articleId: $id, size: $size) { ${page} } }`,
      variables: { id: article.id, size: 2 },
    }),
    'null for an argument that has a default': () => ({
      query: `query ($id: ID!, $size: Int) { comments(articleId: $id, size: $size) { ${page} } }`,
      variables: { id: article.id, size: null },
    }),
    'a literal null for an argument that has a default': () => ({
      query: `{ comments(articleId: ${article.id}, page: null) { ${page} } }`,
    }),
    'an argument that is left out': () => ({
      query: `query ($id: ID!, $size: Int) { comments(articleId: $id, size: $size) { ${page} } }`,
      variables: { id: article.id },
    }),
    'an undeclared variable': () => ({ query: '{ __typename }', variables: { undeclared: 'x' } }),
    aliases: () => ({ query: `{ a: article(id: ${article.id}) { b: title c: title d: author { e: nickname } } }` }),
    'the same field twice, merged': () => ({
      query: `{ article(id: ${article.id}) { author { id } } article(id: ${article.id}) { author { nickname } title } }`,
    }),
    'named fragments': () => ({
      query: `{ article(id: ${article.id}) { ...A author { ...M } } } fragment A on Article { id author { ...M } } fragment M on Member { nickname }`,
    }),
    'inline fragments, with a type and without': () => ({
      query: `{ article(id: ${article.id}) { ... on Article { id } ... { title } ... @include(if: true) { tags } } }`,
    }),
    '__typename everywhere': () => ({
      query: `{ __typename comments(articleId: ${article.id}) { __typename contents { __typename author { __typename } } pagination { __typename } } }`,
    }),
    '@skip and @include with literals': () => ({
      query: `{ article(id: ${article.id}) { id title @skip(if: true) tags @include(if: false) content @skip(if: false) @include(if: true) } }`,
    }),
    '@skip by a variable': () => ({
      query:
        'query ($id: ID!, $no: Boolean!) { article(id: $id) { id title @skip(if: $no) author @include(if: $no) { id } } }',
      variables: { id: article.id, no: true },
    }),
    '@include by a default': () => ({
      query: 'query ($id: ID!, $yes: Boolean = false) { article(id: $id) { id ... @include(if: $yes) { title } } }',
      variables: { id: article.id },
    }),
    '@skip of all fields': () => ({ query: `{ article(id: ${article.id}) { id @skip(if: true) } }` }),
    'one operation of several': () => ({
      query: `query A { me { id } } query B { article(id: ${article.id}) { title } }`,
      operationName: 'B',
    }),
    'the other operation of several': () => ({
      query: `query A { me { id } } query B { article(id: ${article.id}) { title } }`,
      operationName: 'A',
    }),
    'links in both directions, some of them null': () => ({
      query: `{ comments(articleId: ${article.id}) { contents { content memberId parent { id } author { nickname } replies { parent { id replies { id } } author { id } article { category { name } } } } } }`,
    }),
    introspection: () => ({
      query: '{ __type(name: "Comment") { name kind fields { name type { kind name ofType { name } } } } }',
    }),
    'introspection of an unknown type': () => ({ query: '{ __type(name: "Nothing") { name } }' }),
    'an error in a non-null field': () => ({ query: '{ article(id: 999999) { id } }' }),
    'errors in several non-null fields': () => ({
      query: '{ a: article(id: 999998) { id } b: article(id: 999999) { id } }',
    }),
    'an error in one of two fields': () => ({
      query: `{ a: article(id: ${article.id}) { id } b: article(id: 999999) { id } }`,
    }),
    'an authentication error': () => ({ query: '{ me { id } }', anonymous: true }),
    'a validation error': () => ({ query: '{ comments(articleId: 0, page: 0, size: 101) { contents { id } } }' }),
    'a missing variable': () => ({ query: 'query ($id: ID!) { article(id: $id) { id } }' }),
    'a wrong variable': () => ({
      query: 'query ($id: ID!, $size: Int) { comments(articleId: $id, size: $size) { contents { id } } }',
      variables: { id: 1, size: 'many' },
    }),
    'two wrong variables': () => ({
      query: 'query ($id: ID!, $size: Int) { comments(articleId: $id, size: $size) { contents { id } } }',
      variables: { id: { a: 1 }, size: 2 ** 40 },
    }),
    'null for a non-null variable': () => ({
      query: 'query ($id: ID!) { article(id: $id) { id } }',
      variables: { id: null },
    }),
    'an input that lacks a field': () => ({
      query: 'mutation ($input: CreateCommentInput!) { createComment(input: $input) { id } }',
      variables: { input: { articleId: 1 } },
    }),
    'an input with an unknown field': () => ({
      query: 'mutation ($input: CreateCommentInput!) { createComment(input: $input) { id } }',
      variables: { input: { articleId: 1, content: 'x', role: 'admin' } },
    }),
    'a mutation that is rejected': () => ({
      query: 'mutation ($id: ID!) { deleteComment(id: $id) { id } }',
      variables: { id: 999999 },
    }),
    'two mutations, the first of which is rejected': () => ({
      query: 'mutation { a: deleteComment(id: 999999) { id } b: deleteComment(id: 999998) { id } }',
    }),
    'a text instead of a file': () => ({
      query: 'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { id } }',
      variables: { input: { image: 'x' } },
    }),
  };
  for (const [what, make] of Object.entries(cases)) {
    it(`gets the same response every time: ${what}`, async () => {
      await expectSameEachTime(make());
    });
  }

  it('gets the same response every time: internal errors', async () => {
    const { sequelize } = app.database;
    await sequelize.query('alter table members rename to members_elsewhere');
    try {
      for (const query of [
        `{ comments(articleId: ${article.id}) { contents { id author { nickname } } } }`,
        `{ comments(articleId: ${article.id}) { contents { authorName } } }`,
      ]) {
        const { text, json } = await expectSameEachTime({ query, anonymous: true });
        expect(json.errors[0].extensions).to.deep.equal({ code: 'INTERNAL_ERROR' });
        expect(text).to.not.match(/members_elsewhere|relation|select|stack/);
      }
    } finally {
      await sequelize.query('alter table members_elsewhere rename to members');
    }
  });

  it('gets the same response every time, and is rejected once by each limit', async () => {
    const { operations } = app.services.limits;
    const query = `{ article(id: ${article.id}) { commentCount } }`;
    await expectSameEachTime({ query });
    const { admit } = operations;
    let tries = 0;
    operations.admit = () => {
      tries++;
      throw new AppError('SERVICE_UNAVAILABLE', { retryAfter: 1 });
    };
    try {
      const { status, text } = await expectSameEachTime({ query: `${query} ` });
      const compiled = await postGraphQL(app.url, { query });
      expect([compiled.status, compiled.text]).to.deep.equal([status, text]);
      expect([status, tries]).to.deep.equal([503, 9]);
    } finally {
      operations.admit = admit;
    }
  });

  it('uses the variables, viewer and data of each request', async () => {
    const query = 'query ($id: ID!) { me { id } article(id: $id) { title commentCount } }';
    const other = await buildArticle(app.url, { title: 'Another' });
    for (let round = 0; round < 6; round++) {
      const { id, author } = round % 2 ? article : other;
      await buildComment(app.url, id, {}, author);
      const { data } = await graphql(app.url, query, { id }, author.token);
      const { body } = await call(app.url, `GET /api/articles/${id}`);
      expect(data).to.deep.equal({
        me: { id: String(author.id) },
        article: { title: body?.data.title, commentCount: body?.data.commentCount },
      });
    }
    expect((await graphql(app.url, query, { id: article.id })).errors?.[0]?.extensions.code).to.equal(
      'UNAUTHENTICATED',
    );
  });

  it('runs its mutation exactly once per request', async () => {
    const mutation = 'mutation ($input: CreateCommentInput!) { createComment(input: $input) { content } }';
    const { id, author } = await buildArticle(app.url);
    for (let round = 0; round < 7; round++) {
      await graphql(app.url, mutation, { input: { articleId: id, content: `round ${round}` } }, author.token);
    }
    const { body } = await call(app.url, `GET /api/articles/${id}`);
    expect(body?.data.commentCount).to.equal(7);
  });
});
