/** Settings of social logins. The providers are read from `OAUTH_<NAME>_CLIENT_ID`, `OAUTH_<NAME>_CLIENT_SECRET` and `OAUTH_<NAME>_ISSUER`. */
import { isLoopback } from '../addresses.js';
import { ConfigError, type Described, duration, group, redirectUris } from '../setting.js';

export const socialLoginSettings = group('Social login', {
  OAUTH_REDIRECT_URIS: redirectUris({
    default: '',
    effectiveDefault: '`PUBLIC_URL/oauth/callback`',
    expected: 'URLs without a fragment, separated by commas',
    description: 'Allowed redirect URIs. The first one is the default where a client sends none.',
  }),
  OAUTH_TIMEOUT: duration({
    default: '5s',
    description: 'Timeout of each request to a login provider.',
  }),
});

const providerSettings: Record<string, { declared: Described }> = {
  'OAUTH_<NAME>_CLIENT_ID': {
    declared: {
      default: '',
      effectiveDefault: 'none: the provider is disabled',
      expected: 'the client ID that the provider issued',
      description:
        'Client ID. Enables a login provider: `GOOGLE`, `KAKAO`, `NAVER`, or any other name in capital letters, with an issuer.',
    },
  },
  'OAUTH_<NAME>_CLIENT_SECRET': {
    declared: {
      default: '',
      effectiveDefault: 'none',
      expected: 'the client secret that the provider issued',
      description: 'Client secret. Required with the client ID.',
      isSecret: true,
    },
  },
  'OAUTH_<NAME>_ISSUER': {
    declared: {
      default: '',
      effectiveDefault: 'built in for `GOOGLE`, `KAKAO` and `NAVER`',
      expected: 'an https URL, the issuer of an OpenID provider',
      description: 'Issuer URL, from which the OpenID configuration is discovered.',
    },
  },
};

/** For the documentation only: `<NAME>` is a placeholder in these variable names. */
export const socialProviderSettings = group('Login providers', providerSettings);

export interface ProviderSettings {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Providers with a default issuer. NAVER does not support OpenID Connect: its issuer is the base URL of its endpoints. */
const KNOWN_ISSUERS: Readonly<Record<string, string>> = {
  GOOGLE: 'https://accounts.google.com',
  KAKAO: 'https://kauth.kakao.com',
  NAVER: 'https://nid.naver.com',
};

/** The provider of a login with a passkey in the audit trail. */
export const PASSKEY = 'PASSKEY';

const SETTING = /^OAUTH_([A-Z][A-Z0-9_]{0,29})_(?:CLIENT_ID|CLIENT_SECRET|ISSUER)$/;

/** @throws ConfigError that names the missing or invalid setting */
export function readProviders(env: NodeJS.ProcessEnv): ProviderSettings[] {
  const set = Object.keys(env).filter((key) => env[key] !== '');
  const names = new Set(set.flatMap((key) => SETTING.exec(key)?.[1] ?? []));
  if (names.has(PASSKEY)) throw new ConfigError(`${PASSKEY} cannot be the name of a login provider.`);
  return [...names].sort().map((name) => ({
    name,
    issuer: checkIssuer(name, env[`OAUTH_${name}_ISSUER`] || KNOWN_ISSUERS[name]),
    clientId: required(env, `OAUTH_${name}_CLIENT_ID`),
    clientSecret: required(env, `OAUTH_${name}_CLIENT_SECRET`),
  }));
}

function required(env: NodeJS.ProcessEnv, key: string): string {
  const value = env[key];
  if (value) return value;
  throw new ConfigError(`${key} must be set, since other settings of this login provider are set.`);
}

/** OpenID Connect Core 1.0 §16.17: TLS is required, except for loopback hosts. @throws ConfigError */
function checkIssuer(name: string, issuer: string | undefined): string {
  const url = issuer !== undefined && URL.canParse(issuer) ? new URL(issuer) : null;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) return issuer ?? '';
  throw new ConfigError(`OAUTH_${name}_ISSUER must be an https URL, the issuer of an OpenID provider.`);
}
