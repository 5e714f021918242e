/** API tokens of the authenticated member, over REST. */
import { ApiTokenIdArgs } from '../../schema/api-token.js';
import { type Endpoint, GET_DEFAULTS, nothing, rootField, rootList } from '../engine/endpoint.js';
import { fields, object, path } from '../engine/source.js';
import { API_TOKEN, CREATED_API_TOKEN } from './shapes.js';

const listTokens: Endpoint = {
  ...GET_DEFAULTS,
  path: '/members/me/tokens',
  group: 'Member',
  summary: 'List your API tokens, newest first',
  description:
    'Authentication required. Without the tokens themselves, of which only hashes are stored. Not paginated: there are at most 50.',
  example: {},
  auth: 'bearer',
  operation: `{ apiTokens { ...ApiToken } } ${API_TOKEN}`,
  variables: {},
  result: rootList('apiTokens'),
};

const createToken: Endpoint = {
  method: 'POST',
  path: '/members/me/tokens',
  group: 'Member',
  summary: 'Create an API token',
  description:
    'Authentication required. A credential for a program, sent as a bearer token. Takes `password`; an account without one requires a ' +
    'login within the last 10 minutes. The response is the only one that contains the token.',
  example: {
    name: 'Static site',
    scopes: ['read', 'articles'],
    expiresAt: '2027-11-20T09:30:00',
    password: 'the fog lifts at nine',
  },
  auth: 'bearer',
  status: 201,
  message: 'apiTokenCreated',
  body: 'json',
  operation: `mutation ($input: CreateApiTokenInput!) {
    createApiToken(input: $input) { ...CreatedApiToken }
  } ${CREATED_API_TOKEN}`,
  variables: { input: object(fields('name', 'scopes', 'expiresAt', 'password')) },
  result: rootField('createApiToken'),
  errors: ['PROOF_REQUIRED', 'TOKEN_LIMIT_REACHED'],
};

const deleteToken: Endpoint = {
  method: 'DELETE',
  path: '/members/me/tokens/{id}',
  group: 'Member',
  summary: 'Delete one of your API tokens',
  description: 'Authentication required. The token is invalid immediately, and its streams end.',
  example: { id: '0b7f6c7e-3f0a-4c59-8a55-6b1a4a0d7c52' },
  auth: 'bearer',
  status: 200,
  message: 'apiTokenDeleted',
  body: 'none',
  operation: 'mutation ($id: ID!) { deleteApiToken(id: $id) { id } }',
  variables: { id: path('id') },
  args: ApiTokenIdArgs,
  result: nothing,
  errors: ['TOKEN_NOT_FOUND'],
};

export const apiTokenEndpoints = [listTokens, createToken, deleteToken];
