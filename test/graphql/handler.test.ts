/** The `/graphql` endpoint over HTTP: methods, content types, authentication, error format and introspection. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { graphql } from '../support/client.js';
import { codesOf, fetchGraphQL, postGraphQL } from '../support/graphql-http.js';

const app = useApp();

describe('GET /graphql', () => {
  it('returns 200 for a query without a header that triggers a CORS preflight', async () => {
    const { status, json } = await fetchGraphQL(app.url, {}, `?query=${encodeURIComponent('{ __typename }')}`);
    expect([status, json]).to.deep.equal([200, { data: { __typename: 'Query' } }]);
  });

  it('returns the page to a browser, also for a query that others have sent with the same Accept header', async () => {
    const query = '{ articles { contents { id } } }';
    const accept = { Accept: 'text/html, application/json;q=0.5' };
    for (let count = 0; count < 5; count++)
      expect((await postGraphQL(app.url, { query }, accept)).json.data).to.have.key('articles');
    for (let count = 0; count < 2; count++) {
      const page = await fetch(`${app.url}/graphql?query=${encodeURIComponent(query)}`, { headers: accept });
      expect([page.headers.get('Content-Type'), page.headers.get('ETag')]).to.deep.equal(['text/html', null]);
      expect(page.headers.get('Content-Security-Policy')).to.equal(null);
    }
  });

  it('returns 405 with Allow for a mutation and for other methods', async () => {
    const search = `?query=${encodeURIComponent('mutation { deleteComment(id: 1) { id } }')}`;
    const mutation = await fetchGraphQL(app.url, {}, search);
    expect([mutation.status, mutation.headers.get('Allow')]).to.deep.equal([405, 'POST']);
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const { status, headers, json } = await fetchGraphQL(app.url, {
        method,
        headers: { 'Content-Type': 'application/json' },
      });
      expect([status, json.errors[0].extensions.code], method).to.deep.equal([405, 'METHOD_NOT_ALLOWED']);
      expect(headers.get('Allow'), method).to.equal('GET, HEAD, POST');
    }
  });
});

describe('POST /graphql', () => {
  it('returns 200 for a query', async () => {
    expect((await postGraphQL(app.url, { query: '{ __typename }' })).json).to.deep.equal({
      data: { __typename: 'Query' },
    });
  });

  it('returns 415 for content types that browsers send without a CORS preflight', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/graphql',
      'application/json; charset=utf-16',
    ]) {
      const response = await postGraphQL(app.url, { query: '{ __typename }' }, { 'Content-Type': type });
      expect([response.status, codesOf(response)], type).to.deep.equal([415, ['UNSUPPORTED_MEDIA_TYPE']]);
    }
  });

  it('returns 400 for an id that is an object without a text', async () => {
    const query = 'query ($id: ID!) { article(id: $id) { title } }';
    const response = await postGraphQL(app.url, { query, variables: { id: { toString: null } } });
    expect([response.status, codesOf(response)]).to.deep.equal([400, ['VALIDATION_FAILED']]);
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
      const response = await postGraphQL(app.url, body);
      expect(response.status, body.slice(0, 60)).to.equal(400);
      expect(codesOf(response), body.slice(0, 60)).to.deep.equal(['BAD_REQUEST']);
    }
  });

  it('returns 400 for a batch', async () => {
    const response = await postGraphQL(app.url, [{ query: '{ __typename }' }, { query: '{ __typename }' }]);
    expect([response.status, codesOf(response)]).to.deep.equal([400, ['BAD_REQUEST']]);
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
      const response = await postGraphQL(app.url, body);
      expect(response.status, body.query).to.equal(400);
      expect(new Set(codesOf(response)), body.query).to.deep.equal(new Set(['BAD_REQUEST']));
      expect(response.text).to.not.match(/stacktrace|node_modules/);
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
      const inJson = await postGraphQL(app.url, { query, variables });
      expect([inJson.status, codesOf(inJson)], JSON.stringify(variables)).to.deep.equal([400, ['VALIDATION_FAILED']]);
      const negotiated = await postGraphQL(
        app.url,
        { query, variables },
        { Accept: 'application/graphql-response+json' },
      );
      expect([negotiated.status, codesOf(negotiated)]).to.deep.equal([400, ['VALIDATION_FAILED']]);
      expect(negotiated.headers.get('Content-Type')).to.match(/^application\/graphql-response\+json/);
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
    const { status, json } = await postGraphQL(app.url, { query, variables: { size: null } });
    expect([status, json.errors[0].extensions]).to.deep.equal([400, { code: 'VALIDATION_FAILED' }]);
    expect(json.errors[0].message).to.equal('Argument "size" of non-null type "Int!" must not be null.');
  });

  it('returns 401 for an invalid token, also for a public query', async () => {
    for (const token of ['nonsense', 'a.b.c', '']) {
      const response = await postGraphQL(app.url, { query: '{ __typename }' }, { Authorization: `Bearer ${token}` });
      expect([response.status, codesOf(response)], token).to.deep.equal([401, ['UNAUTHENTICATED']]);
      expect(response.headers.get('WWW-Authenticate')).to.equal('Bearer');
    }
  });

  it('returns UNAUTHENTICATED with status 200 for a field that requires a member', async () => {
    const response = await postGraphQL(app.url, { query: '{ me { id } }' });
    expect([response.status, codesOf(response), response.json.data]).to.deep.equal([
      200,
      ['UNAUTHENTICATED'],
      { me: null },
    ]);
  });

  it('returns 413 for a body over 1 MB', async () => {
    const response = await postGraphQL(app.url, { query: '{ __typename }', variables: { x: 'x'.repeat(2_000_000) } });
    expect([response.status, codesOf(response)]).to.deep.equal([413, ['PAYLOAD_TOO_LARGE']]);
  });
});

describe('GRAPHQL_INTROSPECTION', () => {
  const closed = useApp({ GRAPHQL_INTROSPECTION: 'false' });
  const query = '{ __schema { queryType { name } } }';

  it('allows introspection by default', async () => {
    expect((await postGraphQL(app.url, { query })).json).to.deep.equal({
      data: { __schema: { queryType: { name: 'Query' } } },
    });
  });

  it('rejects introspection when false, and still serves other queries', async () => {
    const response = await postGraphQL(closed.url, { query });
    expect([response.status, new Set(codesOf(response))]).to.deep.equal([400, new Set(['BAD_REQUEST'])]);
    expect((await postGraphQL(closed.url, { query: '{ __typename }' })).status).to.equal(200);
  });
});
