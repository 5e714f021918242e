/** The response cache: what is cached, for whom, at which cost, and that no response is stale. */
import { mock } from 'node:test';
import { expect } from 'chai';
import { StoredBody } from '../../../src/platform/http/compression.js';
import { ResponseCache } from '../../../src/platform/http/response-cache.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, buildArticle, buildComment } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { replaceFunctions } from '../../support/database.js';
import { scrapeGrowth } from '../../support/metrics.js';
import { mockTimeouts } from '../../support/mock-timers.js';
import { statementsDuring } from '../../support/statements.js';
import { until } from '../../support/until.js';

const COMMENTS = `query ($id: ID!, $size: Int) {
  comments(articleId: $id, size: $size) { contents { id content author { nickname profileImg } replies { content } } pagination { totalElements } }
}`;

/** The statement that reads the stamps of all requests that wait. */
const READ_STAMPS = /^select '\w+' as kind/;

describe('The response cache', () => {
  const app = useApp();
  const plain = useApp({ RESPONSE_CACHE_MB: '0' });
  let article: BuiltArticle;
  before(async () => {
    article = await buildArticle(app.url);
    await buildComment(app.url, article.id);
  });

  const page = (query = '') => fetch(`${app.url}/api/articles/${article.id}/comments${query}`);
  const comments = (size: number, url = app.url) => post(url, { query: COMMENTS, variables: { id: article.id, size } });

  it('serves a repeated REST request after one statement, which reads the stamp', async () => {
    const first = await page('?size=3');
    const texts = await statementsDuring(async () => {
      const second = await page('?size=3');
      expect(await second.text()).to.equal(await first.text());
      expect(headersOf(second)).to.deep.equal(headersOf(first));
    });
    expect(texts).to.have.lengthOf(1);
    expect(texts[0]).to.match(READ_STAMPS);
  });

  it('serves a repeated GraphQL query after one statement, which reads the stamp', async () => {
    const first = await comments(3);
    const texts = await statementsDuring(async () => expect(await comments(3)).to.deep.equal(first));
    expect(texts).to.have.lengthOf(1);
    expect(texts[0]).to.match(READ_STAMPS);
  });

  it('shares the statement among requests that arrive together', async () => {
    const keys = [{ kind: 'discussion', id: article.id }] as const;
    const reads = () => Promise.all(Array.from({ length: 50 }, () => app.services.stampReader.read(keys)));
    expect(await statementsDuring(reads)).to.have.lengthOf(1);
  });

  it('executes concurrent equal requests once', async () => {
    const growth = await scrapeGrowth(app.url, () => Promise.all(Array.from({ length: 20 }, () => page('?size=7'))));
    const count = (result: string) => growth('daybook_response_cache_requests_total', { api: 'rest', result });
    expect(count('miss')).to.equal(1);
    expect(count('shared') + count('hit')).to.equal(19);
  });

  it('responds with a new comment, a changed one, a new name and a new biography at once', async () => {
    const { author } = article;
    const seen: string[] = [];
    const read = async () => {
      const [rest, query] = [await (await page('?size=9')).text(), JSON.stringify(await comments(9))];
      expect(seen.at(-1)).not.to.equal(rest + query);
      seen.push(rest + query);
      expect((await (await page('?size=9')).text()) + JSON.stringify(await comments(9))).to.equal(rest + query);
    };
    await read();
    const { id } = await buildComment(app.url, article.id, {}, author);
    await read();
    const { token } = author;
    await call(app.url, `PATCH /api/comments/${id}`, { token, json: { content: 'edited' } });
    await read();
    await call(app.url, 'PATCH /api/members/me', { token, json: { nickname: 'another name' } });
    await read();
    await call(app.url, `DELETE /api/comments/${id}`, { token });
    await read();
  });

  it('gives GET queries an ETag and 304, and leaves POST as it is', async () => {
    const parameters = new URLSearchParams({ query: COMMENTS, variables: JSON.stringify({ id: article.id }) });
    const url = `${app.url}/graphql?${parameters}`;
    const first = await fetch(url);
    const tag = first.headers.get('ETag') ?? '';
    expect([first.headers.get('Cache-Control'), tag.slice(0, 3)]).to.deep.equal(['public, no-cache', 'W/"']);
    const unchanged = await fetch(url, { headers: { 'If-None-Match': tag } });
    expect([unchanged.status, await unchanged.text()]).to.deep.equal([304, '']);
    await buildComment(app.url, article.id);
    expect((await fetch(url, { headers: { 'If-None-Match': tag } })).status).to.equal(200);
    const posted = await fetch(`${app.url}/graphql`, request({ query: COMMENTS, variables: { id: article.id } }));
    expect([posted.headers.get('ETag'), posted.headers.get('Cache-Control')]).to.deep.equal([null, 'no-store']);
  });

  for (const [kind, body] of Object.entries({
    query: { query: COMMENTS, variables: { id: '1', size: 2 } },
    'query with an alias and a fragment': {
      query:
        'query A { a: articles(size: 2) { ...P } } fragment P on ArticlePage { contents { title tags author { bio } } }',
      operationName: 'A',
    },
    'query for an article that does not exist': { query: '{ article(id: 4711) { title } }' },
    'query with an invalid argument': { query: '{ articles(size: 1000) { contents { id } } }' },
    'query with two root fields': { query: '{ article(id: 1) { title } comments(articleId: 1) { contents { id } } }' },
    'introspection query': { query: '{ __schema { queryType { name } } }' },
    'syntax error': { query: '{ articles' },
    'query with a partial result': { query: '{ a: article(id: 4711) { id } articles(size: 1) { contents { id } } }' },
    'query with a cursor that is none': { query: '{ articleConnection(first: 1, after: "x") { totalCount } }' },
    'unknown operation': { query: 'query A { tags { contents { name } } }', operationName: 'B' },
  })) {
    it(`does not change the response to a ${kind}`, async () => {
      const [expected] = [await raw(plain.url, body)];
      // The first responses are Apollo's; compiled queries are then executed without its pipeline.
      for (const { url } of [plain, app]) {
        for (let time = 0; time < 8; time++) expect(await raw(url, body)).to.deep.equal(expected);
      }
    });
  }

  for (const accept of ['application/graphql-response+json', '*/*', 'text/html, application/json;q=0.5', 'image/png']) {
    it(`does not change the response to Accept: ${accept}, in both languages`, async () => {
      for (const language of ['en', 'ko']) {
        const read = (url: string) =>
          raw(url, { query: COMMENTS, variables: { id: '1' } }, { accept, 'accept-language': language });
        const expected = await read(plain.url);
        for (let time = 0; time < 6; time++) expect(await read(app.url)).to.deep.equal(expected);
      }
    });
  }

  for (const [kind, query] of Object.entries({
    'has a field that its stamp does not cover': '{ articles { contents { comments(first: 1) { totalCount } } } }',
    'has errors': '{ articles(size: 1000) { contents { id } } }',
    'is introspection': '{ __schema { queryType { name } } }',
  })) {
    it(`does not contain a response that ${kind}`, async () => {
      await graphql(app.url, query);
      const growth = await scrapeGrowth(app.url, () => graphql(app.url, query));
      expect(growth('daybook_response_cache_requests_total', { result: 'hit' })).to.equal(0);
    });
  }

  it('serves a query whose document it has not seen before, after others were executed', async () => {
    const query = '{ tags(size: 3) { contents { name articleCount } } }';
    await graphql(app.url, '{ articles { contents { id title } } }');
    await graphql(app.url, query);
    const growth = await scrapeGrowth(app.url, () => graphql(app.url, query));
    expect(growth('daybook_response_cache_requests_total', { api: 'graphql', result: 'hit' })).to.equal(1);
  });

  it('serves a query by its declared variables, whatever else is sent and in which order', async () => {
    const query = `query ($size: Int = 2, $filter: ArticleFilter) {
      articles(size: $size, filter: $filter) { contents { id } pagination { pageSize } }
    }`;
    const filter = { tag: 'unknown', memberId: '1' };
    const hitsOf = async (variables: object) => {
      const growth = await scrapeGrowth(app.url, async () => {
        const body = { query, variables };
        expect(await raw(app.url, body)).to.deep.equal(await raw(plain.url, body));
      });
      return growth('daybook_response_cache_requests_total', { api: 'graphql', result: 'hit' });
    };
    expect(await hitsOf({ size: 3, filter })).to.equal(0);
    for (const variables of [
      { filter, size: 3 },
      { size: 3, filter: { memberId: '1', tag: 'unknown' } },
      { undeclared: 'x'.repeat(5_000), size: 3, filter },
    ])
      expect(await hitsOf(variables), Object.keys(variables).join()).to.equal(1);
    for (const variables of [
      { filter },
      { size: null, filter },
      { size: 4, filter },
      { size: 3 },
      {},
      { filter: null },
    ])
      expect(await hitsOf(variables), JSON.stringify(variables)).to.equal(0);
  });

  it('does not change the number of operations in the metrics', async () => {
    const query = 'query ($id: ID!) { comments(articleId: $id, size: 11) { contents { id } } }';
    const countAt = async (url: string) => {
      const growth = await scrapeGrowth(app.url, async () => {
        for (let time = 0; time < 5; time++) {
          await (await fetch(`${url}/api/articles/${article.id}/comments?size=11`)).text();
          await post(url, { query, variables: { id: article.id } });
          await post(url, { query: '{ a: tags(size: 11) { contents { name } } b: tags { contents { name } } }' });
        }
      });
      const of = (labels: Record<string, string>) =>
        growth('daybook_graphql_operation_duration_seconds_count', { type: 'query', outcome: 'done', ...labels });
      return [
        of({ api: 'rest', field: 'comments' }),
        of({ api: 'graphql', field: 'comments' }),
        of({ api: 'graphql', field: 'several' }),
        growth('daybook_response_cache_requests_total', { result: 'hit' }),
      ];
    };
    expect(await countAt(plain.url)).to.deep.equal([5, 5, 5, 0]);
    expect(await countAt(app.url)).to.deep.equal([5, 5, 5, 12]);
  });

  it('rejects a variable that is nested as deep as a body permits', async () => {
    const query = 'query ($filter: ArticleFilter) { articles(filter: $filter) { contents { id } } }';
    const depth = 100_000;
    const body = `{"query": ${JSON.stringify(query)}, "variables": {"filter": ${'['.repeat(depth)}${']'.repeat(depth)}}}`;
    for (const url of [app.url, plain.url]) {
      const response = await fetch(`${url}/graphql`, { ...request({}), body });
      expect(response.status, await response.text()).to.be.within(400, 499);
    }
  });

  const summary = '{ article(id: ID) { summaryStatus aiSummary aiTags } }';
  for (const [name, { path, query, isStampInQuery = true }] of Object.entries({
    'comment page': {
      path: '/api/articles/ID/comments',
      query: '{ comments(articleId: ID) { contents { content } } }',
    },
    article: { path: '/api/articles/ID', query: '{ article(id: ID) { title content } }' },
    'article list': { path: '/api/articles?size=4', query: '{ articles(size: 4) { contents { title tags } } }' },
    search: {
      path: '/api/articles?keyword=content',
      query: '{ articles(filter: { keyword: "content" }) { contents { title } } }',
    },
    'page of replies': {
      path: '/api/comments/COMMENT/replies',
      query: '{ replies(commentId: COMMENT) { contents { content } } }',
    },
    summary: { path: '/api/articles/ID/summary', query: summary, isStampInQuery: false },
  })) {
    it(`needs for a ${name} no statement more than without it, apart from a stamp read before`, async () => {
      const { id, author } = await buildArticle(app.url, {}, article.author);
      const comment = await buildComment(app.url, id, {}, author);
      const fill = (text: string) => text.replaceAll('ID', String(id)).replaceAll('COMMENT', String(comment.id));
      const countOf = async (read: () => Promise<unknown>) => (await statementsDuring(read)).length;
      const rest = (url: string) => countOf(async () => (await fetch(url + fill(path))).text());
      const posted = (url: string) => countOf(() => post(url, { query: fill(query) }));
      const withoutCache = { rest: await rest(plain.url), graphql: await posted(plain.url) };
      const first = { rest: await rest(app.url), graphql: await posted(app.url) };
      // For the ETag of REST, the stamp is read without the cache as well.
      expect(first).to.deep.equal({ ...withoutCache, graphql: withoutCache.graphql + (isStampInQuery ? 0 : 1) });
      expect([await rest(app.url), await posted(app.url)]).to.deep.equal([1, 1]);
    });
  }

  describe('when the database fails', () => {
    type Query = typeof app.database.query;
    let restore = () => {};
    const replaceQuery = (replacement: (name: string, run: () => Promise<never[]>) => Promise<never[]>) => {
      const { query } = app.database;
      restore = replaceFunctions(app.database, {
        query: ((statement, values) =>
          replacement(statement.name, () => query(statement, values) as Promise<never[]>)) as Query,
      });
    };
    afterEach(() => restore());

    it('responds as without it', async () => {
      const body = { query: COMMENTS, variables: { id: article.id, size: 8 } };
      const path = `/api/articles/${article.id}/comments?size=8`;
      for (const { url } of [app, plain]) await Promise.all([fetch(url + path), raw(url, body)]);
      replaceQuery(async () => {
        throw Object.assign(new Error('terminating connection'), { code: '57P01' });
      });
      const read = async (url: string) => {
        const response = await fetch(url + path);
        return [
          { status: response.status, headers: headersOf(response), text: await response.text() },
          await raw(url, body),
        ];
      };
      const responses = await read(app.url);
      expect(responses).to.deep.equal(await read(plain.url));
      const [rest] = responses as { status: number; headers: Record<string, string> }[];
      expect([rest?.status, Number(rest?.headers['retry-after']) > 0]).to.deep.equal([503, true]);
    });

    it('delays only the requests that wait for a slow stamp', async () => {
      await page('?size=6');
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      let reads = 0;
      replaceQuery(async (name, run) => {
        if (name.startsWith('read_stamps') && ++reads === 1) await released;
        return run();
      });
      const slow = page('?size=6').then(() => 'slow');
      while (reads === 0) await new Promise(setImmediate);
      const quick = page('?size=6').then(() => 'quick');
      expect(await Promise.race([slow, quick])).to.equal('quick');
      release();
      expect(await slow).to.equal('slow');
    });
  });

  it('needs after a write one statement more, which reads the stamp', async () => {
    const { id } = await buildArticle(app.url, {}, article.author);
    const query = { query: `{ comments(articleId: ${id}) { contents { content } } }` };
    const path = `/api/articles/${id}/comments`;
    const reads = { graphql: () => post(app.url, query), rest: async () => (await fetch(app.url + path)).text() };
    for (const [api, read] of Object.entries(reads)) {
      const first = await statementsDuring(read);
      await buildComment(app.url, id, {}, article.author);
      const [stamp, ...others] = await statementsDuring(read);
      expect(first, api).to.have.lengthOf(1);
      expect(stamp, api).to.match(READ_STAMPS);
      expect(others, api).to.deep.equal(first);
    }
  });

  describe('responds to, and does not cache', () => {
    const requests: Record<string, () => [body: object, headers?: Record<string, string>]> = {
      'a response above 1 MiB': () => {
        const roots = Array.from({ length: 4 }, (_, index) => `a${index}: article(id: ${article.id}) { content }`);
        return [{ query: `{ ${roots.join(' ')} }` }];
      },
      'variables above 4,000 characters': () => {
        const query = 'query ($keyword: String) { articles(filter: { keyword: $keyword }) { contents { id title } } }';
        return [{ query, variables: { keyword: `${' '.repeat(4_000)}huge` } }];
      },
      'an Accept header above 200 characters': () => {
        const accept = `application/json${', text/x-unknown'.repeat(20)}`;
        return [{ query: `{ article(id: ${article.id}) { title } }` }, { accept }];
      },
    };
    before(async () => {
      article = await buildArticle(app.url, { title: 'huge', content: '가'.repeat(100_000) });
    });

    for (const [kind, make] of Object.entries(requests)) {
      it(kind, async () => {
        const [body, headers] = make();
        const expected = (await raw(plain.url, body, headers)) as { status: number; text: string };
        expect([expected.status, expected.text.startsWith('{"data":{"a')]).to.deep.equal([200, true]);
        expect(expected.text).not.to.include('"errors"');
        const growth = await scrapeGrowth(app.url, async () => {
          for (let time = 0; time < 6; time++) expect(await raw(app.url, body, headers)).to.deep.equal(expected);
        });
        const resultsOf = (result: string) => growth('daybook_response_cache_requests_total', { result });
        expect([resultsOf('hit'), resultsOf('miss')]).to.deep.equal([0, 0]);
      });
    }
  });

  it('validates article lists while the table of comments is locked', async () => {
    const list = () => fetch(`${app.url}/api/articles?size=7`).then(({ status }) => status);
    await list();
    const growth = await scrapeGrowth(app.url, () =>
      app.database.sequelize.transaction(async (transaction) => {
        await app.database.sequelize.query('lock table comments in access exclusive mode', { transaction });
        expect(await list()).to.equal(200);
      }),
    );
    expect(growth('daybook_response_cache_requests_total', { api: 'rest', result: 'hit' })).to.equal(1);
  });

  it('contains nothing of requests with a token', async () => {
    const { token } = article.author;
    const read = () => call(app.url, `GET /api/articles/${article.id}/comments?size=5`, { token });
    await read();
    const growth = await scrapeGrowth(app.url, read);
    expect(growth('daybook_response_cache_requests_total')).to.equal(0);
  });
});

