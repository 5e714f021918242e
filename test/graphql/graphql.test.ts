/** The `/graphql` endpoint: authentication, document limits, error format, file uploads and compiled documents. */
import { expect } from 'chai';
import { loadConfig } from '../../src/config/index.js';
import { useApp } from '../support/app.js';
import { type BuiltArticle, buildArticle, buildComment, useMember } from '../support/build.js';
import { call, graphql } from '../support/client.js';
import { flat } from '../support/images.js';
import { filePart, multipart, type PartForm } from '../support/multipart.js';

const app = useApp();
const { maxAliases, maxCost, maxDepth, maxTokens } = loadConfig({}).graphqlLimits;

interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests examine arbitrary response bodies.
  json: any;
}

async function fetchGraphQL(init: RequestInit, search = '', url = app.url): Promise<Reply> {
  const response = await fetch(`${url}/graphql${search}`, init);
  const text = await response.text();
  const json = text.startsWith('{') ? JSON.parse(text) : null;
  return { status: response.status, headers: response.headers, text, json };
}

function post(body: unknown, headers: Record<string, string> = {}, url = app.url): Promise<Reply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetchGraphQL(
    { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: text },
    '',
    url,
  );
}

const codes = ({ json }: Reply) =>
  json.errors?.map(({ extensions }: { extensions: { code: string } }) => extensions.code);

describe('GET /graphql', () => {
  it('returns 200 with the Apollo Sandbox page for a browser', async () => {
    const { status, headers, text } = await fetchGraphQL({ headers: { Accept: 'text/html' } });
    expect(status).to.equal(200);
    expect(headers.get('Content-Type')).to.match(/^text\/html/);
    expect(headers.get('X-Content-Type-Options')).to.equal('nosniff');
    expect(text).to.match(/sandbox/i);
  });

  it('returns 200 for a query without a header that triggers a CORS preflight', async () => {
    const { status, json } = await fetchGraphQL({}, `?query=${encodeURIComponent('{ __typename }')}`);
    expect([status, json]).to.deep.equal([200, { data: { __typename: 'Query' } }]);
  });

  it('returns 405 with Allow for a mutation and for other methods', async () => {
    const search = `?query=${encodeURIComponent('mutation { deleteComment(id: 1) { id } }')}`;
    const mutation = await fetchGraphQL({}, search);
    expect([mutation.status, mutation.headers.get('Allow')]).to.deep.equal([405, 'POST']);
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const { status, headers, json } = await fetchGraphQL({ method, headers: { 'Content-Type': 'application/json' } });
      expect([status, json.errors[0].extensions.code], method).to.deep.equal([405, 'METHOD_NOT_ALLOWED']);
      expect(headers.get('Allow'), method).to.equal('GET, HEAD, POST');
    }
  });
});

