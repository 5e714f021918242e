/** Settings of tokens, sessions, social logins and rate limits. */
import type { Declaration } from '../values.js';
import { byteLimit, duration, limit, noneOrDuration, redirectUris, secret } from '../values.js';
import { group } from './group.js';

const SECRET = 'at least 32 characters';
const LIMIT = 'a number and a duration such as 10/15m';
const RATE = { area: 'Accounts', error: 'RATE_LIMITED' } as const;

export const sessionSettings = group('Tokens and sessions', {
  JWT_SECRET: secret({
    default: '',
    otherwise: 'made on the first start and kept in `DATA_DIR`',
    desc: SECRET,
    about: 'Signs the tokens. Set it where several machines share a database.',
    isSecret: true,
  }),
  JWT_SECRET_PREVIOUS: secret({
    default: '',
    otherwise: 'none',
    desc: SECRET,
    about: 'The secret before this one: what it signed still counts. Take it away once `REFRESH_TOKEN_TTL` has passed.',
    isSecret: true,
  }),
  ACCESS_TOKEN_TTL: duration({
    default: '30m',
    desc: 'a duration such as 30m',
    about: 'How long an access token is good.',
  }),
  REFRESH_TOKEN_TTL: duration({
    default: '14d',
    desc: 'a duration such as 14d',
    about: 'How long a refresh token is good.',
  }),
  REFRESH_GRACE: noneOrDuration({
    default: '10s',
    desc: 'a duration such as 10s, or 0',
    about:
      'How long a refresh token that was just used gives the same successor again, for clients that lost the answer.',
  }),
  SESSION_MAX_AGE: duration({
    default: '90d',
    desc: 'a duration such as 90d',
    about: 'How long after its login a session ends, however often it is refreshed.',
  }),
});

/** Read by src/config/settings/oauth.ts, once for each provider. `<NAME>` is in capitals. */
const providerSettings: Record<string, { declared: Declaration }> = {
  'OAUTH_<NAME>_CLIENT_ID': {
    declared: {
      default: '',
      otherwise: 'the provider is off',
      desc: 'what the provider gave',
      about: 'Switches a login provider on: `GOOGLE`, `KAKAO`, `NAVER`, or any other name with an issuer.',
    },
  },
  'OAUTH_<NAME>_CLIENT_SECRET': {
    declared: {
      default: '',
      otherwise: 'none',
      desc: 'what the provider gave',
      about: 'Goes with the id.',
      isSecret: true,
    },
  },
  'OAUTH_<NAME>_ISSUER': {
    declared: {
      default: '',
      otherwise: 'known for the three',
      desc: 'an https address, the issuer of an OpenID provider',
      about: 'Where its OpenID configuration is found.',
    },
  },
};

export const socialLoginSettings = group('Social login', {
  OAUTH_REDIRECT_URIS: redirectUris({
    default: '',
    otherwise: '`PUBLIC_URL/oauth/callback`',
    desc: 'addresses without a fragment, separated by commas',
    about: 'Where providers may send members back to. The first one counts where a client names none.',
  }),
  OAUTH_TIMEOUT: duration({
    default: '5s',
    desc: 'a duration such as 5s',
    about: 'How long each request to a provider may take.',
  }),
});

/** For the documentation only: `<NAME>` is a placeholder in these variable names. */
export const socialProviderSettings = group('Login providers', providerSettings);

export const limitSettings = group('Limits', {
  LIMIT_LOGIN_PAIR: limit({
    default: '10/15m',
    desc: LIMIT,
    about: 'Failed logins to one account from one network; wrong current passwords of one member.',
    limit: RATE,
  }),
  LIMIT_LOGIN_ADDRESS: limit({
    default: '500/15m',
    desc: LIMIT,
    about: 'Failed logins from one network.',
    limit: RATE,
  }),
  LIMIT_LOGIN_ACCOUNT: limit({
    default: '100/1h',
    desc: LIMIT,
    about: 'Failed logins to one account, from wherever. Networks that its member has used before are let through.',
    limit: RATE,
  }),
  LIMIT_REFRESH: limit({
    default: '100/15m',
    desc: LIMIT,
    about: 'Refused refresh tokens, and refused social logins, from one network.',
    limit: RATE,
  }),
  LIMIT_REGISTER: limit({
    default: '60/1h',
    desc: LIMIT,
    about:
      'Valid registrations, and first social logins, from one network, whether or not they succeed. An IPv6 network is a /64.',
    limit: RATE,
  }),
  LIMIT_WRITES: limit({
    default: '6000/10m',
    desc: LIMIT,
    about: 'Changes that one member may make.',
    limit: { area: 'Writing', error: 'RATE_LIMITED' },
  }),
  LIMIT_WRITE_BYTES: byteLimit({
    default: '20MB/1d',
    desc: 'a size and a duration such as 20MB/1d',
    about:
      'Text that one member may send in changes, in UTF-8. Refused changes count as well. The search index takes up to 25 times as much on the disk.',
    limit: { area: 'Writing', error: 'RATE_LIMITED' },
  }),
});
