/** API tokens of the authenticated member, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { plainShape } from '../engine/shape.js';
import { FUTURE, TIMES } from './shapes.js';

const API_TOKEN_EXAMPLE = {
  id: '0b7f6c7e-3f0a-4c59-8a55-6b1a4a0d7c52',
  name: 'Static site',
  scopes: ['read', 'articles'],
  createdAt: TIMES.createdAt,
  expiresAt: FUTURE,
  lastUsedAt: '2026-11-20T10:05:00',
};

const API_TOKEN = plainShape(
  'ApiToken',
  'An API token of the authenticated member, without the token itself. Times are in UTC.',
  API_TOKEN_EXAMPLE,
);

const CREATED_API_TOKEN = plainShape('CreatedApiToken', 'A new API token. Times are in UTC.', {
  ...API_TOKEN_EXAMPLE,
  lastUsedAt: null,
  token: 'dbk_0000000000000000000000000000000000000000000000000',
});

const listTokens: Endpoint = {
  method: 'GET',
  path: '/members/me/tokens',
  summary: 'List your API tokens, newest first',
  description:
    'Authentication required. Without the tokens themselves, of which only hashes are stored. Not paginated.',
  operation: ['apiTokens', API_TOKEN],
};

const createToken: Endpoint = {
  method: 'POST',
  path: '/members/me/tokens',
  summary: 'Create an API token',
  description:
    'Authentication required. A credential for a program, sent as a bearer token. Takes `password`; an account without one requires a ' +
    'login within the last 10 minutes. The response is the only one that contains the token.',
  example: {
    name: 'Static site',
    scopes: ['read', 'articles'],
    expiresAt: FUTURE,
    password: 'the fog lifts at nine',
  },
  status: 201,
  message: 'apiTokenCreated',
  operation: ['createApiToken', CREATED_API_TOKEN],
  errors: ['PROOF_REQUIRED', 'TOKEN_LIMIT_REACHED'],
};

const deleteToken: Endpoint = {
  method: 'DELETE',
  path: '/members/me/tokens/{id}',
  summary: 'Delete one of your API tokens',
  description: 'Authentication required. The token is invalid immediately, and its streams end.',
  example: { id: '0b7f6c7e-3f0a-4c59-8a55-6b1a4a0d7c52' },
  message: 'apiTokenDeleted',
  operation: 'deleteApiToken',
  errors: ['TOKEN_NOT_FOUND'],
};

const TOKEN = plainShape('Token', 'The token of a request. Times are in UTC.', {
  kind: 'API_TOKEN',
  memberId: 1,
  scopes: ['read', 'articles'],
  expiresAt: FUTURE,
});

const readToken: Endpoint = {
  method: 'GET',
  path: '/token',
  summary: 'Read what the token of the request may do, and when it expires',
  description:
    'Authentication required, by an access token or an API token with any scope. `kind` is `SESSION` or `API_TOKEN`; `scopes` is null for a session.',
  operation: ['token', TOKEN],
};

export const apiTokenEndpoints = [readToken, listTokens, createToken, deleteToken];