describe('POST /graphql', () => {
  it('returns 200 for a query', async () => {
    expect((await post({ query: '{ __typename }' })).json).to.deep.equal({ data: { __typename: 'Query' } });
  });

  it('returns 415 for content types that browsers send without a CORS preflight', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/graphql',
      'application/json; charset=utf-16',
    ]) {
      const answer = await post({ query: '{ __typename }' }, { 'Content-Type': type });
      expect([answer.status, codes(answer)], type).to.deep.equal([415, ['UNSUPPORTED_MEDIA_TYPE']]);
    }
  });

  it('returns 400 for a body that is not a GraphQL request', async () => {
    for (const body of [
      '{',
      '',
      'null',
      '5',
      '"text"',
      '{}',
      '{"query":5}',
      '{"query":""}',
      '{"query":null}',
      '{"query":"{ me { id } }","variables":[]}',
      '{"query":"{ __typename }","variables":"x"}',
      '{"query":"{ __typename }","extensions":5}',
      '{"query":"{ __typename }","operationName":5}',
      '{"id":"x"}',
      '['.repeat(100_000),
    ]) {
      const answer = await post(body);
      expect(answer.status, body.slice(0, 60)).to.equal(400);
      expect(codes(answer), body.slice(0, 60)).to.deep.equal(['BAD_REQUEST']);
    }
  });

  it('returns 400 for a batch', async () => {
    const answer = await post([{ query: '{ __typename }' }, { query: '{ __typename }' }]);
    expect([answer.status, codes(answer)]).to.deep.equal([400, ['BAD_REQUEST']]);
  });

  it('returns 400 BAD_REQUEST for documents that do not parse or validate, and for unknown or missing operation names', async () => {
    for (const body of [
      { query: '{ me { id }' },
      { query: '{ nothing }' },
      { query: '{ me }' },
      { query: '{ me { id } } query Other { me { id } }' },
      { query: 'query A { __typename } query B { __typename }' },
      { query: 'query A { __typename }', operationName: 'B' },
      { query: 'query ($id: Nothing!) { __typename }' },
      { query: 'fragment F on Member { ...F } { me { ...F } }' },
    ]) {
      const answer = await post(body);
      expect(answer.status, body.query).to.equal(400);
      expect(new Set(codes(answer)), body.query).to.deep.equal(new Set(['BAD_REQUEST']));
      expect(answer.text).to.not.match(/stacktrace|node_modules/);
    }
  });

  it('returns 400 VALIDATION_FAILED for invalid variables, as JSON and as application/graphql-response+json', async () => {
    const query = 'query ($id: ID!, $size: Int) { comments(articleId: $id, size: $size) { contents { id } } }';
    for (const variables of [
      {},
      { id: null },
      { id: 1, size: 'x' },
      { id: [1] },
      { id: 1, size: 1.5 },
      { id: 1, size: 3e9 },
    ]) {
      const answer = await post({ query, variables });
      expect([answer.status, codes(answer)], JSON.stringify(variables)).to.deep.equal([400, ['VALIDATION_FAILED']]);
      const response = await post({ query, variables }, { Accept: 'application/graphql-response+json' });
      expect([response.status, codes(response)]).to.deep.equal([400, ['VALIDATION_FAILED']]);
      expect(response.headers.get('Content-Type')).to.match(/^application\/graphql-response\+json/);
    }
  });

  it('returns VALIDATION_FAILED with the invalid fields for argument values out of range', async () => {
    const { errors } = await graphql(app.url, '{ comments(articleId: 1, page: 0, size: 101) { contents { id } } }');
    expect(errors?.[0]?.extensions).to.deep.equal({
      code: 'VALIDATION_FAILED',
      errors: [
        { field: 'page', message: 'must be a whole number from 1 to 2147483647, got 0' },
        { field: 'size', message: 'must be a whole number from 1 to 100, got 101' },
      ],
    });
  });

  it('returns VALIDATION_FAILED for an explicit null in a non-null argument with a default', async () => {
    const query = 'query ($size: Int) { comments(articleId: 1, size: $size) { contents { id } } }';
    const { status, json } = await post({ query, variables: { size: null } });
    expect([status, json.errors[0].extensions]).to.deep.equal([400, { code: 'VALIDATION_FAILED' }]);
    expect(json.errors[0].message).to.equal('Argument "size" of non-null type "Int!" must not be null.');
  });

  it('returns 401 for an invalid token, also for a public query', async () => {
    for (const token of ['nonsense', 'a.b.c', '']) {
      const answer = await post({ query: '{ __typename }' }, { Authorization: `Bearer ${token}` });
      expect([answer.status, codes(answer)], token).to.deep.equal([401, ['UNAUTHENTICATED']]);
      expect(answer.headers.get('WWW-Authenticate')).to.equal('Bearer');
    }
  });

  it('returns UNAUTHENTICATED with status 200 for a field that requires a member', async () => {
    const answer = await post({ query: '{ me { id } }' });
    expect([answer.status, codes(answer), answer.json.data]).to.deep.equal([200, ['UNAUTHENTICATED'], null]);
  });

  it('returns 413 for a body over 1 MB', async () => {
    const answer = await post({ query: '{ __typename }', variables: { x: 'x'.repeat(2_000_000) } });
    expect([answer.status, codes(answer)]).to.deep.equal([413, ['PAYLOAD_TOO_LARGE']]);
  });
});

