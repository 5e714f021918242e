/** `fetch` for outgoing HTTP requests: bounded in size, each traced as a client span. */
import { type Span, SpanKind } from '@opentelemetry/api';
import { awaitNameServer } from '../name-lookup.js';
import { inSpan } from '../observability/tracing/span.js';

export class ResponseTooLargeError extends Error {}

/** The response body fails with a ResponseTooLargeError once more than `maxBytes` are received, whatever its Content-Length. */
export function boundedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await tracedFetch(input, init);
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(limitBytes(maxBytes)), { status, statusText, headers });
  };
}

/**
 * Records the method, the host and the status only, since URLs and bodies contain codes, keys and texts. Sends no
 * `traceparent` header: trace ids are not disclosed to third parties.
 */
const tracedFetch: typeof fetch = (input, init) => {
  const url = input instanceof Request ? input.url : input;
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
  const host = new URL(url).hostname;
  const options = { kind: SpanKind.CLIENT, attributes: { 'http.request.method': method, 'server.address': host } };
  const send = async (span: Span) => {
    await awaitNameServer(host, init?.signal).catch((cause) => {
      init?.signal?.throwIfAborted();
      throw new TypeError('fetch failed', { cause });
    });
    const response = await fetch(input, init);
    span.setAttribute('http.response.status_code', response.status);
    return response;
  };
  return inSpan(`${method} ${host}`, options, send, ({ status }) => (status >= 400 ? String(status) : undefined));
};

function limitBytes(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > maxBytes) controller.error(new ResponseTooLargeError(`a response of more than ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
