/** Automatic persisted queries: Apollo's protocol, in which clients send the SHA-256 hash of a document in place of it. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { useApp } from '../support/app.js';

const QUERY = 'query Titles($size: Int) { articles(size: $size) { contents { title } pagination { pageSize } } }';

describe('A persisted query', () => {
  const app = useApp();

  const extensionsOf = (query: string, hash = sha256(query)) => ({ persistedQuery: { version: 1, sha256Hash: hash } });
  const get = (parameters: Record<string, unknown>, headers = {}) => {
    const texts = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) texts.set(name, JSON.stringify(value));
    return fetch(`${app.url}/graphql?${texts}`, { headers });
  };
  const post = (body: object) =>
    fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('is not found until the client has sent the document, and is then served over GET with an ETag', async () => {
    const variables = { size: 3 };
    const extensions = extensionsOf(QUERY);
    const unknown = await get({ extensions, variables });
    expect([unknown.status, unknown.headers.get('Cache-Control')]).to.deep.equal([
      200,
      'private, no-cache, must-revalidate',
    ]);
    expect(await unknown.json()).to.deep.equal({
      errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    });
    const sent = await post({ query: QUERY, variables, extensions });
    const known = await get({ extensions, variables });
    expect(await known.json()).to.deep.equal(await sent.json());
    const tag = known.headers.get('ETag') ?? '';
    for (const tags of [tag, '*']) {
      const unchanged = await get({ extensions, variables }, { 'If-None-Match': tags });
      expect([unchanged.status, await unchanged.text()], tags).to.deep.equal([304, '']);
      for (const header of ['ETag', 'Vary', 'Cache-Control', 'Content-Language'])
        expect(unchanged.headers.get(header), header).to.equal(known.headers.get(header));
    }
    const failed = await get({ extensions, variables: { size: 101 } }, { 'If-None-Match': '*' });
    expect([failed.status, await failed.text()].join(' ')).to.match(/^(?:200|400) .*VALIDATION_FAILED/);
    expect(await (await post({ extensions, variables: { size: 4 } })).text()).to.include('"pageSize":4');
  });

  it('is rejected if the hash is not that of the document', async () => {
    const response = await post({ query: QUERY, extensions: extensionsOf(QUERY, sha256('{ me { id } }')) });
    const message = 'The hash of the persisted query is not that of the document.';
    expect([response.status, await response.json()]).to.deep.equal([
      400,
      { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] },
    ]);
  });

  it('is validated like other documents', async () => {
    const query = '{ nothing }';
    const [plain, persisted] = [await post({ query }), await post({ query, extensions: extensionsOf(query) })];
    expect(await persisted.json()).to.deep.equal(await plain.json());
    expect(await (await post({ extensions: extensionsOf(query) })).text()).to.include('PersistedQueryNotFound');
  });
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
