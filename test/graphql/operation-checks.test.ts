/** Limits of GraphQL operations: rejection before execution, and accepted operations. */
import { expect } from 'chai';
import { DocumentCache } from '../../src/graphql/document-cache.js';
import { buildSchema } from '../../src/graphql/schema.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { useApp } from '../support/app.js';
import { buildArticle, buildMember } from '../support/build.js';
import { call, expectStatus, type GraphQLResponse, graphql } from '../support/client.js';
import { closeLiveClients } from '../support/live.js';
import { openSocket } from '../support/live-raw.js';
import { until } from '../support/until.js';

const codeOf = ({ errors }: GraphQLResponse) => errors?.[0]?.extensions.code;

describe('GraphQL limits', () => {
  const app = useApp({ GRAPHQL_MAX_RESPONSE_MB: '1' });
  const tags = 'mutation ($tags: [String!]) { createArticle(input: { title: "x", content: "x", tags: $tags }) { id } }';
  const byId = 'query ($id: ID!) { article(id: $id) { id } }';

  it('rejects a document with too many characters before it is parsed, blanks and comments included', async () => {
    for (const padding of [' ', ',', '\n', '#\n', '\ufeff']) {
      const response = await graphql(app.url, `{ __typename }${padding.repeat(20_000 / padding.length)}`);
      expect([response.status, codeOf(response)], JSON.stringify(padding)).to.deep.equal([400, 'QUERY_TOO_COMPLEX']);
      expect(response.errors?.[0]?.message).to.match(/can have at most 20000 characters, got 200\d\d/);
    }
  });

  it('rejects a document that repeats a name too often', async () => {
    const response = await graphql(app.url, `{ ${'me { id } '.repeat(101)} }`);
    expect([response.status, codeOf(response)]).to.deep.equal([400, 'QUERY_TOO_COMPLEX']);
    expect(response.errors?.[0]?.message).to.equal('The document contains the name me more than 100 times.');
  });

  it('reports at most 10 validation errors', async () => {
    const unknown = Array.from({ length: 300 }, (_, number) => `x${number}`).join('\n');
    const { errors } = await graphql(app.url, `{ ${unknown} }`);
    expect(errors).to.have.lengthOf(10);
  });

  it('reports a single error for variables of the wrong type, however many there are', async () => {
    const response = await graphql(app.url, tags, { tags: Array(500).fill({}) });
    expect([response.status, codeOf(response), response.errors?.length]).to.deep.equal([400, 'VALIDATION_FAILED', 1]);
  });

  it('rejects variables with too many values, in lists and in nested objects', async () => {
    const nested = JSON.parse(`${'{"x":['.repeat(900)}1${']}'.repeat(900)}`);
    for (const value of [Array(40_000).fill(7), nested, Array(40).fill(Array(40).fill({}))]) {
      const response = await graphql(app.url, tags, { tags: value });
      expect([response.status, codeOf(response)]).to.deep.equal([400, 'QUERY_TOO_COMPLEX']);
    }
  });

  it('quotes only the beginning of an invalid value', async () => {
    const { errors } = await graphql(app.url, 'query ($size: Int) { articles(size: $size) { contents { id } } }', {
      size: 'x'.repeat(100_000),
    });
    expect(errors?.[0]?.message).to.have.lengthOf.below(600);
  });

  it('ignores variables that the operation does not declare', async () => {
    const others = Object.fromEntries(Array.from({ length: 15_000 }, (_, number) => [`v${number}`, number]));
    const response = await graphql(app.url, byId, { id: '1', ...others });
    expect(codeOf(response)).to.equal('ARTICLE_NOT_FOUND');
  });

  it('estimates the cost of a document again after requests with invalid variables', async () => {
    const query = `query ($id: ID!) {
      member(id: $id) { articles(first: 100) { edges { node { comments(first: 100) { edges { node { replies { id } } } } } } } }
    }`;
    for (const id of [{}, [], null, true]) await graphql(app.url, query, { id });
    expect(codeOf(await graphql(app.url, query, { id: '1' }))).to.equal('QUERY_TOO_COMPLEX');
  });

  it('rejects page sizes out of range before execution, as literals and as variables', async () => {
    for (const size of [-2_147_483_648, -1, 0, 101, 2_147_483_647]) {
      const literal = await graphql(
        app.url,
        `{ a: articles(size: 100) { contents { id } } tags(size: ${size}) { contents { name } } }`,
      );
      const variable = await graphql(app.url, 'query ($size: Int) { tags(size: $size) { contents { name } } }', {
        size,
      });
      for (const { status, errors } of [literal, variable]) {
        expect([status, errors?.[0]?.extensions], String(size)).to.deep.equal([
          400,
          {
            code: 'VALIDATION_FAILED',
            errors: [{ field: 'size', message: `must be a whole number from 1 to 100, got ${size}` }],
          },
        ]);
      }
    }
  });

  it('counts the possible cost of long fields, embedded replies and keyword searches', async () => {
    const contents = (fields: string) => `{ articles(size: 100) { contents { ${fields} } } }`;
    expect(codeOf(await graphql(app.url, contents('content')))).to.equal(undefined);
    expect(codeOf(await graphql(app.url, contents(['a', 'b'].map((x) => `${x}: content`).join(' '))))).to.equal(
      'QUERY_TOO_COMPLEX',
    );
    expect(
      codeOf(await graphql(app.url, contents('comments(first: 10) { edges { node { replies { id content } } } }'))),
    ).to.equal('QUERY_TOO_COMPLEX');
    const searches = Array.from(
      { length: 16 },
      (_, number) => `s${number}: articles(filter: { keyword: "x${number}" }) { contents { id } }`,
    );
    expect(codeOf(await graphql(app.url, `{ ${searches.join(' ')} }`))).to.equal('QUERY_TOO_COMPLEX');
    const variable = `query ($filter: ArticleFilter) { ${searches.map((search) => search.replace(/\{ keyword: "\w+" \}/, '$filter')).join(' ')} }`;
    expect(codeOf(await graphql(app.url, variable, { filter: { tag: 'x' } }))).to.equal(undefined);
    expect(codeOf(await graphql(app.url, variable, { filter: { keyword: 'x' } }))).to.equal('QUERY_TOO_COMPLEX');
  });

  it('rejects nested introspection under many aliases', async () => {
    const nested = 'types { fields { type { name } args { type { fields { name type { name } } } } } }';
    const aliases = Array.from({ length: 12 }, (_, number) => `a${number}: __schema { ${nested} }`).join(' ');
    expect(codeOf(await graphql(app.url, `{ ${aliases} }`))).to.equal('QUERY_TOO_COMPLEX');
  });

  it('rejects a response that is too large, over GraphQL and REST', async () => {
    const author = await buildMember(app.url);
    for (let count = 0; count < 4; count++) await buildArticle(app.url, { content: '가'.repeat(99_000) }, author);
    const { id } = await buildArticle(app.url, { content: 'x'.repeat(99_000) }, author);
    const query = '{ articles(size: 100) { contents { content } } }';
    const response = await graphql(app.url, query);
    expect([response.status, codeOf(response), response.data]).to.deep.equal([400, 'QUERY_TOO_COMPLEX', undefined]);
    expect(response.errors?.[0]?.message).to.match(/larger than 1 MiB/);
    await app.database.sequelize.query(`insert into comments (article_id, member_id, content)
       select ${id}, ${author.id}, repeat('x', 1000) from generate_series(1, 100)`);
    await app.database.sequelize.query(`insert into comments (article_id, parent_id, member_id, content)
       select ${id}, id, ${author.id}, repeat('x', 1000) from comments, generate_series(1, 20) where parent_id is null`);
    const comments = `GET /api/articles/${id}/comments`;
    await expectStatus(call(app.url, `${comments}?size=100`), 400, 'QUERY_TOO_COMPLEX');
    await expectStatus(call(app.url, `${comments}?size=10`), 200, '1');
  });

  it('counts the escapes of control characters in short texts', async () => {
    const { id, author } = await buildArticle(app.url);
    await app.database.sequelize.query(`insert into comments (article_id, member_id, content)
       select ${id}, ${author.id}, repeat(chr(1), 250) from generate_series(1, 100)`);
    await app.database.sequelize.query(`insert into comments (article_id, parent_id, member_id, content)
       select ${id}, id, ${author.id}, repeat(chr(1), 250) from comments, generate_series(1, 9)
       where article_id = ${id} and parent_id is null`);
    const query = `{ comments(articleId: ${id}, size: 100) { contents { content replies { content } } } }`;
    expect(codeOf(await graphql(app.url, query))).to.equal('QUERY_TOO_COMPLEX');
  });

  it('releases all permits after requests that completed or were aborted', async () => {
    const query =
      '{ articles(size: 100) { contents { id title excerpt author { nickname } category { name } tags } } }';
    const controller = new AbortController();
    const abandoned = fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
      signal: controller.signal,
    }).catch(() => {});
    controller.abort();
    const responses = await Promise.all(Array.from({ length: 40 }, () => graphql(app.url, query)));
    await abandoned;
    expect(responses.map(({ status }) => status)).to.deep.equal(Array(40).fill(200));
    const { operations, largeResponses } = app.services.limits.operations;
    await until(() => operations.state.inUse === 0 && largeResponses.state.inUse === 0);
  });

  it('rejects a list of articles with more content than a response may have, over REST', async () => {
    const author = await buildMember(app.url);
    for (let number = 0; number < 3; number++) {
      await buildArticle(app.url, { content: '한'.repeat(100_000), tags: ['long'] }, author);
    }
    const rejected = await call(app.url, 'GET /api/articles?tag=long&include=content,contentHtml&size=50');
    expect([rejected.status, rejected.body?.code]).to.deep.equal([400, 'QUERY_TOO_COMPLEX']);
    const { status } = await call(app.url, 'GET /api/articles?tag=long&include=content&size=1');
    expect(status).to.equal(200);
  });
});

