/** Login with passkeys, and the passkeys of the authenticated member, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { plainShape, shape } from '../engine/shape.js';
import { TIMES, TOKENS } from './shapes.js';

const CHALLENGE = 'q2Yb3XoWkq7aEw2Zk9f0l5S8uC1hJtN6pR4vM0xTgVYAAAGTTZ2w4JmQ';

const PASSKEY = plainShape('Passkey', 'A passkey of the authenticated member. Times are in UTC.', {
  id: 1,
  name: 'Phone',
  credentialId: 'AQIDBAUGBwgJCgsMDQ4PEA',
  transports: ['hybrid', 'internal'],
  backedUp: true,
  createdAt: TIMES.createdAt,
  lastUsedAt: null,
});

const PASSKEY_LOGIN_OPTIONS = plainShape('PasskeyLoginOptions', 'The options of a login with a passkey.', {
  challenge: CHALLENGE,
  timeout: 300_000,
  rpId: 'journal.example.org',
  userVerification: 'required',
});

const PASSKEY_REGISTRATION_OPTIONS = shape({
  fragment: `fragment PasskeyRegistrationOptions on PasskeyRegistrationOptions {
    rp { id name } user { id name displayName } challenge pubKeyCredParams { type alg } timeout
    excludeCredentials { type id transports }
    authenticatorSelection { residentKey requireResidentKey userVerification } attestation
  }`,
  description: 'The options of the registration of a passkey.',
  example: {
    rp: { id: 'journal.example.org', name: 'Daybook' },
    user: { id: 'kJm3Bf2tTkSXyXzjWd4E4g', name: 'mina@example.org', displayName: 'mina' },
    challenge: CHALLENGE,
    pubKeyCredParams: [{ type: 'public-key', alg: -8 }],
    timeout: 300_000,
    excludeCredentials: [{ type: 'public-key', id: 'AQIDBAUGBwgJCgsMDQ4PEA', transports: ['internal'] }],
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  },
});

const CREDENTIAL_ID = 'AQIDBAUGBwgJCgsMDQ4PEA';
const CREDENTIAL = { id: CREDENTIAL_ID, rawId: CREDENTIAL_ID, type: 'public-key', clientExtensionResults: {} };
/** `{"type":"webauthn.get","challenge":"…"}` and `{"type":"webauthn.create","challenge":"…"}` */
const CLIENT_DATA = {
  get: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoi4oCmIn0',
  create: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoi4oCmIn0',
};

const beginLogin: Endpoint = {
  method: 'POST',
  path: '/auth/passkeys/options',
  summary: 'Start a login with a passkey',
  description:
    'No authentication required. Pass the result to `PublicKeyCredential.parseRequestOptionsFromJSON` and ' +
    '`navigator.credentials.get`: the browser offers the passkeys of this service. The challenge is valid for 5 minutes. ' +
    'Requests are limited per network (429 with `Retry-After`).',
  operation: ['passkeyLoginOptions', PASSKEY_LOGIN_OPTIONS],
};

const logIn: Endpoint = {
  method: 'POST',
  path: '/auth/passkeys/login',
  summary: 'Log in with a passkey',
  description:
    'No authentication required. `credential` is the result of `navigator.credentials.get`, as JSON. Returns the same tokens ' +
    'as a login with a password. The response does not contain the reason why a passkey is rejected. Failed attempts are limited per ' +
    'account and per network, apart from those with a password.',
  example: {
    credential: {
      ...CREDENTIAL,
      response: {
        clientDataJSON: CLIENT_DATA.get,
        authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MdAAAAAA',
        signature: 'MEUCIQDJ',
        userHandle: 'kJm3Bf2tTkSXyXzjWd4E4g',
      },
    },
  },
  message: 'loggedIn',
  operation: ['passkeyLogin', TOKENS],
  errors: ['ACCOUNT_LOCKED', 'INVALID_CREDENTIALS'],
};

const listPasskeys: Endpoint = {
  method: 'GET',
  path: '/members/me/passkeys',
  summary: 'List your passkeys, oldest first',
  description: 'Authentication required. Not paginated.',
  operation: ['passkeys', PASSKEY],
};

const beginRegistration: Endpoint = {
  method: 'POST',
  path: '/members/me/passkeys/options',
  summary: 'Start the registration of a passkey',
  description:
    'Authentication required. Pass the result to `PublicKeyCredential.parseCreationOptionsFromJSON` and ' +
    '`navigator.credentials.create`. The challenge is valid for 5 minutes, in the same session. An account without a ' +
    'password requires a login within the last 10 minutes.',
  operation: ['passkeyRegistrationOptions', PASSKEY_REGISTRATION_OPTIONS],
  errors: ['PROOF_REQUIRED', 'VALIDATION_FAILED'],
};

const createPasskey: Endpoint = {
  method: 'POST',
  path: '/members/me/passkeys',
  summary: 'Register a passkey',
  description:
    'Authentication required. `credential` is the result of `navigator.credentials.create`, as JSON. Takes `password`; an ' +
    'account without a password requires a login within the last 10 minutes. At most 20 per member.',
  example: {
    name: 'Phone',
    credential: {
      ...CREDENTIAL,
      response: {
        clientDataJSON: CLIENT_DATA.create,
        attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVg',
        transports: ['internal', 'hybrid'],
      },
    },
    password: 'the fog lifts at nine',
  },
  status: 201,
  message: 'passkeyAdded',
  operation: ['createPasskey', PASSKEY],
  errors: ['PROOF_REQUIRED'],
};

const renamePasskey: Endpoint = {
  method: 'PATCH',
  path: '/members/me/passkeys/{passkeyId}',
  summary: 'Rename one of your passkeys',
  description: 'Authentication required. The new name is shown by this service only, not by the authenticator.',
  example: { name: 'Phone' },
  message: 'passkeyRenamed',
  operation: ['renamePasskey', PASSKEY],
  errors: ['PASSKEY_NOT_FOUND'],
};

const deletePasskey: Endpoint = {
  method: 'DELETE',
  path: '/members/me/passkeys/{passkeyId}',
  summary: 'Remove one of your passkeys',
  description:
    'Authentication required. Takes `password`; an account without a password requires a login within the last 10 minutes, ' +
    'and keeps its last login method. Sessions continue. The authenticator may still offer the passkey.',
  example: { password: 'the fog lifts at nine' },
  message: 'passkeyRemoved',
  operation: 'deletePasskey',
  errors: ['LAST_LOGIN_METHOD', 'PASSKEY_NOT_FOUND', 'PROOF_REQUIRED'],
};

export const passkeyEndpoints = [
  beginLogin,
  logIn,
  listPasskeys,
  beginRegistration,
  createPasskey,
  renamePasskey,
  deletePasskey,
];
