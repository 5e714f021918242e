/** Requests for every documented response of the passkey endpoints. */
import { randomUUID } from 'node:crypto';
import { LOCK_ACCOUNT } from '../../src/models/member/administration.js';
import { buildMember } from './build.js';
import { type Cast, invalidId, missingId, type RequestCases, requestsBy } from './documented-responses.js';
import { authenticatorFor, buildPasskey, loginOptions, registrationOptions } from './passkeys.js';
import { ageLogins, removePassword } from './session.js';

export function passkeyRequestCases(cast: Cast): RequestCases {
  const { json, token } = requestsBy(cast);
  const { app } = cast;
  const build = async (owner = cast.member()) => buildPasskey(app.url, owner, authenticatorFor(app.url));
  const own = async () => String((await build()).id);
  const loginBy = async (isLocked: boolean) => {
    const member = await buildMember(app.url);
    const { authenticator } = await build(member);
    if (isLocked) await app.database.query(LOCK_ACCOUNT, [member.id]);
    return { json: { credential: authenticator.assert(await loginOptions(app.url)) } };
  };
  const unproven = async () => {
    const { id, token } = await buildMember(app.url);
    await removePassword(app, id);
    await ageLogins(app, id, 11);
    return {
      token,
      json: { name: 'x', credential: authenticatorFor(app.url).register({ challenge: '', user: { id: 'AA' } }) },
    };
  };
  const registration = async () => {
    const { token, password } = cast.member();
    const credential = authenticatorFor(app.url).register(await registrationOptions(app.url, { token }));
    return { token, json: { name: 'x', credential, password } };
  };
  const proof = () => json({ password: cast.member().password })();
  const last = { id: '', token: '' };
  const onlyMethod = async () => {
    const member = await buildMember(app.url);
    Object.assign(last, { id: String((await build(member)).id), token: member.token });
    await removePassword(app, member.id);
    return last.id;
  };
  return {
    'POST /api/auth/passkeys/options': { 200: {} },
    'POST /api/auth/passkeys/login': {
      200: { options: () => loginBy(false) },
      VALIDATION_FAILED: { options: json({}) },
      INVALID_CREDENTIALS: {
        options: async () =>
          json({ credential: authenticatorFor(app.url).assert({ challenge: 'AA' }, { userHandle: 'AA' }) })(),
      },
      ACCOUNT_LOCKED: { options: () => loginBy(true) },
    },
    'GET /api/members/me/passkeys': { 200: { options: token } },
    'POST /api/members/me/passkeys/options': {
      200: { options: token },
      PROOF_REQUIRED: { options: async () => ({ token: (await unproven()).token }) },
    },
    'POST /api/members/me/passkeys': {
      201: { options: registration },
      VALIDATION_FAILED: { options: json({}) },
      PROOF_REQUIRED: { options: unproven },
      QUERY_TOO_COMPLEX: {
        options: () => ({
          ...json({ name: 'x', credential: { values: Array(10_001).fill('x') } })(),
          headers: { 'Idempotency-Key': randomUUID() },
        }),
      },
    },
    'PATCH /api/members/me/passkeys/{passkeyId}': {
      200: { path: own, options: json({ name: 'x' }) },
      VALIDATION_FAILED: { path: own, options: json({}) },
      PASSKEY_NOT_FOUND: { path: missingId, options: json({ name: 'x' }) },
    },
    'DELETE /api/members/me/passkeys/{passkeyId}': {
      200: { path: own, options: proof },
      VALIDATION_FAILED: { path: invalidId, options: proof },
      PROOF_REQUIRED: { path: () => '1', options: async () => ({ token: (await unproven()).token }) },
      PASSKEY_NOT_FOUND: { path: missingId, options: proof },
      LAST_LOGIN_METHOD: { path: onlyMethod, options: () => ({ token: last.token }) },
    },
  };
}
