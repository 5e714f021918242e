/** Login with passkeys, and the passkeys of the authenticated member, over REST. */
import { DeletePasskeyArgs, RenamePasskeyArgs } from '../../schema/passkey.js';
import { type Endpoint, GET_DEFAULTS, nothing, rootField, rootList } from '../engine/endpoint.js';
import { field, fields, object, path } from '../engine/source.js';
import { PASSKEY, PASSKEY_LOGIN_OPTIONS, PASSKEY_REGISTRATION_OPTIONS, TOKENS } from './shapes.js';

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
  group: 'Auth',
  summary: 'Start a login with a passkey',
  description:
    'No authentication required. Pass the result to `PublicKeyCredential.parseRequestOptionsFromJSON` and ' +
    '`navigator.credentials.get`: the browser offers the passkeys of this service. The challenge is valid for 5 minutes. ' +
    'Requests are limited per network (429 with `Retry-After`).',
  example: {},
  auth: 'none',
  status: 200,
  message: 'ok',
  body: 'none',
  operation: `{ passkeyLoginOptions { ...PasskeyLoginOptions } } ${PASSKEY_LOGIN_OPTIONS}`,
  variables: {},
  result: rootField('passkeyLoginOptions'),
  errors: [],
};

const logIn: Endpoint = {
  method: 'POST',
  path: '/auth/passkeys/login',
  group: 'Auth',
  summary: 'Log in with a passkey',
  description:
    'No authentication required. `credential` is the result of `navigator.credentials.get`, as JSON. Returns the same tokens ' +
    'as a login with a password. The response does not tell why a passkey is rejected. Failed attempts are limited per ' +
    'account and per network, together with those with a password.',
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
  auth: 'none',
  status: 200,
  message: 'loggedIn',
  body: 'json',
  operation: `mutation ($input: PasskeyLoginInput!) { passkeyLogin(input: $input) { ...Tokens } } ${TOKENS}`,
  variables: { input: object(fields('credential')) },
  result: rootField('passkeyLogin'),
  errors: ['ACCOUNT_LOCKED', 'INVALID_CREDENTIALS'],
};

const listPasskeys: Endpoint = {
  ...GET_DEFAULTS,
  path: '/members/me/passkeys',
  group: 'Member',
  summary: 'List your passkeys, oldest first',
  description: 'Authentication required. Not paginated: there are at most 20.',
  example: {},
  auth: 'bearer',
  operation: `{ passkeys { ...Passkey } } ${PASSKEY}`,
  variables: {},
  result: rootList('passkeys'),
};

const beginRegistration: Endpoint = {
  method: 'POST',
  path: '/members/me/passkeys/options',
  group: 'Member',
  summary: 'Start the registration of a passkey',
  description:
    'Authentication required. Pass the result to `PublicKeyCredential.parseCreationOptionsFromJSON` and ' +
    '`navigator.credentials.create`. The challenge is valid for 5 minutes, in the same session. An account without a ' +
    'password requires a login within the last 10 minutes.',
  example: {},
  auth: 'bearer',
  status: 200,
  message: 'ok',
  body: 'none',
  operation: `{ passkeyRegistrationOptions { ...PasskeyRegistrationOptions } } ${PASSKEY_REGISTRATION_OPTIONS}`,
  variables: {},
  result: rootField('passkeyRegistrationOptions'),
  errors: ['PROOF_REQUIRED', 'VALIDATION_FAILED'],
};

const createPasskey: Endpoint = {
  method: 'POST',
  path: '/members/me/passkeys',
  group: 'Member',
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
  auth: 'bearer',
  status: 201,
  message: 'passkeyAdded',
  body: 'json',
  operation: `mutation ($input: CreatePasskeyInput!) { createPasskey(input: $input) { ...Passkey } } ${PASSKEY}`,
  variables: { input: object(fields('name', 'credential', 'password')) },
  result: rootField('createPasskey'),
  errors: ['PROOF_REQUIRED'],
};

const renamePasskey: Endpoint = {
  method: 'PATCH',
  path: '/members/me/passkeys/{passkeyId}',
  group: 'Member',
  summary: 'Rename one of your passkeys',
  description: 'Authentication required. The new name is shown by this service only, not by the authenticator.',
  example: { passkeyId: 1, name: 'Phone' },
  auth: 'bearer',
  status: 200,
  message: 'passkeyRenamed',
  body: 'json',
  operation: `mutation ($id: ID!, $name: String!) { renamePasskey(id: $id, name: $name) { ...Passkey } } ${PASSKEY}`,
  variables: { id: path('passkeyId'), name: field('name') },
  args: RenamePasskeyArgs,
  result: rootField('renamePasskey'),
  errors: ['PASSKEY_NOT_FOUND'],
};

const deletePasskey: Endpoint = {
  method: 'DELETE',
  path: '/members/me/passkeys/{passkeyId}',
  group: 'Member',
  summary: 'Remove one of your passkeys',
  description:
    'Authentication required. Takes `password`; an account without a password requires a login within the last 10 minutes, ' +
    'and keeps its last login method. Sessions continue. The authenticator may still offer the passkey.',
  example: { passkeyId: 1, password: 'the fog lifts at nine' },
  auth: 'bearer',
  status: 200,
  message: 'passkeyRemoved',
  body: 'optional',
  operation: 'mutation ($id: ID!, $password: String) { deletePasskey(id: $id, password: $password) { id } }',
  variables: { id: path('passkeyId'), password: field('password') },
  args: DeletePasskeyArgs,
  result: nothing,
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
