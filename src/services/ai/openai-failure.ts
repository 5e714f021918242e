/** Maps the errors of requests to failures of the provider. */
import { ResponseTooLargeError } from '../../platform/http/bounded-fetch.js';
import { ProviderError } from './chat-completions.js';
import { ProviderFailure } from './provider-failure.js';

export function toFailure(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (causes(error).some((cause) => cause instanceof ResponseTooLargeError))
    return new ProviderFailure('size', { cause: error });
  if (error instanceof ProviderError) return fromStatus(error);
  // fetch throws a TypeError if there is no connection, or if it breaks in the middle of the body. All other errors are invalid JSON.
  const reason = error instanceof TypeError ? 'connection' : 'unreadable';
  return new ProviderFailure(reason, { cause: error });
}

/** The HTTP status of the provider's response; undefined if there was none. */
export function statusOf({ cause }: ProviderFailure): number | undefined {
  return cause instanceof ProviderError ? cause.status : undefined;
}

function fromStatus(error: ProviderError): ProviderFailure {
  const { status } = error;
  const retryAfter = secondsOf(error.headers.get('retry-after'));
  if (status === 401 || status === 403) return new ProviderFailure('key', { cause: error });
  if (status === 429) return new ProviderFailure('busy', { cause: error, retryAfter });
  if (status === 408 || status >= 500) return new ProviderFailure('server', { cause: error, retryAfter });
  return new ProviderFailure('refused', { cause: error });
}

/** Retry-After in seconds (RFC 9110 §10.2.3: a number of seconds, or a date). */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

function causes(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let at = error; at instanceof Error && chain.length < 5; at = at.cause) chain.push(at);
  return chain;
}
