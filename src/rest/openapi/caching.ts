/** Conditional GET in the OpenAPI document. */
import type { Endpoint } from '../engine/endpoint.js';
import { BODY_HEADERS, refer } from './headers.js';
import type { Json } from './json.js';
import { HEADER_VALUE } from './scalars.js';

/** The request headers of conditional GET. */
export const CONDITION_COMPONENTS: Json = {
  'If-None-Match': parameter(
    'If-None-Match',
    'Entity tags of the copies in the cache of the client. If one of them is current, the status is 304.',
    'W/"q3Zc8mV0"',
  ),
  'If-Modified-Since': parameter(
    'If-Modified-Since',
    'Last-Modified of the copy in the cache of the client. Ignored if If-None-Match is present.',
    'Fri, 20 Nov 2026 09:30:00 GMT',
  ),
};

/** The headers of a cacheable response. */
export const VALIDATOR_COMPONENTS: Json = {
  ETag: header('Weak entity tag, different for every state of the response.'),
  'Last-Modified': header('Time of the last change to the data in the response, in UTC (HTTP date).'),
  'Cache-Control': header(
    'The response may be stored and must be revalidated before each use; a response to a request with a token must ' +
      'not be stored.',
  ),
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
  return { 304: { description: "The client's cached copy is current.", headers } };
}

function parameter(name: string, description: string, example: string): Json {
  return { name, in: 'header', required: false, description, schema: HEADER_VALUE, example };
}

function header(description: string): Json {
  return { description, schema: { type: 'string' } };
}
