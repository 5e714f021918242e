/** Renewing and ending a session, over REST. */
import { RefreshArgs } from '../schema/session.js';
import { type Endpoint, nothing, rootField } from './endpoint.js';
import { TOKENS } from './shapes.js';
import { field } from './source.js';

const refresh: Endpoint = {
  method: 'POST',
  path: '/auth/refresh',
  group: 'Auth',
  summary: 'Get new tokens for a refresh token',
  auth: 'none',
  status: 200,
  message: 'tokensRenewed',
  body: 'json',
  operation: `mutation ($refreshToken: String!) { refreshTokens(refreshToken: $refreshToken) { ...Tokens } } ${TOKENS}`,
  variables: { refreshToken: field('refreshToken') },
  args: RefreshArgs,
  result: rootField('refreshTokens'),
  errors: ['REFRESH_TOKEN_INVALID', 'RATE_LIMITED'],
};

const logout: Endpoint = {
  method: 'POST',
  path: '/auth/logout',
  group: 'Auth',
  summary: 'End this session',
  auth: 'bearer',
  status: 200,
  message: 'loggedOut',
  body: 'none',
  operation: 'mutation { logout { id } }',
  variables: {},
  result: nothing,
  errors: [],
};

export const sessionEndpoints = [refresh, logout];
