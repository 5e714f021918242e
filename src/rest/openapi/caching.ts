/** Conditional GET in the OpenAPI document. */
import type { Endpoint } from '../engine/endpoint.js';
import { BODY_HEADERS, refer } from './headers.js';
import type { Json } from './json.js';
import { HEADER_VALUE } from './scalars.js';

/** The request headers of conditional GET. */
export const CONDITION_COMPONENTS: Json = {
  'If-None-Match': parameter(
    'If-None-Match',
    'Entity tags of copies that the client has. Where one is current, the answer is 304.',
    'W/"q3Zc8mV0"',
  ),
  'If-Modified-Since': parameter(
    'If-Modified-Since',
    'The Last-Modified of the copy that the client has; counts without If-None-Match only.',
    'Fri, 20 Nov 2026 09:30:00 GMT',
  ),
};

/** The headers of a cacheable response. */
export const VALIDATOR_COMPONENTS: Json = {
  ETag: header('Another one for every state of the answer, weak.'),
  'Last-Modified': header('When what is shown changed last.'),
  'Cache-Control': header('A copy may be kept, and asked about before each use; none of an answer to a token.'),
};

export function describeConditions({ validator }: Endpoint): Json[] {
  if (!validator) return [];
  return Object.keys(CONDITION_COMPONENTS).map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

export function describeValidators({ validator }: Endpoint): Json {
  return validator ? refer(...Object.keys(VALIDATOR_COMPONENTS)) : {};
}

export function describeUnchanged(endpoint: Endpoint): Json {
  if (!endpoint.validator) return {};
  const headers = { ...BODY_HEADERS, ...describeValidators(endpoint) };
  return { 304: { description: "The client's copy is current.", headers } };
}

function parameter(name: string, description: string, example: string): Json {
  return { name, in: 'header', required: false, description, schema: HEADER_VALUE, example };
}

function header(description: string): Json {
  return { description, schema: { type: 'string' } };
}
