/** Requests to a social login provider: bounded in time and size; all failures become one of two errors. */
import * as client from 'openid-client';
import { AppError } from '../../../platform/errors.js';
import { boundedFetch } from '../../../platform/http/bounded-fetch.js';
import type { Log } from '../../../platform/observability/log.js';
import { type CodeExchange, rejected } from './provider.js';

/** Maximum size of a provider's response, in bytes. */
const MAX_BYTES = 1_000_000;

/** Error codes of openid-client for a response that does not prove this login. All other errors are failures of the provider. */
const UNPROVEN = new Set([
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
]);

/** RFC 6749 §5.2: the code is invalid, used, expired, or was issued for another redirect URI or verifier. */
const CODE_REJECTED = 'invalid_grant';

/** Runs requests to the provider and maps their errors. @throws AppError OAUTH_REJECTED, OAUTH_PROVIDER_FAILED */
export async function withProviderErrors<Result>(
  provider: string,
  log: Log,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const code = codeOf(cause);
    log.warn({ provider, code }, 'social login failed');
    if (code === CODE_REJECTED || UNPROVEN.has(code)) throw rejected(provider, cause);
    throw new AppError('OAUTH_PROVIDER_FAILED', { cause });
  }
}

function codeOf(error: unknown): string {
  if (error instanceof client.ResponseBodyError) return error.error;
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : 'unknown';
}

export interface Transport {
  /** For each request. */
  timeoutMs: number;
  /** Converts a non-standard response to one of RFC 6749. */
  adapt?: (body: string, response: Response) => Response;
}

/** Reads the whole response body, so that openid-client reports a timeout as a timeout, not as invalid JSON. */
export function createFetch({ adapt }: Transport): client.CustomFetch {
  const fetch = boundedFetch(MAX_BYTES);
  return async (url, options) => {
    const response = await fetch(url, options as RequestInit);
    const body = await response.text();
    if (adapt) return adapt(body, response);
    return new Response(body === '' ? null : body, { status: response.status, headers: response.headers });
  };
}

/** Sends the redirect URI unchanged: a URL object would add a slash to a bare origin. */
function exactRedirect(fetch: client.CustomFetch, redirectUri: string): client.CustomFetch {
  return (url, options) => {
    if (options.body instanceof URLSearchParams && options.body.has('redirect_uri')) {
      options.body.set('redirect_uri', redirectUri);
    }
    return fetch(url, options);
  };
}

/** Exchanges a code for tokens. The state has been compared before, by the client or by this service. */
export async function exchangeCode(
  config: client.Configuration,
  fetch: client.CustomFetch,
  exchange: CodeExchange,
  parameters: Record<string, string> = {},
) {
  const callback = new URL(exchange.redirectUri);
  callback.search = '';
  callback.searchParams.set('code', exchange.code);
  const { issuer, authorization_response_iss_parameter_supported: hasIssuer } = config.serverMetadata();
  // RFC 9207: `iss` identifies the issuer of the authorization response. The client has identified it by the provider's name.
  if (hasIssuer) callback.searchParams.set('iss', issuer);
  // The configuration is shared between requests, the redirect URI is not. The call below reads this property synchronously.
  config[client.customFetch] = exactRedirect(fetch, exchange.redirectUri);
  return client.authorizationCodeGrant(
    config,
    callback,
    {
      ...(exchange.codeVerifier !== undefined && { pkceCodeVerifier: exchange.codeVerifier }),
      ...(exchange.nonce !== undefined && { expectedNonce: exchange.nonce }),
    },
    parameters,
  );
}
