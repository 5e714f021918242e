/** Social login (OAuth providers), over REST. */
import { type Endpoint, rootField } from '../engine/endpoint.js';
import { field, object } from '../engine/source.js';
import { TOKENS } from './shapes.js';

const socialLogin: Endpoint = {
  method: 'POST',
  path: '/auth/oauth/login',
  group: 'Auth',
  summary: 'Log in with an authorization code from an OAuth provider',
  description:
    'No authentication required. Exchanges the code that the provider returned; the first login creates an account. ' +
    'An account is identified by provider and subject: if its email belongs to an existing account, log in to that ' +
    'account, and link the social account to it.',
  example: {
    provider: 'GOOGLE',
    code: '4/0AfJohXkCode',
    redirectUri: 'http://localhost:3000/oauth/callback',
    codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    state: 'af0ifjsldkj',
    nonce: 'n-0S6_WzA2Mj',
  },
  auth: 'none',
  status: 200,
  message: 'loggedIn',
  body: 'json',
  operation: `mutation ($input: SocialLoginInput!) { socialLogin(input: $input) { ...Tokens } } ${TOKENS}`,
  variables: {
    input: object({
      provider: field('provider'),
      code: field('code'),
      redirectUri: field('redirectUri'),
      codeVerifier: field('codeVerifier'),
      state: field('state'),
      nonce: field('nonce'),
    }),
  },
  result: rootField('socialLogin'),
  errors: ['OAUTH_REJECTED', 'OAUTH_PROVIDER_FAILED', 'PROVIDER_UNSUPPORTED', 'RATE_LIMITED'],
};

export const socialLoginEndpoints = [socialLogin];
