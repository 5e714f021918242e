/** The headers Idempotency-Key and If-Match with every form of a GraphQL request, as the common clients send them. */
import { createHash } from 'node:crypto';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange, mapExchange } from '@urql/core';
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../support/build.js';
import { codesOf, fetchGraphQL, postGraphQL, type Reply } from '../support/graphql-http.js';
import { multipart } from '../support/multipart.js';

const CREATE = 'mutation Create($name: String!) { createCategory(name: $name) { id name } }';
const DELETE = 'mutation Delete($id: ID!) { deleteArticle(id: $id) { id } }';

/** Sends a mutation once. @returns the codes of the errors */
type Send = (document: string, variables: object, headers: Record<string, string>) => Promise<string[]>;

const app = useApp();

const hashOf = (query: string) => createHash('sha256').update(query).digest('hex');
const persisted = (query: string) => ({ persistedQuery: { version: 1, sha256Hash: hashOf(query) } });
const codes = (reply: Reply): string[] => codesOf(reply) ?? [];

/** Apollo Client 4: `extensions` contains `clientLibrary`. */
const withApolloClient: Send = async (document, variables, headers) => {
  const link = new HttpLink({ uri: `${app.url}/graphql`, headers });
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  try {
    const { error } = await client.mutate({ mutation: gql(document), variables, errorPolicy: 'all' });
    return codesOfErrors(error);
  } finally {
    client.stop();
  }
};

const withUrql: Send = async (document, variables, headers) => {
  const client = new Client({
    url: `${app.url}/graphql`,
    preferGetMethod: false,
    fetchOptions: { headers },
    // An operation of urql can have extensions, such as those of its exchange for persisted queries.
    exchanges: [
      mapExchange({ onOperation: (operation) => ({ ...operation, extensions: { trace: 'urql' } }) }),
      fetchExchange,
    ],
  });
  const { error } = await client.mutation(document, variables).toPromise();
  return codesOfErrors(error && { errors: error.graphQLErrors });
};

const posting =
  (bodyOf: (query: string, variables: object) => object): Send =>
  async (query, variables, headers) =>
    codes(await postGraphQL(app.url, bodyOf(query, variables), headers));

const inMultipart: Send = async (query, variables, headers) => {
  const operations = JSON.stringify({ query, variables, extensions: { clientLibrary: { name: 'upload' } } });
  const { body, headers: type } = multipart([
    { name: 'operations', body: operations },
    { name: 'map', body: '{}' },
  ]);
  const init = { method: 'POST', headers: { ...headers, ...type }, body: new Uint8Array(body) };
  return codes(await fetchGraphQL(app.url, init));
};

const SHAPES: Record<string, Send> = {
  'Apollo Client 4': withApolloClient,
  urql: withUrql,
  // Relay leaves the request to the application; this is the body of its documentation, and of its compiler with persisted documents.
  Relay: posting((query, variables) => ({ id: null, cacheID: 'c', name: 'Create', query, variables, doc_id: null })),
  'extensions of any kind': posting((query, variables) => ({ query, variables, extensions: { a: [1, { b: null }] } })),
  'empty extensions': posting((query, variables) => ({ query, variables, extensions: {} })),
  'extensions: null': posting((query, variables) => ({ query, variables, extensions: null })),
  'a persisted query with its document': posting((query, variables) => ({
    query,
    variables,
    extensions: persisted(query),
  })),
  'a persisted query of a known document, with other extensions': async (query, variables, headers) => {
    await postGraphQL(app.url, { query, variables: {} });
    const extensions = { ...persisted(query), clientLibrary: { name: '@apollo/client', version: '4.3.8' } };
    return codes(await postGraphQL(app.url, { variables, extensions }, headers));
  },
  'one of several operations': posting((query, variables) => ({
    query: `${query} query Other { __typename }`,
    operationName: query.includes('Create') ? 'Create' : 'Delete',
    variables,
    extensions: { clientLibrary: {} },
  })),
  'unknown parameters': posting((query, variables) => ({ query, variables, operationName: null, operationKind: 'm' })),
  multipart: inMultipart,
};

