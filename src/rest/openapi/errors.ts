/** Error responses in the OpenAPI document. */
import { ERRORS, type ErrorKey } from '../../error-keys.js';
import { createMessage } from '../../messages/message.js';
import type { CompiledEndpoint } from '../engine/compile.js';
import { closed, envelope } from './envelope.js';
import { headersOfError } from './headers.js';
import type { Json } from './json.js';

const FIELD_ERROR_EXAMPLE = { field: 'email', message: createMessage('notEmail').in('en') };

export const FIELD_ERROR: Json = {
  ...closed({
    field: { type: 'string', description: 'Name of the field, parameter or multipart part in the request.' },
    message: { type: 'string', description: 'What was expected and what was received.' },
  }),
  description: 'A validation error of one field.',
  examples: [FIELD_ERROR_EXAMPLE],
};

/** @param shared is filled with the response components, which many endpoints share */
export function describeErrors(compiled: CompiledEndpoint, shared: Json): Json {
  const keys = errorsOf(compiled);
  const statuses = [...new Set(keys.map((key) => ERRORS[key]))].sort();
  return Object.fromEntries(
    statuses.map((status) => {
      const own = keys.filter((key) => ERRORS[key] === status);
      const name = own.join('.');
      shared[name] ??= describeFailure(status, own);
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

/** The error codes of an endpoint: those that its declaration lists and those that it implies. */
function errorsOf({ endpoint, variables, operation }: CompiledEndpoint): ErrorKey[] {
  const keys: ErrorKey[] = [
    ...endpoint.errors,
    'UNAUTHENTICATED',
    'TOKEN_EXPIRED',
    'HEADERS_TOO_LARGE',
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
  ];
  if (endpoint.auth === 'bearer' && operation.operation !== 'query') keys.push('RATE_LIMITED');
  if (variables.length > 0) keys.push('VALIDATION_FAILED');
  if (endpoint.path.includes('{')) keys.push('BAD_REQUEST');
  if (endpoint.body !== 'none') {
    keys.push('BAD_REQUEST', 'REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED');
  }
  return [...new Set(keys)].sort();
}

function describeFailure(status: number, keys: readonly ErrorKey[]): Json {
  const schema = envelope({ enum: keys, description: 'Machine-readable error code.' }, FAILURE);
  const examples = Object.fromEntries(keys.map((key) => [key, { value: exampleOf(key) }]));
  return {
    description: keys.map((key) => `${key}: ${createMessage(key).in('en')}`).join('\n\n'),
    headers: headersOfError(status),
    content: { 'application/json': { schema, examples } },
  };
}

function exampleOf(key: ErrorKey): Json {
  const data = key === 'VALIDATION_FAILED' ? { errors: [FIELD_ERROR_EXAMPLE] } : {};
  return { code: key, message: createMessage(key).in('en'), data };
}

const FAILURE: Json = {
  type: 'object',
  description: 'All invalid fields, if the error concerns fields; otherwise empty.',
  properties: {
    errors: {
      type: 'array',
      description: 'One entry per invalid field.',
      items: { $ref: '#/components/schemas/FieldError' },
    },
  },
  additionalProperties: false,
};
