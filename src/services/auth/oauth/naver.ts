/** NAVER: OAuth 2.0 with non-standard error responses, and a profile endpoint instead of an ID token. */
import * as client from 'openid-client';
import { isLoopback } from '../../../platform/config/addresses.js';
import type { ProviderSettings } from '../../../platform/config/settings/oauth.js';
import { AppError } from '../../../platform/errors.js';
import type { Log } from '../../../platform/observability/log.js';
import { parseObject } from '../../../platform/text.js';
import { type CodeExchange, type Identity, identityFrom, type Provider } from './provider.js';
import { createFetch, exchangeCode, type Transport, withProviderErrors } from './transport.js';

const NAVER = 'https://nid.naver.com';
/** The profile endpoint is on another host than the login, except with a test double of NAVER, which serves both. */
const NAVER_API = 'https://openapi.naver.com';

export function naverProvider(settings: ProviderSettings, transport: Transport, log: Log): Provider {
  const fetch = createFetch({ ...transport, adapt });
  const config = configure(settings, transport);
  const profileAddress = new URL('/v1/nid/me', settings.issuer === NAVER ? NAVER_API : settings.issuer);
  return {
    name: settings.name,
    // NAVER has neither nonce nor scope. Servers ignore unknown parameters such as the PKCE challenge (RFC 6749 §3.1).
    authorizationUrl: async ({ redirectUri, state, codeChallenge }) =>
      client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        state,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
      }).href,
    identify: (exchange) =>
      withProviderErrors(settings.name, log, () => identify(config, fetch, profileAddress, exchange)),
  };
}

function configure(
  { issuer, clientId, clientSecret }: ProviderSettings,
  { timeoutMs }: Transport,
): client.Configuration {
  const config = new client.Configuration(
    {
      issuer,
      authorization_endpoint: new URL('/oauth2.0/authorize', issuer).href,
      token_endpoint: new URL('/oauth2.0/token', issuer).href,
    },
    clientId,
    undefined,
    client.ClientSecretPost(clientSecret),
  );
  config.timeout = timeoutMs / 1000;
  if (isLoopback(new URL(issuer).hostname)) client.allowInsecureRequests(config);
  return config;
}

async function identify(
  config: client.Configuration,
  fetch: client.CustomFetch,
  profileAddress: URL,
  exchange: CodeExchange,
): Promise<Identity> {
  const state: Record<string, string> = exchange.state === undefined ? {} : { state: exchange.state };
  const tokens = await exchangeCode(config, fetch, { ...exchange, nonce: undefined }, state);
  const profile = await client.fetchProtectedResource(config, tokens.access_token, profileAddress, 'GET');
  const { resultcode, response } = Object(await profile.json());
  const { id, name, nickname }: Record<string, unknown> = response ?? {};
  if (resultcode !== '00') throw new AppError('OAUTH_PROVIDER_FAILED');
  // The email is ignored: the member may have entered it, and NAVER does not report whether it was verified.
  return identityFrom('NAVER', { subject: id, verifiedEmail: undefined, names: [nickname, name] });
}

/** Maps NAVER's errors to RFC 6749 §5.2: it sends them with status 200, and `invalid_request` for an invalid code. */
function adapt(body: string, { status, headers }: Response): Response {
  const { error } = parseObject(body);
  if (status !== 200 || typeof error !== 'string') return new Response(body, { status, headers });
  const standard = { error: error === 'invalid_request' ? 'invalid_grant' : error };
  return new Response(JSON.stringify(standard), { status: 400, headers: { 'Content-Type': 'application/json' } });
}