describe('The response cache while the database fails', () => {
  const app = useApp({ RESPONSE_CACHE_STALE_IF_ERROR: '5s' });
  const strict = useApp();

  /** Runs `work` while each statement of both apps fails as without a database. */
  async function withoutDatabase(work: () => Promise<void>): Promise<void> {
    const databases = [app, strict].map(({ services }) => services.database);
    const query = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    const restore = databases.map((database) => replaceFunctions(database, { query }));
    try {
      await work();
    } finally {
      // Both apps have the same database: in reverse order.
      for (const one of restore.reverse()) one();
    }
  }

  it('sends responses that were validated within RESPONSE_CACHE_STALE_IF_ERROR, and 503 otherwise', async () => {
    const { id } = await buildArticle(app.url);
    const path = `/api/articles/${id}`;
    const query = { query: `{ article(id: ${id}) { title } }` };
    await fetch(strict.url + path);
    const graphqlText = await (await fetch(`${app.url}/graphql`, request(query))).text();
    const current = await fetch(app.url + path);
    expect(current.headers.get('Cache-Control')).to.equal('public, max-age=0, stale-if-error=5');
    const text = await current.text();
    await withoutDatabase(async () => {
      const stale = await fetch(app.url + path);
      expect([stale.status, stale.headers.get('Cache-Control'), stale.headers.get('ETag')]).to.deep.equal([
        200,
        'no-store',
        null,
      ]);
      expect(Number(stale.headers.get('Age'))).to.be.within(0, 5);
      expect(await stale.text()).to.equal(text);
      expect(await (await fetch(`${app.url}/graphql`, request(query))).text()).to.equal(graphqlText);
      for (const other of [`${app.url}${path}/comments`, strict.url + path])
        expect((await fetch(other)).status, other).to.equal(503);
      await until(async () => (await fetch(app.url + path)).status === 503);
    });
    expect((await fetch(app.url + path)).status).to.equal(200);
  });
});

