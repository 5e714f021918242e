/** Logging in at a provider, over REST. */
import { type Endpoint, rootField } from './endpoint.js';
import { TOKENS } from './shapes.js';
import { field, object } from './source.js';

const socialLogin: Endpoint = {
  method: 'POST',
  path: '/auth/oauth/login',
  group: 'Auth',
  summary: 'Log in with a code from a login provider',
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