describe('The headers of a mutation', () => {
  let member: BuiltMember;
  let count = 0;
  before(async () => {
    member = await buildMember(app.url);
  });

  for (const [shape, send] of Object.entries(SHAPES)) {
    it(`apply to ${shape}: one change for a retry, none for an outdated revision`, async () => {
      const authorization = { Authorization: `Bearer ${member.token}` };
      const keyed = { ...authorization, 'Idempotency-Key': `shape-${count}` };
      const name = `Shape ${count++}`;
      expect(await send(CREATE, { name }, keyed)).to.deep.equal([]);
      // Without the key, the name would be taken.
      expect(await send(CREATE, { name }, keyed)).to.deep.equal([]);
      expect(await send(CREATE, { name }, authorization)).to.deep.equal(['CATEGORY_NAME_TAKEN']);
      const { id } = await buildArticle(app.url, {}, member);
      const outdated = { ...authorization, 'If-Match': 'W/"7.x"' };
      expect(await send(DELETE, { id: String(id) }, outdated)).to.deep.equal(['PRECONDITION_FAILED']);
      expect(await send(DELETE, { id: String(id) }, { ...authorization, 'If-Match': 'W/"1.x"' })).to.deep.equal([]);
    });
  }

  it('are not ignored with parameters of another type: the request is rejected, and nothing is executed', async () => {
    const headers = { Authorization: `Bearer ${member.token}`, 'Idempotency-Key': 'malformed' };
    const variables = { name: 'Malformed' };
    for (const [parameters, expected] of [
      [{ extensions: 5 }, 'The parameter extensions must be a JSON object, got 5.'],
      [{ extensions: [] }, 'The parameter extensions must be a JSON object, got [].'],
      [{ extensions: '{}' }, 'The parameter extensions must be a JSON object, got "{}".'],
      [{ variables: 'x' }, 'The parameter variables must be a JSON object, got "x".'],
      [{ operationName: ['Create'] }, 'The parameter operationName must be a string, got ["Create"].'],
      [
        { extensions: { persistedQuery: { version: 2, sha256Hash: 'x' } } },
        'The extension persistedQuery must have version 1 and a sha256Hash (a string), got {"version":2,"sha256Hash":"x"}.',
      ],
      [
        { extensions: { persistedQuery: true } },
        'The extension persistedQuery must have version 1 and a sha256Hash (a string), got true.',
      ],
    ] as const) {
      const reply = await postGraphQL(app.url, { query: CREATE, variables, ...parameters }, headers);
      expect([reply.status, codesOf(reply), reply.json.errors[0].message]).to.deep.equal([
        400,
        ['BAD_REQUEST'],
        expected,
      ]);
    }
    const unknown = { variables, extensions: { ...persisted('mutation { logout }'), other: 1 } };
    expect(codesOf(await postGraphQL(app.url, unknown, headers))).to.deep.equal(['PERSISTED_QUERY_NOT_FOUND']);
    expect(codesOf(await postGraphQL(app.url, { id: 'x', variables }, headers))).to.deep.equal(['BAD_REQUEST']);
    expect(codesOf(await postGraphQL(app.url, { query: CREATE, variables }, headers))).to.equal(undefined);
  });

  it('do not change the rules for GET: unknown extensions are accepted, repeated parameters and other types are not', async () => {
    const get = (parameters: [string, string][], headers = {}) =>
      fetchGraphQL(app.url, { headers }, `?${new URLSearchParams(parameters)}`);
    const query: [string, string] = ['query', '{ tags { contents { name } } }'];
    const plain = await get([query, ['extensions', '{"clientLibrary":{"name":"@apollo/client"}}']]);
    expect([plain.status, plain.json.errors]).to.deep.equal([200, undefined]);
    const tag = { 'If-None-Match': plain.headers.get('ETag') ?? '' };
    expect((await get([query, ['extensions', '{"other":1}']], tag)).status).to.equal(304);
    for (const [name, value] of [
      ['extensions', 'x'],
      ['extensions', '[]'],
      ['extensions', 'null'],
      ['variables', 'null'],
      ['query', '{ __typename }'],
    ] as const) {
      expect((await get([query, [name, value]])).status, `${name}=${value}`).to.equal(400);
    }
    expect((await get([query], { 'Content-Type': 'text/plain' })).status).to.equal(415);
    expect((await get([query], { 'Content-Type': 'application/json; charset=utf-8' })).status).to.equal(200);
    const mutation = await get(
      [
        ['query', CREATE],
        ['extensions', '{"a":1}'],
      ],
      { 'Idempotency-Key': 'get' },
    );
    expect(mutation.status).to.equal(405);
  });
});

function codesOfErrors(error: unknown): string[] {
  const { errors = [] } = (error ?? {}) as { errors?: readonly { extensions?: { code?: string } }[] };
  return error === undefined ? [] : errors.map(({ extensions }) => String(extensions?.code));
}
