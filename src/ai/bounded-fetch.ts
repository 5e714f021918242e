/** A fetch that aborts a response body above a maximum size while it is received, whatever its Content-Length. */
import { tracedFetch } from '../observability/tracing/fetch.js';
import { TooLarge } from './provider-failure.js';

export function boundedFetch(mostBytes: number): typeof fetch {
  return async (input, init) => {
    // A redirect would send an article's text to an address that is not configured.
    const response = await tracedFetch(input, { ...init, redirect: 'error' });
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counting(mostBytes)), { status, statusText, headers });
  };
}

function counting(mostBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > mostBytes) controller.error(new TooLarge(`the response is larger than ${mostBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
