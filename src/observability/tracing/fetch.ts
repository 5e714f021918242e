/** `fetch` for the services that this one asks, each request a span. */
import { inSpan, type OpenSpan } from './span.js';

/**
 * Tells the method, the host and the status: addresses and bodies hold codes, keys and texts. Nothing is told to the
 * other side either: whom a request is for is none of its business.
 */
export const tracedFetch: typeof fetch = (input, init) => {
  const address = input instanceof Request ? input.url : input;
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
  const host = new URL(address).hostname;
  const attributes = { 'http.request.method': method, 'server.address': host };
  const ask = async (open?: OpenSpan) => {
    const response = await fetch(input, init);
    open?.set({ 'http.response.status_code': response.status });
    return response;
  };
  return inSpan({ name: `${method} ${host}`, kind: 'client', attributes }, ask, failureOf);
};

function failureOf({ status }: Response): string | undefined {
  return status >= 400 ? String(status) : undefined;
}
