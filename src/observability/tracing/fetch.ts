/** `fetch` for outgoing HTTP requests, each traced as a client span. */
import { inSpan, type OpenSpan } from './span.js';

/**
 * Records the method, the host and the status only, since URLs and bodies contain codes, keys and texts. Sends no
 * `traceparent` header: trace ids are not disclosed to third parties.
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