describe('GraphQL document limits', () => {
  async function expectTooComplex(query: string, what: RegExp, variables = {}) {
    const answer = await post({ query, variables });
    expect([answer.status, answer.json.errors[0].extensions], query.slice(0, 100)).to.deep.equal([
      400,
      { code: 'QUERY_TOO_COMPLEX' },
    ]);
    expect(answer.json.errors[0].message).to.match(what);
    expect(answer.text.length).to.be.below(1000);
  }

  /** A document with a depth of `levels` fields. */
  const deep = (levels: number) => {
    const parents = levels - 3;
    return `{ comments(articleId: 1) { contents { ${'parent { '.repeat(parents)}id${' }'.repeat(parents)} } } }`;
  };

  it('rejects a document that is too deep, also through fragments', async () => {
    const { id } = await buildArticle(app.url);
    const fits = await post({ query: deep(maxDepth - 1).replace('articleId: 1', `articleId: ${id}`) });
    expect(fits.json.errors).to.equal(undefined);
    await expectTooComplex(deep(maxDepth + 2), /nested more than 12/);
    await expectTooComplex(deep(90), /nested more than 12/);
    const fragments = Array.from(
      { length: 20 },
      (_, number) => `fragment F${number} on Comment { parent { ...F${number + 1} } }`,
    );
    await expectTooComplex(
      `{ comments(articleId: 1) { contents { ...F0 } } } ${fragments.join(' ')} fragment F20 on Comment { id }`,
      /nested more than 12/,
    );
  });

  it('rejects a document with more than 30 aliases', async () => {
    const aliased = (count: number) =>
      `{ ${Array.from({ length: count }, (_, number) => `a${number}: me { id }`).join(' ')} }`;
    expect(codes(await post({ query: aliased(maxAliases) }))).to.deep.equal(['UNAUTHENTICATED']);
    await expectTooComplex(aliased(maxAliases + 1), /more than 30 aliases/);
  });

  it('rejects a document with too many tokens', async () => {
    const long = `{ ${'__typename '.repeat(maxTokens)} }`;
    const answer = await post({ query: long });
    expect([answer.status, codes(answer)]).to.deep.equal([400, ['QUERY_TOO_COMPLEX']]);
  });

  /** Fragments that expand to `15 ** levels` times eight fields. */
  const spread = (levels: number) => {
    const last = 'fragment F0 on Article { id title excerpt tags createdAt author { id nickname } }';
    const others = Array.from(
      { length: levels },
      (_, level) => `fragment F${level + 1} on Article { ${`...F${level} `.repeat(15)} }`,
    );
    return [last, ...others].join(' ');
  };

  it('rejects a document that costs too much, and counts a fragment once per spread', async () => {
    const list = `{ articles(size: 100) { contents { ...F2 } } } ${spread(2)}`;
    await expectTooComplex(list, new RegExp(`can cost at most ${maxCost}, but costs \\d+`));
    await expectTooComplex(`{ article(id: 1) { ...F4 } } ${spread(4)}`, /costs far more/);
    const fits = await post({ query: `{ article(id: 999999) { ...F2 } } ${spread(2)}` });
    expect(codes(fits)).to.deep.equal(['ARTICLE_NOT_FOUND']);
  });

  // Expanding 30 levels, which select 15^30 fields, would not end before the timeout of the test.
  it('rejects exponentially nested fragment spreads without expanding them', async () => {
    for (const levels of [6, 9, 30]) {
      await expectTooComplex(`{ article(id: 1) { ...F${levels} } } ${spread(levels)}`, /./);
    }
  });

  it('estimates the cost again for other variables', async () => {
    const query = `query ($all: Boolean!) { article(id: 999999) { id ...F3 @include(if: $all) } } ${spread(3)}`;
    expect(codes(await post({ query, variables: { all: false } }))).to.deep.equal(['ARTICLE_NOT_FOUND']);
    await expectTooComplex(query, /can cost at most/, { all: true });
  });

  it('accepts an introspection query with nested types', async () => {
    const introspection =
      '{ __schema { types { name fields { name type { name kind ofType { name kind ofType { name kind } } } } } } }';
    expect((await post({ query: introspection })).json.errors).to.equal(undefined);
  });
});

describe('GRAPHQL_INTROSPECTION', () => {
  const closed = useApp({ GRAPHQL_INTROSPECTION: 'false' });
  const query = '{ __schema { queryType { name } } }';

  it('allows introspection by default', async () => {
    expect((await post({ query })).json).to.deep.equal({ data: { __schema: { queryType: { name: 'Query' } } } });
  });

  it('rejects introspection when false, and still serves other queries', async () => {
    const answer = await post({ query }, {}, closed.url);
    expect([answer.status, new Set(codes(answer))]).to.deep.equal([400, new Set(['BAD_REQUEST'])]);
    expect((await post({ query: '{ __typename }' }, {}, closed.url)).status).to.equal(200);
  });
});

