/** Renewing and ending a session, over REST. */
import { RefreshArgs } from '../../schema/session.js';
import { type Endpoint, nothing, rootField } from '../engine/endpoint.js';
import { field } from '../engine/source.js';
import { TOKENS } from './shapes.js';

const refresh: Endpoint = {
  method: 'POST',
  path: '/auth/refresh',
  group: 'Auth',
  summary: 'Get new tokens for a refresh token',
  description:
    'A refresh token is used once: the answer brings the next one. Repeated within a few seconds, since an ' +
    'answer may get lost, it gives the same pair again; later it ends the session, since one of its two holders ' +
    'must be a thief.',
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
  summary: 'End this session',
  description:
    'Ends the session that the access token belongs to, at once, with its refresh token. Other sessions of the ' +
    'member go on.',
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
