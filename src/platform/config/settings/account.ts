/** Settings of tokens, sessions and rate limits. */
import { byteLimit, ConfigError, duration, flag, group, limit, noneOrDuration, oneOf, secret } from '../setting.js';

const RATE = { area: 'Accounts', error: 'RATE_LIMITED' } as const;

export const sessionSettings = group('Tokens and sessions', {
  JWT_SECRET: secret({
    default: '',
    effectiveDefault: 'generated at the first start and stored in `DATA_DIR`',
    description: 'Secret with which tokens are signed. Set it where several machines share a database.',
    isSecret: true,
  }),
  JWT_SECRET_PREVIOUS: secret({
    default: '',
    effectiveDefault: 'none',
    description:
      'The previous `JWT_SECRET`: tokens signed with it are still accepted. Remove it once `REFRESH_TOKEN_TTL` has passed.',
    isSecret: true,
  }),
  ACCESS_TOKEN_TTL: duration({
    default: '30m',
    description: 'Lifetime of an access token.',
  }),
  REFRESH_TOKEN_TTL: duration({
    default: '14d',
    description: 'Lifetime of a refresh token.',
  }),
  REFRESH_GRACE: noneOrDuration({
    default: '10s',
    expected: 'a duration such as 10s, or 0',
    description:
      'Grace period after the use of a refresh token in which it returns the same successor again, for clients that lost the response.',
  }),
  SESSION_MAX_AGE: duration({
    default: '90d',
    description: 'Maximum age of a session since its login, regardless of refreshes.',
  }),
});

export const registrationSettings = group('Registration', {
  REGISTRATION: oneOf({
    choices: ['open', 'invite', 'closed'],
    default: 'open',
    description:
      'Who can create an account, also by a first social login: everyone, holders of an invitation (`npx daybook invite`), or no one.',
  }),
  REQUIRE_VERIFIED_EMAIL: flag({
    default: 'false',
    description:
      'Whether a login with a password requires a confirmed email address ([email](mail.md#registration)). Needs `SMTP_URL`. Registrations then do not show whether an address has an account.',
  }),
});

/** @throws ConfigError if access tokens would be valid for longer than the refresh tokens that replace them */
export function readTokenLifetimes(set: { ACCESS_TOKEN_TTL: number; REFRESH_TOKEN_TTL: number }) {
  const { ACCESS_TOKEN_TTL: accessTokenTtlMs, REFRESH_TOKEN_TTL: refreshTokenTtlMs } = set;
  if (accessTokenTtlMs > refreshTokenTtlMs)
    throw new ConfigError('ACCESS_TOKEN_TTL must not be longer than REFRESH_TOKEN_TTL.');
  return { accessTokenTtlMs, refreshTokenTtlMs };
}

/** @throws ConfigError without an SMTP server */
export function readRequireVerifiedEmail(isRequired: boolean, smtpUrl: string): boolean {
  if (isRequired && !smtpUrl) throw new ConfigError('SMTP_URL must be set, since REQUIRE_VERIFIED_EMAIL is true.');
  return isRequired;
}

export const limitSettings = group('Rate limits', {
  LIMIT_LOGIN_PAIR: limit({
    default: '10/15m',
    description: 'Failed logins to one account from one network; wrong current passwords of one member.',
    limit: RATE,
  }),
  LIMIT_LOGIN_ADDRESS: limit({
    default: '500/15m',
    description: 'Failed logins from one network.',
    limit: RATE,
  }),
  LIMIT_LOGIN_ACCOUNT: limit({
    default: '100/1h',
    description:
      'Failed logins to one account from all networks. Networks from which its member has logged in are exempt.',
    limit: RATE,
  }),
  LIMIT_REFRESH: limit({
    default: '100/15m',
    description: 'Rejected refresh tokens, and rejected social logins, from one network.',
    limit: RATE,
  }),
  LIMIT_REGISTER: limit({
    default: '60/1h',
    description:
      'Valid registrations, and first social logins, from one network, whether or not they succeed. An IPv6 network is a /64.',
    limit: RATE,
  }),
  LIMIT_RECOVERY: limit({
    default: '60/1h',
    description:
      'Requests for links by email (new password, confirmation of an address), and links that are not valid, from one network.',
    limit: RATE,
  }),
  LIMIT_API_TOKENS: limit({
    default: '100/1h',
    description: 'API tokens that one member creates.',
    limit: RATE,
  }),
  LIMIT_SHARED_TEXTS: limit({
    default: '600/1h',
    description:
      'Reads of shared drafts, each of which renders the text, and of share links that are not valid, from one network.',
    limit: { area: 'Writing', error: 'RATE_LIMITED' },
  }),
  LIMIT_PASSKEY_OPTIONS: limit({
    default: '1000/15m',
    description: 'Options for passkeys (logins and registrations) that one network requests.',
    limit: RATE,
  }),
  LIMIT_WRITES: limit({
    default: '6000/10m',
    description: 'Writes of one member, except those of drafts.',
    limit: { area: 'Writing', error: 'RATE_LIMITED' },
  }),
  LIMIT_WRITE_BYTES: byteLimit({
    default: '20MB/1d',
    description:
      'Text in the writes of one member, in UTF-8. Rejected writes are counted too. The search index uses up to 25 times as much disk space.',
    limit: { area: 'Writing', error: 'RATE_LIMITED' },
  }),
  LIMIT_DRAFT_WRITES: limit({
    default: '20000/1d',
    description: 'Writes of the drafts of one member.',
    limit: { area: 'Writing', error: 'RATE_LIMITED' },
  }),
  LIMIT_DRAFT_BYTES: byteLimit({
    default: '1GB/1d',
    description:
      'Content that the saves of the drafts of one member write, in UTF-8. Saves that change nothing are not counted.',
    limit: { area: 'Writing', error: 'RATE_LIMITED' },
  }),
});
