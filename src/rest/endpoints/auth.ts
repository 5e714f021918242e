/** Registration, login and sessions, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { MEMBER, TOKENS } from './shapes.js';

const register: Endpoint = {
  method: 'POST',
  path: '/auth/register',
  summary: 'Register an account',
  description:
    'No authentication required. Email and nickname must be unique, ignoring case; a confusable nickname counts as taken (UTS 39). Without ' +
    'one, it is generated. `invitation` is required if the service accepts registrations by invitation only. 202 for free and taken ' +
    'addresses, which receive an email, if it requires confirmed addresses. Attempts are limited per network (429 with `Retry-After`).',
  example: { email: 'hana@example.org', password: 'the fog lifts at nine', memberName: 'Hana Kim', nickname: 'hana' },
  status: 201,
  message: 'registered',
  operation: ['register', MEMBER],
  pendingMessage: 'registrationPending',
  errors: ['EMAIL_TAKEN', 'NICKNAME_TAKEN', 'REGISTRATION_CLOSED', 'TOKEN_INVALID'],
};

const login: Endpoint = {
  ignoresUnknownParameters: true,
  method: 'POST',
  path: '/auth/login',
  summary: 'Log in',
  description:
    'No authentication required. Returns an access token for the `Authorization` header, and a refresh token for use ' +
    'when the access token expires. Failed attempts are limited per account and per network: above the limit, the ' +
    'status is 429 with `Retry-After`.',
  example: { email: 'hana@example.org', password: 'the fog lifts at nine' },
  message: 'loggedIn',
  operation: ['login', TOKENS],
  errors: ['ACCOUNT_LOCKED', 'EMAIL_NOT_VERIFIED', 'INVALID_CREDENTIALS'],
};

const refresh: Endpoint = {
  method: 'POST',
  path: '/auth/refresh',
  summary: 'Exchange a refresh token for new tokens',
  description:
    'No access token required. A refresh token can be used once: the response contains its successor. Reuse within a few ' +
    'seconds, as after a lost response, returns the same pair. Later reuse is treated as theft and ends the session.',
  example: { refreshToken: 'eyJhbGciOiJIUzI1NiIsInR5cCI6InJlZnJlc2grand0In0.eyJzdWIiOiIxIn0.bm90IGEgc2lnbmF0dXJl' },
  message: 'tokensRenewed',
  operation: ['refreshTokens', TOKENS],
  errors: ['REFRESH_TOKEN_INVALID'],
};

const logout: Endpoint = {
  method: 'POST',
  path: '/auth/logout',
  summary: 'Log out of this session',
  description:
    'Authentication required. Immediately ends the session of the access token and invalidates its refresh token. ' +
    'Other sessions of the member continue.',
  message: 'loggedOut',
  operation: 'logout',
};

export const authEndpoints = [register, login, refresh, logout];
