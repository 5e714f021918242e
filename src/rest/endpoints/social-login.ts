/** Social login and linked social accounts, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { plainShape } from '../engine/shape.js';
import { TIMES, TOKENS } from './shapes.js';

const LOGIN_PROVIDER = plainShape('LoginProvider', 'A login provider.', { provider: 'GOOGLE' });

const SOCIAL_LOGIN_URL = plainShape('SocialLoginUrl', 'The start of a social login.', {
  url: 'https://accounts.google.com/o/oauth2/v2/auth?client_id=daybook&state=af0ifjsldkj',
  state: 'af0ifjsldkj',
  codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
});

const SOCIAL_ACCOUNT = plainShape(
  'SocialAccount',
  'A social account that is linked to the account of the authenticated member. Times are in UTC.',
  { id: 1, provider: 'GOOGLE', email: 'mina@example.com', createdAt: TIMES.createdAt },
  'SocialLink',
);

const CALLBACK = {
  provider: 'GOOGLE',
  code: '4/0AfJohXkCode',
  redirectUri: 'http://localhost:3000/oauth/callback',
  codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  state: 'af0ifjsldkj',
  nonce: 'n-0S6_WzA2Mj',
};

const listProviders: Endpoint = {
  method: 'GET',
  path: '/auth/oauth/providers',
  summary: 'List the login providers',
  description: 'No authentication required. Those that the operator has configured; empty if there are none.',
  operation: ['loginProviders', LOGIN_PROVIDER],
};

const beginSocialLogin: Endpoint = {
  method: 'POST',
  path: '/auth/oauth/url',
  summary: 'Start a social login, or the linking of a social account',
  description:
    'No authentication required. Store `state` and `codeVerifier` in the browser, and open `url` in it. The provider ' +
    'redirects back with a code and a state: if that state differs from the stored one, discard the code; otherwise ' +
    'send the code with `codeVerifier`.',
  example: { provider: 'GOOGLE', redirectUri: 'http://localhost:3000/oauth/callback' },
  operation: ['socialLoginUrl', SOCIAL_LOGIN_URL],
  errors: ['OAUTH_PROVIDER_FAILED', 'PROVIDER_UNSUPPORTED'],
};

const socialLogin: Endpoint = {
  method: 'POST',
  path: '/auth/oauth/login',
  summary: 'Log in with an authorization code from an OAuth provider',
  description:
    'No authentication required. Exchanges the code that the provider returned; the first login creates an account. ' +
    'An account is identified by provider and subject, not by email. To log in to an account that exists already, link ' +
    'the social account to it first.',
  example: CALLBACK,
  message: 'loggedIn',
  operation: ['socialLogin', TOKENS],
  errors: [
    'ACCOUNT_LOCKED',
    'OAUTH_REJECTED',
    'OAUTH_PROVIDER_FAILED',
    'PROVIDER_UNSUPPORTED',
    'REGISTRATION_CLOSED',
    'TOKEN_INVALID',
  ],
};

const listAccounts: Endpoint = {
  method: 'GET',
  path: '/members/me/social-accounts',
  summary: 'List the social accounts that are linked to your account',
  description: 'Authentication required. Not paginated: there is at most one for each login provider.',
  operation: ['socialLinks', SOCIAL_ACCOUNT],
};

const linkAccount: Endpoint = {
  method: 'POST',
  path: '/members/me/social-accounts',
  summary: 'Link a social account to your account',
  description:
    'Authentication required. Takes the code that the provider returned, and your `password`; an account without a ' +
    'password requires a login within the last 10 minutes. Idempotent.',
  example: { ...CALLBACK, password: 'the fog lifts at nine' },
  status: 201,
  message: 'socialAccountLinked',
  operation: ['linkSocialAccount', SOCIAL_ACCOUNT],
  errors: ['OAUTH_PROVIDER_FAILED', 'OAUTH_REJECTED', 'PROOF_REQUIRED', 'PROVIDER_UNSUPPORTED'],
};

const unlinkAccount: Endpoint = {
  method: 'DELETE',
  path: '/members/me/social-accounts/{provider}',
  summary: 'Unlink a social account',
  description:
    'Authentication required. Takes your `password`. An account without a password requires a login within the last 10 ' +
    'minutes, and its only social account cannot be unlinked.',
  example: { provider: 'GOOGLE', password: 'the fog lifts at nine' },
  message: 'socialAccountUnlinked',
  operation: 'unlinkSocialAccount',
  errors: ['LAST_LOGIN_METHOD', 'PROOF_REQUIRED', 'SOCIAL_ACCOUNT_NOT_FOUND'],
};

export const socialLoginEndpoints = [
  listProviders,
  beginSocialLogin,
  socialLogin,
  listAccounts,
  linkAccount,
  unlinkAccount,
];
