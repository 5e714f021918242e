/** Talking to a provider: bounded in time and size, and every way to fail told as one of two errors. */
import * as client from 'openid-client';
import { AppError } from '../../errors.js';
import { say } from '../../messages/message.js';
import type { Log } from '../../observability/log.js';
import { tracedFetch } from '../../observability/tracing/fetch.js';
import type { CodeExchange } from './provider.js';

/** Bytes that an answer of a provider may have. */
const MOST_BYTES = 1_000_000;

/** Errors that mean: what came does not prove this login. Anything else is a provider that does not work. */
const UNPROVEN = new Set([
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
]);

/** RFC 6749 §5.2: the code is wrong, was used, has expired, or began with another redirect URI or verifier. */
const CODE_REFUSED = 'invalid_grant';

/** Runs what talks to the provider. @throws AppError OAUTH_REJECTED, OAUTH_PROVIDER_FAILED */
export async function asking<Result>(provider: string, log: Log, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const code = codeOf(cause);
    log.warn({ provider, code }, 'social login failed');
    if (code === CODE_REFUSED || UNPROVEN.has(code)) throw rejected(provider, cause);
    throw new AppError('OAUTH_PROVIDER_FAILED', { cause });
  }
}

export function rejected(provider: string, cause?: unknown): AppError {
  return new AppError('OAUTH_REJECTED', { message: say('loginUnconfirmed', provider), cause });
}

function codeOf(error: unknown): string {
  if (error instanceof client.ResponseBodyError) return error.error;
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : 'unknown';
}

export interface Transport {
  /** Milliseconds for each request. */
  timeout: number;
  /** Makes RFC 6749 of an answer that is not. */
  adapt?: (body: string, response: Response) => Response;
}

/** Answers are read here, up to a limit: a stream without end would otherwise be kept until the time is up. */
export function boundedFetch({ adapt }: Transport): client.CustomFetch {
  return async (url, options) => {
    const response = await tracedFetch(url, options as RequestInit);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > MOST_BYTES) throw new Error(`an answer of more than ${MOST_BYTES} bytes`);
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks).toString('utf8');
    if (adapt) return adapt(body, response);
    return new Response(body === '' ? null : body, { status: response.status, headers: response.headers });
  };
}

/** The redirect URI goes out as it was given: a URL object would add a slash to a bare origin. */
export function exactRedirect(fetch: client.CustomFetch, redirectUri: string): client.CustomFetch {
  return (url, options) => {
    if (options.body instanceof URLSearchParams && options.body.has('redirect_uri')) {
      options.body.set('redirect_uri', redirectUri);
    }
    return fetch(url, options);
  };
}

/** Exchanges a code for tokens. The state has been compared before, by the client or by us. */
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
  // RFC 9207 lets the client see from whom an answer came; ours has said so by naming the provider.
  if (hasIssuer) callback.searchParams.set('iss', issuer);
  // Read by the call below before anything else can run: the configuration is shared, its redirect URI is not.
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
