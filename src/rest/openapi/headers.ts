/** Request and response headers in the OpenAPI document. */
import type { ErrorKey } from '../../platform/error-keys.js';
import { LANGUAGES } from '../../platform/messages/message.js';
import { MAX_KEY_CHARACTERS } from '../../services/idempotency/key.js';
import type { CompiledEndpoint } from '../engine/compile.js';
import { COUNT, HEADER_VALUE, type Json } from './json-schema.js';

/** The request header of a change that can be retried, and that of its retries' responses. */
const KEY = 'Idempotency-Key';
const REPLAYED = 'Idempotency-Replayed';

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
  ETag: {
    description:
      'Weak entity tag, different for every state of the response. That of an article or a comment begins with its revision ' +
      'and a dot, for If-Match.',
    schema: { type: 'string' },
  },
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
  'If-Match': condition(
    'If-Match',
    'The `ETag` of the response that the change is based on, such as `W/"3.q3Zc8mV0"`, several of them, or `*` for any state. Only the part ' +
      'before the dot, the revision, is compared with the current one. If none is equal, nothing changes and the status is 412.',
    '*',
  ),
  // No example: the reference would send the same key with every request.
  [KEY]: {
    name: KEY,
    in: 'header',
    required: false,
    description:
      'A unique value for this request, such as a UUID (`5b9a36a3-0c9e-4a3b-9c52-6f8a2f2f0a61`). If the response is lost, send the request again with the same key: ' +
      'within 24 hours it is not executed again, and the response is the same. ' +
      'The same key with another request is rejected with 422.',
    schema: { type: 'string', pattern: '^[!-~]+$', minLength: 1, maxLength: MAX_KEY_CHARACTERS },
  },
};

export const HEADER_COMPONENTS: Json = {
  'X-Request-Id': { description: 'ID of this request in the server log.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: COUNT },
  'WWW-Authenticate': {
    description:
      'The required authentication scheme, and if the scope of an API token is missing, the reason and scopes that suffice (RFC 6750 §3).',
    schema: { type: 'string', pattern: '^Bearer( error="insufficient_scope"(, scope="[a-z]+( [a-z]+)*")?)?$' },
  },
  'Content-Language': {
    description: 'The language of the messages in this response.',
    schema: { type: 'string', enum: LANGUAGES },
  },
  [REPLAYED]: {
    description: 'Present if this is the stored response to an earlier request with the same Idempotency-Key.',
    schema: { const: 'true' },
  },
  'X-Robots-Tag': { description: 'Search engines do not index the response.', schema: { const: 'noindex' } },
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
export function requestHeadersOf({ endpoint, acceptsKey }: CompiledEndpoint): Json[] {
  const names = [
    ...(endpoint.isTaggedByContent ? ['If-None-Match'] : endpoint.isPublicRead ? Object.keys(CONDITIONS) : []),
    ...(endpoint.errors.includes('PRECONDITION_FAILED') ? ['If-Match'] : []),
    ...(acceptsKey ? [KEY] : []),
    'Accept-Language',
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** Headers of the successful and 304 responses of an endpoint. */
export function headersOfSuccess({ endpoint, acceptsKey }: CompiledEndpoint): Json {
  const isDated = endpoint.isPublicRead && !endpoint.isTaggedByContent;
  const hasTag = endpoint.isRevisioned || endpoint.isTaggedByContent;
  const validators = isDated ? Object.keys(VALIDATORS) : hasTag ? ['ETag'] : [];
  const ofEndpoint = referTo(
    ...validators,
    ...(acceptsKey ? [REPLAYED] : []),
    ...(endpoint.isNotIndexed ? ['X-Robots-Tag'] : []),
  );
  const isWithoutMessage = endpoint.status === 204 || endpoint.result.kind === 'text';
  return { ...(isWithoutMessage ? HEADERS : BODY_HEADERS), ...ofEndpoint };
}

/** Headers of an error response with this status. */
export function headersOfError(status: number, keys: readonly ErrorKey[]): Json {
  if (status === 429 || status >= 502 || keys.includes('IDEMPOTENCY_KEY_IN_USE'))
    return { ...BODY_HEADERS, ...referTo('Retry-After') };
  return status === 401 || keys.includes('SCOPE_MISSING')
    ? { ...BODY_HEADERS, ...referTo('WWW-Authenticate') }
    : BODY_HEADERS;
}

/** References to header components, keyed by header name. */
function referTo(...names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function condition(name: string, description: string, example: string): Json {
  return { name, in: 'header', required: false, description, schema: HEADER_VALUE, example };
}
