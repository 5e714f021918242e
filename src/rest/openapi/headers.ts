/** The response headers in the OpenAPI document. */
import type { Json } from './json.js';
import { LANGUAGE_HEADER } from './language.js';
import { COUNT } from './scalars.js';

/** The components that the references below point to. */
export const HEADER_COMPONENTS: Json = {
  'X-Request-Id': { description: 'ID of this request in the server log.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: COUNT },
  'WWW-Authenticate': { description: 'The required authentication scheme.', schema: { const: 'Bearer' } },
};

export const HEADERS = refer('X-Request-Id');
/** Headers of responses with a body. */
export const BODY_HEADERS = { ...HEADERS, ...LANGUAGE_HEADER };

/** Headers of an error response with this status. */
export function headersOfError(status: number): Json {
  if (status === 429 || status === 503) return { ...BODY_HEADERS, ...refer('Retry-After') };
  return status === 401 ? { ...BODY_HEADERS, ...refer('WWW-Authenticate') } : BODY_HEADERS;
}

/** References to header components, keyed by header name. */
export function refer(...names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
