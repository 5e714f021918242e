/** Request and response headers in the OpenAPI document. */
import { LANGUAGES } from '../../messages/message.js';
import { type Endpoint, isPublicRead } from '../engine/endpoint.js';
import { COUNT, HEADER_VALUE, type Json } from './json-schema.js';

/** The request headers of conditional GET. */
const CONDITIONS: Json = {
  'If-None-Match': condition(
    'If-None-Match',
    'Entity tags of the copies in the cache of the client. If one of them is current, the status is 304.',
    'W/"q3Zc8mV0"',
  ),
  'If-Modified-Since': condition(
    'If-Modified-Since',
    'Last-Modified of the copy in the cache of the client. Ignored if If-None-Match is present.',
    'Fri, 20 Nov 2026 09:30:00 GMT',
  ),
};

/** The headers of a cacheable response. */
const VALIDATORS: Json = {
  ETag: { description: 'Weak entity tag, different for every state of the response.', schema: { type: 'string' } },
  'Last-Modified': {
    description: 'Time of the last change to the data in the response, in UTC (HTTP date).',
    schema: { type: 'string' },
  },
  'Cache-Control': {
    description:
      'The response may be stored and must be revalidated before each use; a response to a request with a token must ' +
      'not be stored.',
    schema: { type: 'string' },
  },
};

export const PARAMETER_COMPONENTS: Json = {
  'Accept-Language': {
    name: 'Accept-Language',
    in: 'header',
    description: `Preferred languages of messages (RFC 9110 §12.5.4). Supported: ${LANGUAGES.join(' and ')}; the default is en.`,
    schema: { ...HEADER_VALUE, default: 'en' },
    example: 'en-GB, en;q=0.9, ko;q=0.5',
  },
  ...CONDITIONS,
};

export const HEADER_COMPONENTS: Json = {
  'X-Request-Id': { description: 'ID of this request in the server log.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: COUNT },
  'WWW-Authenticate': { description: 'The required authentication scheme.', schema: { const: 'Bearer' } },
  'Content-Language': {
    description: 'The language of the messages in this response.',
    schema: { type: 'string', enum: LANGUAGES },
  },
  'Content-Disposition': { description: 'The name of the file.', schema: { type: 'string' } },
  ...VALIDATORS,
};

/** Headers of responses without a body. */
export const HEADERS = referTo('X-Request-Id');
/** Headers of responses with a body. */
export const BODY_HEADERS = referTo('X-Request-Id', 'Content-Language');

/** Headers of a file. */
export const DOWNLOAD_HEADERS = referTo('X-Request-Id', 'Content-Disposition');

/** References to the request headers of an endpoint. */
export function requestHeadersOf(endpoint: Endpoint): Json[] {
  const names = [...(isPublicRead(endpoint) ? Object.keys(CONDITIONS) : []), 'Accept-Language'];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** Headers of the 200 and 304 responses of an endpoint. */
export function headersOfCacheable(endpoint: Endpoint): Json {
  return isPublicRead(endpoint) ? { ...BODY_HEADERS, ...referTo(...Object.keys(VALIDATORS)) } : BODY_HEADERS;
}

/** Headers of an error response with this status. */
export function headersOfError(status: number): Json {
  if (status === 429 || status === 503) return { ...BODY_HEADERS, ...referTo('Retry-After') };
  return status === 401 ? { ...BODY_HEADERS, ...referTo('WWW-Authenticate') } : BODY_HEADERS;
}

/** References to header components, keyed by header name. */
function referTo(...names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function condition(name: string, description: string, example: string): Json {
  return { name, in: 'header', required: false, description, schema: HEADER_VALUE, example };
}
