/** Passkeys: registration and login with a software authenticator, with valid, forged, replayed and malformed responses. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { deleteExpiredChallenges } from '../../../src/jobs/cleanup.js';
import { LOCK_ACCOUNT } from '../../../src/models/member/administration.js';
import { issueChallenge, LOGIN, registrationIn } from '../../../src/services/auth/passkeys/challenge.js';
import { useApp } from '../../support/app.js';
import {
  type Algorithm,
  Authenticator,
  attestationObject,
  cbor,
  FLAGS,
  type Forged,
} from '../../support/authenticator.js';
import { type BuiltMember, buildMember, useMember } from '../../support/build.js';
import { call, expectStatus, fieldErrors, graphql } from '../../support/client.js';
import { buildRecipient, waitingMails } from '../../support/mails.js';
import {
  APIS,
  buildPasskey,
  logInWith,
  loginOptions,
  PASSKEY_SETTINGS,
  register,
  registrationOptions,
  SITE,
} from '../../support/passkeys.js';
import { ageLogins, removePassword, statusOf } from '../../support/session.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp({ ...PASSKEY_SETTINGS, LIMIT_LOGIN_PAIR: '100/15m' });
beforeEach(() => app.database.sequelize.query('truncate rate_limits'));

const NOBODY = { memberId: 0, credentialId: '', scopes: null, role: 'MEMBER' as const, suspension: null, expiresAt: 0 };
const VERIFIED = FLAGS.userPresent | FLAGS.userVerified;
const REJECTED =
  'This passkey was not accepted: it may have been removed, or the login took longer than five minutes. Start the login again.';

async function eventsOf({ token }: Pick<BuiltMember, 'token'>): Promise<[kind: string, provider: string | null][]> {
  const { body } = await call(app.url, 'GET /api/members/me/security-events?size=100', { token });
  return body?.data.contents.map(({ kind, provider }: { kind: string; provider: string }) => [kind, provider]);
}

async function storedOf(id: number) {
  const [[row]] = await app.database.sequelize.query(`select * from passkeys where id = ${id}`);
  return row as Record<string, unknown>;
}

async function usedChallenges(): Promise<number> {
  const [[row]] = await app.database.sequelize.query('select count(*)::int as count from used_challenges');
  return (row as { count: number }).count;
}

describe('A login with a passkey', () => {
  const member = useMember(app);

  for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as Algorithm[]) {
    it(`returns the tokens of the member, over both APIs: ${algorithm}`, async () => {
      const { authenticator, id } = await buildPasskey(app.url, member, new Authenticator(SITE, algorithm));
      const response = await logInWith(app.url, authenticator.assert(await loginOptions(app.url)));
      expect(response.status, JSON.stringify(response.body)).to.equal(200);
      const { accessToken } = response.body?.data ?? {};
      const me = await call(app.url, 'GET /api/members/me', { token: accessToken });
      expect(me.body?.data.id).to.equal(member.id);
      expect((await APIS.GraphQL.logIn(app.url, authenticator.assert(await loginOptions(app.url)))).code).to.equal('1');
      expect(Date.now() - Number((await storedOf(id)).last_used_at)).to.be.below(60_000);
    });
  }

  it('opens a session and records a LOGIN, as with a password', async () => {
    const own = await buildMember(app.url);
    const { authenticator } = await buildPasskey(app.url, own);
    const { body } = await logInWith(app.url, authenticator.assert(await loginOptions(app.url)));
    const token = body?.data.accessToken;
    const sessions = await call(app.url, 'GET /api/members/me/sessions', { token });
    expect(sessions.body?.data.contents).to.have.lengthOf(2);
    expect(sessions.body?.data.contents[0].current).to.equal(true);
    expect((await eventsOf({ token })).slice(0, 2)).to.deep.equal([
      ['LOGIN', 'PASSKEY'],
      ['PASSKEY_ADDED', null],
    ]);
    const refreshed = await call(app.url, 'POST /api/auth/refresh', {
      json: { refreshToken: body?.data.refreshToken },
    });
    expect(refreshed.status).to.equal(200);
  });

  it('is possible from each origin of WEBAUTHN_ORIGINS', async () => {
    const { authenticator } = await buildPasskey(app.url, member);
    for (const origin of ['https://example.org', `android:apk-key-hash:${'a'.repeat(43)}`]) {
      const credential = authenticator.assert(await loginOptions(app.url), { clientData: { origin } });
      expect((await logInWith(app.url, credential)).status, origin).to.equal(200);
    }
  });

  it('is 401 INVALID_CREDENTIALS with the same message for every cause, over both APIs', async () => {
    const { authenticator } = await buildPasskey(app.url, member);
    const other = await buildPasskey(app.url, await buildMember(app.url));
    const options = await loginOptions(app.url);
    const forgeries: Record<string, Forged> = {
      'another origin': { clientData: { origin: 'https://evil.example.org' } },
      'http in place of https': { clientData: { origin: 'http://journal.example.org' } },
      'an iframe of another origin': { clientData: { crossOrigin: true } },
      'an iframe in another page': { clientData: { crossOrigin: true, topOrigin: SITE.origin } },
      'another type': { clientData: { type: 'webauthn.create' } },
      'an unknown challenge': { clientData: { challenge: randomBytes(72).toString('base64url') } },
      'a challenge of another type': { clientData: { challenge: 7 } },
      'another RP ID': { rpId: 'journal.example.org' },
      'no user verification': { flags: FLAGS.userPresent },
      'no user presence': { flags: FLAGS.userVerified },
      'a backup without eligibility': { flags: VERIFIED | FLAGS.backedUp },
      'missing extensions': { flags: VERIFIED | FLAGS.extensions },
      'another key': { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey },
      'the user handle of another member': { userHandle: other.authenticator.userHandle },
    };
    const valid = authenticator.assert(options);
    const credentials: Record<string, unknown> = {
      ...Object.fromEntries(
        Object.entries(forgeries).map(([name, forged]) => [name, authenticator.assert(options, forged)]),
      ),
      'an unknown credential': new Authenticator(SITE).assert(options, { userHandle: authenticator.userHandle }),
      'the credential of another member': { ...valid, id: other.authenticator.credentialId.toString('base64url') },
      'an ID that differs from rawId': { ...valid, rawId: other.authenticator.credentialId.toString('base64url') },
      'a tampered signature': {
        ...valid,
        response: { ...valid.response, signature: `AA${valid.response.signature.slice(2)}` },
      },
      'a signature of another length': { ...valid, response: { ...valid.response, signature: 'AQID' } },
      'malformed authenticator data': { ...valid, response: { ...valid.response, authenticatorData: 'AQID' } },
      'malformed client data': { ...valid, response: { ...valid.response, clientDataJSON: 'AQID' } },
      'client data of the largest size': {
        ...valid,
        response: { ...valid.response, clientDataJSON: 'A'.repeat(5462) },
      },
      'authenticator data of the largest size': {
        ...valid,
        response: { ...valid.response, authenticatorData: Buffer.alloc(4096, 0xff).toString('base64url') },
      },
    };
    for (const [api, { logIn }] of Object.entries(APIS)) {
      for (const [name, credential] of Object.entries(credentials)) {
        const { code, message } = await logIn(app.url, credential);
        expect([code, message], `${api}: ${name}`).to.deep.equal(['INVALID_CREDENTIALS', REJECTED]);
      }
    }
    expect((await logInWith(app.url, valid)).status, 'the challenge is still valid').to.equal(200);
    const kinds = (await eventsOf(member)).filter(([kind]) => kind === 'LOGIN_FAILED');
    expect(kinds.length).to.be.above(20);
    expect(kinds[0]).to.deep.equal(['LOGIN_FAILED', 'PASSKEY']);
  });

  it('uses up its challenge: of 50 parallel logins one succeeds, and a replay is 401', async () => {
    const { authenticator } = await buildPasskey(app.url, member);
    const credential = authenticator.assert(await loginOptions(app.url));
    const responses = await Promise.all(Array.from({ length: 50 }, () => logInWith(app.url, credential)));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).to.have.lengthOf(1);
    expect(statuses.filter((status) => status === 401)).to.have.lengthOf(49);
    await expectStatus(logInWith(app.url, credential), 401, 'INVALID_CREDENTIALS');
  });

  it('is 401 with a challenge that has expired, or was issued for a registration', async () => {
    const { authenticator } = await buildPasskey(app.url, member);
    const issued = (ageMs: number, purpose = LOGIN) => {
      const database = { ...app.database, now: () => app.database.now() - ageMs };
      return { challenge: issueChallenge({ ...app.services, database }, purpose) };
    };
    const { challenge } = await registrationOptions(app.url, member);
    const registration = registrationIn({ ...NOBODY, memberId: member.id });
    for (const wrong of [issued(300_001), issued(0, registration), { challenge }]) {
      await expectStatus(logInWith(app.url, authenticator.assert(wrong)), 401, 'INVALID_CREDENTIALS');
    }
    await expectStatus(logInWith(app.url, authenticator.assert(issued(290_000))), 200, '1');
  });

  it('stores nothing when options are requested, and a challenge only until it has expired', async () => {
    const { authenticator } = await buildPasskey(app.url, member);
    const before = await usedChallenges();
    const challenges = await Promise.all(Array.from({ length: 20 }, () => loginOptions(app.url)));
    expect(new Set(challenges.map(({ challenge }) => challenge)).size).to.equal(20);
    await logInWith(app.url, authenticator.assert(challenges[0], { rpId: 'other.example' }));
    expect(await usedChallenges()).to.equal(before);
    await logInWith(app.url, authenticator.assert(challenges[0]));
    expect(await usedChallenges()).to.equal(before + 1);
    await deleteExpiredChallenges(null, app.services);
    expect(await usedChallenges()).to.equal(before + 1);
    await app.database.sequelize.query("update used_challenges set expires_at = now() - interval '61 minutes'");
    await deleteExpiredChallenges(null, app.services);
    expect(await usedChallenges()).to.equal(0);
  });

  it('requires a higher counter, unless the authenticator has none, and records a lower one', async () => {
    const own = await buildMember(app.url);
    const { authenticator, id } = await buildPasskey(app.url, own);
    const logInAt = async (counter: number) =>
      (await logInWith(app.url, authenticator.assert(await loginOptions(app.url), { counter }))).status;
    const statuses = [];
    for (const counter of [0, 0, 5, 5, 4, 0, 6, 4_294_967_295]) statuses.push(await logInAt(counter));
    expect(statuses).to.deep.equal([200, 200, 200, 401, 401, 401, 200, 200]);
    expect((await storedOf(id)).counter).to.equal(4_294_967_295);
    const rejected = (await eventsOf(own)).filter(([kind]) => kind === 'PASSKEY_REFUSED');
    expect(rejected).to.deep.equal(Array.from({ length: 3 }, () => ['PASSKEY_REFUSED', 'PASSKEY']));
  });

  it('succeeds once for parallel logins with the same counter', async () => {
    const { authenticator } = await buildPasskey(app.url, member);
    const options = await Promise.all(Array.from({ length: 5 }, () => loginOptions(app.url)));
    const responses = await Promise.all(
      options.map((one) => logInWith(app.url, authenticator.assert(one, { counter: 1 }))),
    );
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([200, 401, 401, 401, 401]);
  });

  it('updates the backup state, and is 401 if the backup eligibility changes', async () => {
    const own = await buildMember(app.url);
    const authenticator = new Authenticator(SITE);
    authenticator.flags = VERIFIED | FLAGS.backupEligible;
    const { id } = await buildPasskey(app.url, own, authenticator);
    const logInAs = async (flags: number) =>
      (await logInWith(app.url, authenticator.assert(await loginOptions(app.url), { flags }))).status;
    expect((await storedOf(id)).is_backed_up).to.equal(false);
    expect(await logInAs(VERIFIED | FLAGS.backupEligible | FLAGS.backedUp)).to.equal(200);
    expect((await storedOf(id)).is_backed_up).to.equal(true);
    expect(await logInAs(VERIFIED)).to.equal(401);
    expect((await eventsOf(own))[0]).to.deep.equal(['PASSKEY_REFUSED', 'PASSKEY']);
    expect(await logInAs(VERIFIED | FLAGS.backupEligible)).to.equal(200);
    expect((await storedOf(id)).is_backed_up).to.equal(false);
  });

  it('is 403 ACCOUNT_LOCKED for a locked member, but only after a valid assertion', async () => {
    const own = await buildMember(app.url);
    const { authenticator } = await buildPasskey(app.url, own);
    await app.database.query(LOCK_ACCOUNT, [own.id]);
    const invalid = authenticator.assert(await loginOptions(app.url), { rpId: 'other.example' });
    await expectStatus(logInWith(app.url, invalid), 401, 'INVALID_CREDENTIALS');
    await expectStatus(logInWith(app.url, authenticator.assert(await loginOptions(app.url))), 403, 'ACCOUNT_LOCKED');
  });

  it('is 400 for what is not a credential, with the part that is wrong', async () => {
    const { authenticator } = await buildPasskey(app.url, member);
    const valid = authenticator.assert(await loginOptions(app.url));
    const respond = (part: object) => ({ ...valid, response: { ...valid.response, ...part } });
    const cases: [unknown, string][] = [
      [7, 'credential: must be the result of PublicKeyCredential.toJSON(), got 7'],
      [[], 'credential: must be the result of PublicKeyCredential.toJSON(), got []'],
      [{ ...valid, type: 'password' }, 'credential: must be the result of PublicKeyCredential.toJSON(), got {'],
      [
        { ...valid, id: 'a+b=' },
        'credential: must have in id 1 to 1023 bytes in base64url without padding, got "a+b="',
      ],
      [{ ...valid, id: 'A'.repeat(1365) }, 'credential: must have in id 1 to 1023 bytes'],
      [respond({ signature: 'A'.repeat(10_000) }), 'credential: must have in response.signature 1 to 1024 bytes'],
      [respond({ clientDataJSON: 'A'.repeat(5463) }), 'credential: must have in response.clientDataJSON 1 to 4096'],
      [
        respond({ userHandle: null }),
        'credential: must have in response.userHandle 1 to 64 bytes in base64url without padding, got null',
      ],
      [JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`), 'credential: must be the result of'],
    ];
    for (const [credential, expected] of cases) {
      const response = await expectStatus(logInWith(app.url, credential), 400, 'VALIDATION_FAILED', expected);
      expect(fieldErrors(response)[0]).to.match(new RegExp(`^${expected.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`));
      const { code } = await APIS.GraphQL.logIn(app.url, credential);
      expect(code, expected).to.be.oneOf(['VALIDATION_FAILED', 'QUERY_TOO_COMPLEX']);
    }
    await expectStatus(logInWith(app.url, respond({ signature: 'A'.repeat(900_000) })), 413, 'PAYLOAD_TOO_LARGE');
    expect(fieldErrors(await logInWith(app.url, undefined))).to.deep.equal(['credential: is required']);
    expect((await logInWith(app.url, { ...valid, future: { deep: [1] } })).status, 'unknown parts').to.equal(200);
  });

  it('ignores the Idempotency-Key, and its responses are not compressed', async () => {
    const { authenticator } = await buildPasskey(app.url, member);
    const credential = authenticator.assert(await loginOptions(app.url));
    const headers = { 'Idempotency-Key': 'once', 'Accept-Encoding': 'br, gzip' };
    const send = () => call(app.url, 'POST /api/auth/passkeys/login', { json: { credential }, headers });
    const first = await send();
    expect([first.status, first.headers.get('content-encoding')]).to.deep.equal([200, null]);
    expect(first.headers.get('cache-control')).to.equal('no-store');
    expect((await send()).status).to.equal(401);
  });

  it('ignores an invalid access token', async () => {
    const { authenticator } = await buildPasskey(app.url, member);
    const { body } = await call(app.url, 'POST /api/auth/passkeys/options', { token: 'expired' });
    const json = { credential: authenticator.assert(body?.data) };
    await expectStatus(call(app.url, 'POST /api/auth/passkeys/login', { token: 'expired', json }), 200, '1');
  });

  it('takes the same statements for a known and an unknown credential', async () => {
    const { authenticator } = await buildPasskey(app.url, member);
    const statementsOf = async (credential: unknown) => statementsDuring(() => logInWith(app.url, credential));
    const options = await loginOptions(app.url);
    const known = await statementsOf(authenticator.assert(options, { rpId: 'other.example' }));
    expect(await statementsOf(new Authenticator(SITE).assert(options, { userHandle: 'AA' }))).to.deep.equal(known);
    expect(await statementsOf(authenticator.assert(options))).to.have.lengthOf(11);
  });
});

describe('The registration of a passkey', () => {
  const member = useMember(app);

  it('has options with a random user handle, excluded credentials and required verification', async () => {
    const own = await buildMember(app.url);
    const { authenticator } = await buildPasskey(app.url, own);
    const options = await registrationOptions(app.url, own);
    const { challenge, user, ...rest } = options;
    expect(Buffer.from(challenge, 'base64url').length).to.be.at.least(16);
    expect(Buffer.from(user.id, 'base64url')).to.have.lengthOf(16);
    expect(user.id).to.equal(authenticator.userHandle);
    expect(user).to.include({ name: own.email, displayName: own.nickname });
    expect(rest).to.deep.equal({
      rp: { id: 'example.org', name: 'Daybook' },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 300_000,
      excludeCredentials: [
        {
          type: 'public-key',
          id: authenticator.credentialId.toString('base64url'),
          transports: ['hybrid', 'internal'],
        },
      ],
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    });
    const fresh = await buildMember(app.url);
    const first = await Promise.all(Array.from({ length: 5 }, () => registrationOptions(app.url, fresh)));
    expect(new Set(first.map((one) => one.user.id)).size, 'parallel requests').to.equal(1);
    const login = await loginOptions(app.url);
    expect({ ...login, challenge: '' }).to.deep.equal({
      challenge: '',
      timeout: 300_000,
      rpId: 'example.org',
      userVerification: 'required',
    });
  });

  it('is 400 with the reason for every wrong response, over both APIs', async () => {
    const other = await buildMember(app.url);
    const taken = await buildPasskey(app.url, other);
    const options = await registrationOptions(app.url, member);
    const authenticator = new Authenticator(SITE);
    const create = (forged: Parameters<Authenticator['register']>[1], given = options) =>
      authenticator.register(given, forged);
    const deep = () => Buffer.alloc(12_000, 0x81);
    const expired = {
      ...options,
      challenge: issueChallenge(
        { ...app.services, database: { ...app.database, now: () => app.database.now() - 300_001 } },
        registrationIn({ ...NOBODY, memberId: member.id, credentialId: 'x' }),
      ),
    };
    const UNVERIFIABLE = /^cannot be verified: expected user verification, the RP ID example.org/;
    const NO_CHALLENGE = /^has a challenge that is not valid/;
    const ORIGIN =
      /^must be from https:\/\/journal\.example\.org or https:\/\/example\.org or android:\S+ \(WEBAUTHN_ORIGINS\)/;
    const ATTESTATION = /^must have no attestation, or self attestation/;
    const cases: [string, unknown, RegExp][] = [
      ['another origin', create({ clientData: { origin: 'https://evil.example' } }), ORIGIN],
      ['an iframe', create({ clientData: { crossOrigin: true } }), ORIGIN],
      ['another type', create({ clientData: { type: 'webauthn.get' } }), UNVERIFIABLE],
      ['another RP ID', create({ rpId: 'evil.example' }), UNVERIFIABLE],
      ['no user verification', create({ flags: FLAGS.userPresent }), UNVERIFIABLE],
      ['a backup without eligibility', create({ flags: VERIFIED | FLAGS.backedUp }), UNVERIFIABLE],
      [
        'an unknown algorithm',
        create({
          publicKey: cbor(
            new Map([
              [1, 2],
              [3, -47],
            ]),
          ),
        }),
        UNVERIFIABLE,
      ],
      [
        'a huge key',
        create({
          publicKey: cbor(
            new Map<number, unknown>([
              [1, 3],
              [3, -257],
              [-1, Buffer.alloc(2000, 1)],
              [-2, Buffer.from([1, 0, 1])],
            ]),
          ),
        }),
        UNVERIFIABLE,
      ],
      ['malformed CBOR', create({ attestationObject: () => Buffer.from('ff00', 'hex') }), ATTESTATION],
      ['deeply nested CBOR', create({ attestationObject: deep }), ATTESTATION],
      ['deeply nested CBOR in the key', create({ publicKey: deep() }), UNVERIFIABLE],
      [
        'truncated authenticator data',
        create({ attestationObject: (data) => attestationObject(data.subarray(0, 60)) }),
        UNVERIFIABLE,
      ],
      [
        'an attestation statement without a format',
        create({ attestationObject: (data) => attestationObject(data, 'none', new Map([['x', 1]])) }),
        UNVERIFIABLE,
      ],
      ['another format', create({ attestationObject: (data) => attestationObject(data, 'fido-u2f') }), ATTESTATION],
      [
        'an unknown challenge',
        create({ clientData: { challenge: randomBytes(72).toString('base64url') } }),
        NO_CHALLENGE,
      ],
      ['an expired challenge', create({}, expired), NO_CHALLENGE],
      ['the challenge of a login', create({}, { ...options, ...(await loginOptions(app.url)) }), NO_CHALLENGE],
      ['the challenge of another member', create({}, await registrationOptions(app.url, other)), NO_CHALLENGE],
      [
        'the credential of another member',
        create({ credentialId: taken.authenticator.credentialId }),
        /^is already registered/,
      ],
    ];
    for (const [api, over] of Object.entries(APIS)) {
      for (const [name, credential, expected] of cases) {
        const { code, errors } = await over.register(app.url, member, credential);
        const [{ field, message }] = errors as [{ field: string; message: string }];
        expect([code, field], `${api}: ${name}`).to.deep.equal(['VALIDATION_FAILED', 'credential']);
        expect(message, `${api}: ${name}`).to.match(expected);
      }
    }
    await expectStatus(register(app.url, member, create({})), 201, '1', 'the challenge is still valid');
    const again = await register(app.url, member, create({ credentialId: randomBytes(16) }));
    expect(fieldErrors(again)[0], 'the challenge has been used').to.match(
      /^credential: has a challenge that is not valid/,
    );
  });

  it('accepts self attestation, but no attestation with certificates, whose URLs would be requested', async () => {
    const self = new Authenticator(SITE);
    const packed = (authenticator: Authenticator, more: [string, unknown][]) => (data: Buffer, signed: Buffer) =>
      attestationObject(
        data,
        'packed',
        new Map<string, unknown>([['alg', -7], ['sig', authenticator.sign(signed)], ...more]),
      );
    const options = await registrationOptions(app.url, member);
    const withCertificate = self.register(options, { attestationObject: packed(self, [['x5c', [Buffer.from('x')]]]) });
    expect(fieldErrors(await register(app.url, member, withCertificate))[0]).to.match(/self attestation.*"packed"/);
    const forged = self.register(options, { attestationObject: packed(new Authenticator(SITE), []) });
    expect(fieldErrors(await register(app.url, member, forged))[0]).to.match(/cannot be verified/);
    await expectStatus(
      register(app.url, member, self.register(options, { attestationObject: packed(self, []) })),
      201,
      '1',
    );
  });

  it('requires proof: the password, or without one a login within the last ten minutes', async () => {
    const own = await buildMember(app.url);
    const options = await registrationOptions(app.url, own);
    const credential = new Authenticator(SITE).register(options);
    const send = (password?: string) =>
      register(app.url, { token: own.token, password: password as string }, credential);
    expect(fieldErrors(await send())).to.deep.equal(['password: is required: send your current password']);
    expect(fieldErrors(await send('wrong password'))).to.deep.equal(['password: is not your current password']);
    await ageLogins(app, own.id, 11);
    const requestOptions = () => call(app.url, 'POST /api/members/me/passkeys/options', { token: own.token });
    await expectStatus(requestOptions(), 200, '1', 'the options do not need the password');
    await removePassword(app, own.id);
    await expectStatus(send(), 403, 'PROOF_REQUIRED');
    await expectStatus(requestOptions(), 403, 'PROOF_REQUIRED', 'already the options');
  });

  it('is possible 20 times for a member, also in parallel', async () => {
    const own = await buildMember(app.url);
    await app.database.sequelize.query(`insert into passkeys
      (member_id, name, credential_id, public_key, counter, transports, is_backup_eligible, is_backed_up)
      select ${own.id}, 'x', decode(md5('full' || n), 'hex'), 'x', 0, '{}', false, false from generate_series(1, 18) n`);
    const options = await Promise.all(Array.from({ length: 5 }, () => registrationOptions(app.url, own)));
    const responses = await Promise.all(
      options.map((one) => register(app.url, own, new Authenticator(SITE).register(one))),
    );
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([201, 201, 400, 400, 400]);
    const rejected = await expectStatus(
      call(app.url, 'POST /api/members/me/passkeys/options', { token: own.token }),
      400,
      'VALIDATION_FAILED',
    );
    expect(rejected.body?.message).to.equal('A member can have at most 20 passkeys: remove one first.');
  });

  it('is repeated with an Idempotency-Key', async () => {
    const credential = new Authenticator(SITE).register(await registrationOptions(app.url, member));
    const headers = { 'Idempotency-Key': 'registration' };
    const json = { name: 'Laptop', credential, password: member.password };
    const send = () => call(app.url, 'POST /api/members/me/passkeys', { token: member.token, json, headers });
    const first = await expectStatus(send(), 201, '1');
    const second = await expectStatus(send(), 201, '1');
    expect(second.headers.get('idempotency-replayed')).to.equal('true');
    expect(second.body).to.deep.equal(first.body);
  });
});

describe('The last login method', () => {
  const remove = (token: string, id: number, password?: string) =>
    call(app.url, `DELETE /api/members/me/passkeys/${id}`, { token, json: { password } });

  async function buildWithoutPassword() {
    const member = await buildMember(app.url);
    const { id, authenticator } = await buildPasskey(app.url, member);
    await removePassword(app, member.id);
    return { ...member, passkeyId: id, authenticator };
  }

  const link = (memberId: number) =>
    app.database.sequelize.query(
      `insert into social_links (member_id, provider, subject) values (${memberId}, 'GOOGLE', 'subject ${memberId}')`,
    );

  it('cannot be a removed passkey, or an unlinked social account', async () => {
    const { token, id, passkeyId } = await buildWithoutPassword();
    await expectStatus(remove(token, passkeyId), 409, 'LAST_LOGIN_METHOD');
    await link(id);
    await expectStatus(remove(token, passkeyId), 200, '1');
    await expectStatus(
      call(app.url, 'DELETE /api/members/me/social-accounts/GOOGLE', { token }),
      409,
      'LAST_LOGIN_METHOD',
    );
  });

  it('can be a passkey after a social account was unlinked, and proves later changes', async () => {
    const { token, id, passkeyId, authenticator } = await buildWithoutPassword();
    await link(id);
    await expectStatus(call(app.url, 'DELETE /api/members/me/social-accounts/GOOGLE', { token }), 200, '1');
    await ageLogins(app, id, 11);
    await expectStatus(remove(token, passkeyId), 403, 'PROOF_REQUIRED');
    const { body } = await logInWith(app.url, authenticator.assert(await loginOptions(app.url)));
    await expectStatus(remove(body?.data.accessToken, passkeyId), 409, 'LAST_LOGIN_METHOD');
  });

  it('remains when the last two are removed in parallel', async () => {
    for (let round = 0; round < 5; round++) {
      const { token, id, passkeyId } = await buildWithoutPassword();
      await link(id);
      const responses = await Promise.all([
        remove(token, passkeyId),
        call(app.url, 'DELETE /api/members/me/social-accounts/GOOGLE', { token }),
      ]);
      expect(responses.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    }
  });

  it('can be a password', async () => {
    const member = await buildMember(app.url);
    const { id, authenticator } = await buildPasskey(app.url, member);
    await expectStatus(remove(member.token, id, member.password), 200, '1');
    expect(await statusOf(app.url, member.token), 'sessions continue').to.equal(200);
    await expectStatus(
      logInWith(app.url, authenticator.assert(await loginOptions(app.url))),
      401,
      'INVALID_CREDENTIALS',
    );
  });
});

describe('Changes of passkeys', () => {
  const mailing = useApp({
    ...PASSKEY_SETTINGS,
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'no-reply@daybook.example',
  });

  it('are reported to the member by email', async () => {
    const member = await buildRecipient(mailing);
    const { id } = await buildPasskey(mailing.url, member);
    const path = `/api/members/me/passkeys/${id}`;
    const { token, password } = member;
    await expectStatus(call(mailing.url, `PATCH ${path}`, { token, json: { name: 'Key' } }), 200, '1');
    await expectStatus(call(mailing.url, `DELETE ${path}`, { token, json: { password } }), 200, '1');
    const templates = (await waitingMails(mailing)).map(({ template }) => template);
    expect(templates).to.deep.equal(['passkeyAdded', 'passkeyRemoved']);
  });
});

describe('The limits of passkeys', () => {
  const limited = useApp({ ...PASSKEY_SETTINGS, LIMIT_LOGIN_PAIR: '3/15m', LIMIT_PASSKEY_OPTIONS: '6/15m' });

  it('count failed logins apart from those by password, in both directions, and options by network', async () => {
    const member = await buildMember(limited.url);
    const { authenticator } = await buildPasskey(limited.url, member);
    const options = await loginOptions(limited.url);
    const { email, password } = member;
    const login = (given: string) => call(limited.url, 'POST /api/auth/login', { json: { email, password: given } });
    for (let count = 0; count < 3; count++) expect((await login('a wrong password')).status).to.equal(401);
    await expectStatus(login(password), 429, 'RATE_LIMITED');
    await expectStatus(logInWith(limited.url, authenticator.assert(options)), 200, '1');
    const other = await buildMember(limited.url);
    const { authenticator: second } = await buildPasskey(limited.url, other);
    const next = await loginOptions(limited.url);
    const failed = second.assert(next, { rpId: 'other.example' });
    for (let count = 0; count < 3; count++) expect((await logInWith(limited.url, failed)).status).to.equal(401);
    const rejected = await expectStatus(logInWith(limited.url, second.assert(next)), 429, 'RATE_LIMITED');
    expect(Number(rejected.headers.get('retry-after'))).to.be.above(0);
    const json = { email: other.email, password: other.password };
    await expectStatus(call(limited.url, 'POST /api/auth/login', { json }), 200, '1');
    const statuses = [];
    for (let count = 0; count < 6; count++) {
      statuses.push((await call(limited.url, 'POST /api/auth/passkeys/options')).status);
    }
    expect(statuses).to.deep.equal([200, 200, 429, 429, 429, 429]);
    const aliases = '{ a: passkeyLoginOptions { challenge } b: passkeyLoginOptions { challenge } }';
    expect((await graphql(limited.url, aliases)).errors).to.have.lengthOf(2);
  });
});