const response = (tag: string) => ({ body: new StoredBody(Buffer.from(tag)), headers: {}, tag, validatedAtMs: 0 });

describe('A response in progress', () => {
  const start = (cache: ResponseCache, tag: string) => cache.findOrBegin('key', tag);

  it('is awaited by equal requests, also if one of them has to build a newer version', async () => {
    const cache = new ResponseCache({ maxBytes: 1_000_000, staleIfErrorMs: 0 });
    const finish = cache.begin('key');
    const [first, ...others] = [start(cache, '2'), start(cache, '2'), start(cache, '2')];
    finish(response('1'));
    const build = await first;
    if (typeof build !== 'function') throw new Error('an old version was found');
    build(response('2'));
    for (const other of others) expect(await other).to.include({ tag: '2' });
    expect(await start(cache, '2')).to.include({ tag: '2' });
  });

  it('is not awaited after it has failed', async () => {
    const cache = new ResponseCache({ maxBytes: 1_000_000, staleIfErrorMs: 0 });
    const finish = cache.begin('key');
    const waiting = [start(cache, '1'), start(cache, '1')];
    finish(null);
    for (const one of await Promise.all(waiting)) expect(one).to.be.a('function');
  });

  it('is awaited for a limited time', async () => {
    mockTimeouts();
    try {
      const cache = new ResponseCache({ maxBytes: 1_000_000, staleIfErrorMs: 0 });
      cache.begin('key');
      const waiting = start(cache, '1');
      mock.timers.tick(5_000);
      expect(await waiting).to.be.a('function');
      expect(await start(cache, '1')).to.be.a('function');
    } finally {
      mock.timers.reset();
    }
  });
});

function request(body: object): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

async function post(url: string, body: object): Promise<unknown> {
  return (await fetch(`${url}/graphql`, request(body))).json();
}

/** Status, headers and bytes of a response. */
async function raw(url: string, body: object, headers = {}): Promise<unknown> {
  const init = request(body);
  const response = await fetch(`${url}/graphql`, { ...init, headers: { ...init.headers, ...headers } });
  return { status: response.status, headers: headersOf(response), text: await response.text() };
}

/** The headers that do not differ between two equal responses. */
function headersOf({ headers }: Response): Record<string, string> {
  const varying = ['date', 'x-request-id'];
  return Object.fromEntries([...headers].filter(([name]) => !varying.includes(name)));
}