describe('A repeated GraphQL document', () => {
  let article: BuiltArticle;
  const member = useMember(app);
  before(async () => {
    article = await buildArticle(app.url, { title: 'Again', tags: ['x', 'y'] });
    const parent = await buildComment(app.url, article.id, {}, member);
    await buildComment(app.url, article.id, { parentCommentId: parent.id }, article.author);
    const place = await buildComment(app.url, article.id, {}, member);
    await buildComment(app.url, article.id, { parentCommentId: place.id }, article.author);
    await call(app.url, `DELETE /api/comments/${place.id}`, { token: member.token });
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
    const first = await post(body, headers);
    for (let sight = 2; sight <= 8; sight++) {
      const again = await post(body, headers);
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
    'a mutation that is refused': () => ({
      query: 'mutation ($id: ID!) { deleteComment(id: $id) { id } }',
      variables: { id: 999999 },
    }),
    'two mutations, the first of which is refused': () => ({
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

describe('GraphQL file upload', () => {
  const query = 'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { id bio profileImg } }';
  const member = useMember(app);
  let png: Buffer;
  before(async () => {
    png = await flat(4, 4).png().toBuffer();
  });

  const operations = (variables: unknown = { input: { bio: 'with a file', image: null } }) => ({
    name: 'operations',
    body: JSON.stringify({ query, variables }),
  });
  const map = (value: unknown = { 0: ['variables.input.image'] }) => ({ name: 'map', body: JSON.stringify(value) });
  const image = () => ({ ...filePart(png), name: '0' });

  function upload(parts: PartForm[]) {
    const { body, headers: type } = multipart(parts);
    return fetchGraphQL({
      method: 'POST',
      body,
      headers: { ...type, Authorization: `Bearer ${member.token}` },
    });
  }

  it('assigns the file to the variable named in the map, for repeated requests', async () => {
    for (let round = 0; round < 5; round++) {
      const { status, json } = await upload([operations(), map(), image()]);
      expect([status, json.errors]).to.deep.equal([200, undefined]);
      expect(json.data.updateMember).to.include({ id: String(member.id), bio: 'with a file' });
      expect((await fetch(json.data.updateMember.profileImg)).status).to.equal(200);
    }
  });

  it('returns 400 for missing or malformed parts and for an invalid map', async () => {
    const wrong: PartForm[][] = [
      [map(), image()],
      [operations(), image()],
      [operations(), map()],
      [operations(), map({ 0: ['variables.input.nothing'] }), image()],
      [operations(), map({ 0: ['variables.nothing.image'] }), image()],
      [operations(), map({ 0: ['query'] }), image()],
      [operations(), map({ 0: ['__proto__.image'] }), image()],
      [operations(), map({ 0: ['constructor.prototype.image'] }), image()],
      [operations(), map({ 0: [''] }), image()],
      [operations(), map({ 0: 'variables.input.image' }), image()],
      [operations(), map({ 1: ['variables.input.image'] }), image()],
      [operations(), map([]), image()],
      [operations(), map('x'), image()],
      [
        operations(),
        map({ 0: ['variables.input.image'], 1: ['variables.input.image'] }),
        image(),
        { ...image(), name: '1' },
      ],
      [{ name: 'operations', body: '{"query":' }, map(), image()],
      [{ name: 'operations', body: `[${operations().body}]` }, map({ 0: ['0.variables.input.image'] }), image()],
    ];
    for (const [index, parts] of wrong.entries()) {
      const answer = await upload(parts);
      expect([answer.status, codes(answer)], `case ${index}`).to.deep.equal([400, ['BAD_REQUEST']]);
    }
  });

  it('returns IMAGE_INVALID for a file that is not an image, as REST does', async () => {
    const answer = await upload([operations(), map(), { ...filePart('<svg/>'), name: '0' }]);
    expect([answer.status, codes(answer)]).to.deep.equal([200, ['IMAGE_INVALID']]);
  });

  it('returns 401 without a token', async () => {
    const { body, headers } = multipart([operations(), map(), image()]);
    const answer = await fetchGraphQL({ method: 'POST', body, headers });
    expect([answer.status, codes(answer)]).to.deep.equal([401, ['UNAUTHENTICATED']]);
  });
});
