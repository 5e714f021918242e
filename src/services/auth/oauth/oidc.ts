/** OpenID Connect providers: GOOGLE, KAKAO, and any other in the configuration. */
import ms from 'ms';
import * as client from 'openid-client';
import { isLoopback } from '../../../platform/config/addresses.js';
import type { ProviderSettings } from '../../../platform/config/settings/oauth.js';
import type { Log } from '../../../platform/observability/log.js';
import {
  type Authorization,
  type CodeExchange,
  type Identity,
  identityFrom,
  type Provider,
  rejected,
} from './provider.js';
import { createFetch, exchangeCode, type Transport, withProviderErrors } from './transport.js';

/** Lifetime of the cached discovery metadata. */
const METADATA_LIFETIME_MS = ms('1h');

type Discovered = Awaited<ReturnType<typeof client.discovery>>;

export function oidcProvider(settings: ProviderSettings, transport: Transport, log: Log): Provider {
  const fetch = createFetch(transport);
  const discover = cacheMetadata(() => discovery(settings, transport, fetch));
  return {
    name: settings.name,
    authorizationUrl: (authorization) =>
      withProviderErrors(settings.name, log, async () => authorizationUrl(await discover(), authorization)),
    identify: (exchange) =>
      withProviderErrors(settings.name, log, async () => identify(settings, await discover(), fetch, exchange)),
  };
}

/** Caches the discovery metadata for its lifetime. A failure is not cached. */
function cacheMetadata(find: () => Promise<Discovered>): () => Promise<client.Configuration> {
  let metadata: Promise<Discovered> | undefined;
  let expiresAt = 0;
  return async () => {
    if (!metadata || Date.now() > expiresAt) {
      expiresAt = Date.now() + METADATA_LIFETIME_MS;
      metadata = find();
      metadata.catch(() => {
        metadata = undefined;
      });
    }
    return metadata;
  };
}

/** The ID token's signature is verified too, although TLS authenticates the token endpoint (non-repudiation checks). */
function discovery(
  { issuer, clientId, clientSecret }: ProviderSettings,
  { timeoutMs }: Transport,
  fetch: client.CustomFetch,
): Promise<Discovered> {
  const url = new URL(issuer);
  const insecure = url.protocol === 'http:' && isLoopback(url.hostname) ? [client.allowInsecureRequests] : [];
  return client.discovery(url, clientId, undefined, client.ClientSecretPost(clientSecret), {
    [client.customFetch]: fetch,
    execute: [...insecure, client.enableNonRepudiationChecks],
    timeout: timeoutMs / 1000,
  });
}

function authorizationUrl(config: client.Configuration, { codeChallenge, ...authorization }: Authorization): string {
  return client.buildAuthorizationUrl(config, {
    redirect_uri: authorization.redirectUri,
    scope: 'openid email profile',
    state: authorization.state,
    nonce: authorization.nonce,
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
  }).href;
}

async function identify(
  { name: provider }: ProviderSettings,
  discovered: client.Configuration,
  fetch: client.CustomFetch,
  exchange: CodeExchange,
): Promise<Identity> {
  const tokens = await exchangeCode(discovered, fetch, exchange);
  const claims = tokens.claims();
  if (!claims) throw rejected(provider);
  const profile = await profileOf(discovered, claims, tokens.access_token);
  const isVerified = profile.email_verified === true || profile.email_verified === 'true';
  return identityFrom(provider, {
    subject: claims.sub,
    verifiedEmail: isVerified ? profile.email : undefined,
    names: [profile.name, profile.nickname, profile.preferred_username],
  });
}

type Claims = Readonly<Record<string, unknown>>;

/** Some providers include the profile in the ID token, others only return it from the UserInfo endpoint. */
async function profileOf(config: client.Configuration, claims: client.IDToken, accessToken: string): Promise<Claims> {
  const isComplete = claims.email_verified !== undefined && claims.name !== undefined;
  if (isComplete || !config.serverMetadata().userinfo_endpoint) return claims;
  return { ...claims, ...(await client.fetchUserInfo(config, accessToken, claims.sub)) };
}
