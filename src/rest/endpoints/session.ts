/** Renewing and ending a session, over REST. */
import { RefreshArgs } from '../../schema/session.js';
import { type Endpoint, nothing, rootField } from '../engine/endpoint.js';
import { field } from '../engine/source.js';
import { TOKENS } from './shapes.js';

const refresh: Endpoint = {
  method: 'POST',
  path: '/auth/refresh',
  group: 'Auth',
  summary: 'Exchange a refresh token for new tokens',
  description:
    'No access token required. A refresh token can be used once: the response contains its successor. Reuse within a few ' +
    'seconds, as after a lost response, returns the same pair. Later reuse is treated as theft and ends the session.',
  example: { refreshToken: 'eyJhbGciOiJIUzI1NiIsInR5cCI6InJlZnJlc2grand0In0.eyJzdWIiOiIxIn0.bm90IGEgc2lnbmF0dXJl' },
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
  summary: 'Log out of this session',
  description:
    'Authentication required. Immediately ends the session of the access token and invalidates its refresh token. ' +
    'Other sessions of the member continue.',
  example: {},
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
