/** Resolves the callback of a social login to the identity at the provider. */
import { AppError, invalid } from '../../../platform/errors.js';
import { networkOf } from '../../../platform/http/client-address.js';
import { createMessage } from '../../../platform/messages/message.js';
import { isSameSecret } from '../../../platform/text.js';
import { assertNotRateLimited } from '../../limits/rate-limiter.js';
import { type Caller } from '../policy.js';
import { secretsOf } from '../session.js';
import { type Attempt, beginAttempt, recognizeAttempt } from './attempt.js';
import { type Identity, type Provider, rejected } from './provider.js';
import { providerNamed } from './providers.js';

/** The callback parameters that a client sends. */
export interface Callback {
  provider: string;
  code: string;
  redirectUri?: string | null | undefined;
  codeVerifier?: string | null | undefined;
  state?: string | null | undefined;
  nonce?: string | null | undefined;
}

/** The authorization URL, and the secrets that the client stores until the callback. @throws AppError PROVIDER_UNSUPPORTED, VALIDATION_FAILED */
export async function beginLogin(
  caller: Caller,
  provider: string,
  redirectUri: string | null | undefined,
): Promise<Attempt & { url: string }> {
  const attempt = beginAttempt(caller.jwtSecret);
  const redirect = allowedRedirect(caller, redirectUri);
  const url = await providerNamed(caller.services.oauthProviders, provider).authorizationUrl({
    ...attempt,
    redirectUri: redirect,
  });
  return { ...attempt, url };
}

/** The checks of a callback that do not use up its one-time code. @throws AppError PROVIDER_UNSUPPORTED, VALIDATION_FAILED */
export function checkCallback(caller: Caller, callback: Callback): { provider: Provider; redirectUri: string } {
  return {
    provider: providerNamed(caller.services.oauthProviders, callback.provider),
    redirectUri: allowedRedirect(caller, callback.redirectUri),
  };
}

/** @throws AppError PROVIDER_UNSUPPORTED, VALIDATION_FAILED, OAUTH_REJECTED, OAUTH_PROVIDER_FAILED, RATE_LIMITED */
export async function identify(caller: Caller, callback: Callback): Promise<Identity> {
  const { provider, redirectUri } = checkCallback(caller, callback);
  const network = networkOf(caller.client.address);
  assertNotRateLimited(await caller.limits.social.retryAfterMs(caller.database, network), 'rejected social logins');
  try {
    return await provider.identify({ code: callback.code, redirectUri, ...expectationsOf(caller, callback) });
  } catch (error) {
    if (error instanceof AppError && error.key === 'OAUTH_REJECTED')
      await caller.limits.social.count(caller.database, network);
    throw error;
  }
}

/** Exact comparison (RFC 9700 §4.1.3). */
function allowedRedirect({ config }: Caller, redirectUri: string | null | undefined): string {
  const allowed = config.oauthRedirectUris;
  const requested = redirectUri ?? allowed[0] ?? '';
  if (!allowed.includes(requested)) throw invalid('redirectUri', createMessage('redirectNotAllowed'));
  return requested;
}

/** A verifier of this service determines nonce and state; a client with its own verifier sends its own nonce and state. */
function expectationsOf(caller: Caller, { provider, codeVerifier, state, nonce }: Callback) {
  const attempt = codeVerifier ? recognizeAttempt(codeVerifier, secretsOf(caller)) : null;
  if (attempt && state != null && !isSameSecret(state, attempt.state)) throw rejected(provider);
  return {
    codeVerifier: codeVerifier ?? undefined,
    nonce: attempt?.nonce ?? nonce ?? undefined,
    state: attempt?.state ?? state ?? undefined,
  };
}
