/** The passkeys of the authenticated member. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { buildPasskey, logInWith, loginOptions, PASSKEY_SETTINGS } from '../../support/passkeys.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp(PASSKEY_SETTINGS);
const PASSKEYS = '/api/members/me/passkeys';

async function passkeysOf({ token }: BuiltMember) {
  return (await call(app.url, `GET ${PASSKEYS}`, { token })).body?.data.contents;
}

describe('GET /api/members/me/passkeys', () => {
  it('returns the passkeys of the member, oldest first, in two statements, as Query.passkeys does', async () => {
    const [member, other] = [await buildMember(app.url), await buildMember(app.url)];
    const first = await buildPasskey(app.url, member);
    const second = await buildPasskey(app.url, member);
    await buildPasskey(app.url, other);
    await logInWith(app.url, second.authenticator.assert(await loginOptions(app.url)));
    const statements = await statementsDuring(async () => {
      const listed = await passkeysOf(member);
      expect(listed.map(({ id }: { id: number }) => id)).to.deep.equal([first.id, second.id]);
      expect({ ...listed[0], createdAt: '' }).to.deep.equal({
        id: first.id,
        name: 'Phone',
        credentialId: first.authenticator.credentialId.toString('base64url'),
        transports: ['hybrid', 'internal'],
        backedUp: false,
        createdAt: '',
        lastUsedAt: null,
      });
      expect(listed[1].lastUsedAt).to.match(/^\d{4}-/);
    });
    expect(statements).to.have.lengthOf(2);
    const { data } = await graphql(app.url, '{ passkeys { id lastUsedAt } }', {}, member.token);
    expect(data.passkeys[0]).to.deep.equal({ id: String(first.id), lastUsedAt: null });
  });

  it('requires authentication, as the options of a registration and all changes do', async () => {
    for (const target of ['GET ', 'POST ', 'POST /options', 'PATCH /1', 'DELETE /1']) {
      const [method, path] = target.split(' ');
      await expectStatus(call(app.url, `${method} ${PASSKEYS}${path}`), 401, 'UNAUTHENTICATED', target);
    }
    const { data, errors } = await graphql(app.url, '{ passkeys { id } passkeyLoginOptions { rpId } }');
    expect(data).to.deep.equal({ passkeys: null, passkeyLoginOptions: { rpId: 'example.org' } });
    expect(errors?.[0]?.extensions.code).to.equal('UNAUTHENTICATED');
  });
});

describe('PATCH and DELETE /api/members/me/passkeys/{passkeyId}', () => {
  it('rename and remove a passkey, over both APIs, and are recorded', async () => {
    const member = await buildMember(app.url);
    const { token, password } = member;
    const { id } = await buildPasskey(app.url, member);
    const renamed = await call(app.url, `PATCH ${PASSKEYS}/${id}`, { token, json: { name: ' 집 열쇠 ' } });
    expect(renamed.body?.data).to.include({ id, name: '집 열쇠' });
    const rename = 'mutation ($id: ID!) { renamePasskey(id: $id, name: "Key") { name } }';
    expect((await graphql(app.url, rename, { id }, token)).data.renamePasskey).to.deep.equal({ name: 'Key' });
    const remove = 'mutation ($id: ID!, $password: String) { deletePasskey(id: $id, password: $password) { id } }';
    const removed = await graphql(app.url, remove, { id, password }, token);
    expect(removed.data.deletePasskey).to.deep.equal({ id: String(id) });
    const other = await buildPasskey(app.url, member);
    await expectStatus(call(app.url, `DELETE ${PASSKEYS}/${other.id}`, { token, json: { password } }), 200, '1');
    expect(await passkeysOf(member)).to.deep.equal([]);
    const { body } = await call(app.url, 'GET /api/members/me/security-events', { token });
    const kinds = body?.data.contents.map(({ kind }: { kind: string }) => kind);
    const added = 'PASSKEY_ADDED';
    const changes = ['PASSKEY_REMOVED', added, 'PASSKEY_REMOVED', 'PASSKEY_RENAMED', 'PASSKEY_RENAMED', added];
    expect(kinds.slice(0, 6)).to.deep.equal(changes);
  });

  it('return 404 for the passkey of another member, and for large IDs', async () => {
    const [member, other] = [await buildMember(app.url), await buildMember(app.url)];
    const { id: foreign } = await buildPasskey(app.url, other);
    const { token, password } = member;
    for (const id of [foreign, 999_999, '99999999999999999999']) {
      const path = `${PASSKEYS}/${id}`;
      await expectStatus(call(app.url, `PATCH ${path}`, { token, json: { name: 'x' } }), 404, 'PASSKEY_NOT_FOUND');
      await expectStatus(call(app.url, `DELETE ${path}`, { token, json: { password } }), 404, 'PASSKEY_NOT_FOUND');
    }
    expect(await passkeysOf(other)).to.have.lengthOf(1);
  });

  it('return 400 for an invalid name, and for a missing or wrong password', async () => {
    const member = await buildMember(app.url);
    const { token } = member;
    const { id } = await buildPasskey(app.url, member);
    const rename = (name: unknown) => call(app.url, `PATCH ${PASSKEYS}/${id}`, { token, json: { name } });
    expectFieldErrors(await rename('x'.repeat(31)), 'name: must be 1 to 30 characters long, got 31');
    expectFieldErrors(await rename(' '), 'name: must be 1 to 30 characters long, got 0');
    expectFieldErrors(await rename('a\nb'), 'name: must be one line without control characters');
    expectFieldErrors(await rename(7), 'name: must be a string, got 7');
    const remove = (json?: object) => call(app.url, `DELETE ${PASSKEYS}/${id}`, { token, json });
    expectFieldErrors(await remove(), 'password: is required: send your current password');
    expectFieldErrors(await remove({ password: 'wrong' }), 'password: is not your current password');
  });
});

describe('POST /api/auth/passkeys/options', () => {
  it('is not cached, and differs with every request, over both APIs', async () => {
    const { headers } = await call(app.url, 'POST /api/auth/passkeys/options');
    expect([headers.get('cache-control'), headers.get('etag')]).to.deep.equal(['no-store', null]);
    const url = `${app.url}/graphql?query=${encodeURIComponent('{ passkeyLoginOptions { challenge } }')}`;
    const responses = await Promise.all(Array.from({ length: 5 }, () => fetch(url)));
    expect(responses.map((response) => response.headers.get('cache-control'))).to.not.include(null);
    const texts = await Promise.all(responses.map((response) => response.text()));
    expect(new Set(texts).size).to.equal(5);
  });
});