describe('The GraphQL document cache', () => {
  it('is limited by the memory of its documents, not by their number', () => {
    const documents = new DocumentCache(buildSchema(), loadConfig({}).graphqlLimits, true);
    for (let count = 0; count < 2_000; count++) documents.read(`{ me { id } } #${String(count).padEnd(19_000, ' ')}`);
    expect(documents.cachedBytes).to.be.within(1, 16 * 1024 * 1024);
  });

  it('stores no part of a document that exceeds its memory', async () => {
    const limits = { ...loadConfig({}).graphqlLimits, maxCharacters: 20_000_000 };
    const documents = new DocumentCache(buildSchema(), limits, true);
    const { hash } = documents.read(`{ me { id } } #${' '.repeat(10_000_000)}`);
    expect([documents.cachedBytes, documents.textOf(hash), await documents.get(hash)]).to.deep.equal([
      0,
      undefined,
      undefined,
    ]);
    const small = documents.read('{ me { id } }');
    expect(documents.textOf(small.hash)).to.equal('{ me { id } }');
  });
});

describe('A WebSocket client', () => {
  const app = useApp();
  afterEach(closeLiveClients);

  it('is disconnected when it sends too many messages', async () => {
    for (const message of ['{"type":"ping"}', '{"type":"complete","id":"1"}']) {
      const { token } = await buildMember(app.url);
      const raw = await openSocket(app.url);
      raw.socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } }));
      await until(() => raw.messages.length > 0);
      for (let count = 0; count < 100; count++) raw.socket.send(message);
      expect(await raw.closed, message).to.equal('4429 RATE_LIMITED');
      expect(raw.messages.length).to.be.below(40);
    }
  });

  it('is disconnected when it keeps sending rejected subscriptions', async () => {
    const { token } = await buildMember(app.url);
    const raw = await openSocket(app.url);
    raw.socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } }));
    await until(() => raw.messages.length > 0);
    for (let id = 0; id < 25; id++) {
      raw.socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload: { query: '{' } }));
    }
    expect(await raw.closed).to.equal('4429 RATE_LIMITED');
  });
});
