/** The OpenAPI 3.1 document, derived from the endpoints, the schema and the inputs' validators. */
import type { GraphQLSchema } from 'graphql';
import { ERRORS, type ErrorKey } from '../errors.js';
import { say } from '../messages/message.js';
import type { CompiledEndpoint } from './compile.js';
import { describeUnchanged, describeValidators } from './openapi-caching.js';
import { describeStream, PIECES } from './openapi-events.js';
import { describeInputs } from './openapi-inputs.js';
import { LANGUAGE_COMPONENTS, LANGUAGE_HEADER } from './openapi-language.js';
import { describeSelection } from './openapi-selection.js';

export type Json = { [key: string]: unknown };

const HEADERS = { 'X-Request-Id': { description: 'The id of this request in the log.', schema: { type: 'string' } } };
/** Of answers with a body. */
const BODY_HEADERS = { ...HEADERS, ...LANGUAGE_HEADER };

/** @param version of the application; @param server the address under which it is reached */
export function describeApi(
  schema: GraphQLSchema,
  compiled: readonly CompiledEndpoint[],
  version: string,
  pageBase: number,
): Json {
  const components: Json = { FieldError: FIELD_ERROR };
  const paths: Record<string, Json> = {};
  for (const one of compiled) {
    const path = `/api${one.endpoint.path}`;
    paths[path] = {
      ...paths[path],
      [one.endpoint.method.toLowerCase()]: describeEndpoint(schema, one, components, pageBase),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Daybook',
      version,
      description: 'Every answer with a body is an envelope of `code`, `message` and `data`; `code` is "1" on success.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(compiled.map(({ endpoint }) => endpoint.group))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      ...LANGUAGE_COMPONENTS,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

function describeEndpoint(schema: GraphQLSchema, compiled: CompiledEndpoint, components: Json, pageBase: number): Json {
  const { endpoint } = compiled;
  return {
    operationId: operationId(compiled),
    summary: endpoint.summary,
    tags: [endpoint.group],
    security: endpoint.auth === 'bearer' ? [{ bearer: [] }] : [],
    ...describeInputs(compiled, pageBase),
    responses: {
      [endpoint.status]: describeSuccess(schema, compiled, components),
      ...describeUnchanged(endpoint, BODY_HEADERS),
      ...describeErrors(impliedErrors(compiled)),
    },
  };
}

/** The root field's name in the answer, which is unique among the endpoints. */
function operationId({ endpoint, operation }: CompiledEndpoint): string {
  const [root] = operation.selectionSet.selections;
  return root?.kind === 'Field' ? (root.alias ?? root.name).value : endpoint.path;
}

function describeSuccess(schema: GraphQLSchema, compiled: CompiledEndpoint, components: Json): Json {
  const { endpoint } = compiled;
  if (endpoint.status === 204) return { description: 'Done.', headers: HEADERS };
  const description = say(endpoint.message).in('en');
  if (endpoint.result.kind === 'stream') {
    return {
      description,
      headers: BODY_HEADERS,
      content: describeStream(schema, compiled, endpoint.result, components),
    };
  }
  const found = endpoint.result.kind === 'nothing' ? EMPTY : describeSelection(schema, compiled, components);
  const data = endpoint.result.kind === 'list' ? closed({ contents: found }) : found;
  const content = { ...json(envelope({ const: '1' }, data)), ...(endpoint.inPieces && PIECES) };
  return { description, headers: { ...BODY_HEADERS, ...describeValidators(endpoint) }, content };
}

/** What every endpoint of this kind can answer, beside what its declaration adds. */
function impliedErrors({ endpoint, variables, operation }: CompiledEndpoint): ErrorKey[] {
  const keys: ErrorKey[] = [
    ...endpoint.errors,
    'UNAUTHENTICATED',
    'TOKEN_EXPIRED',
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
  ];
  if (endpoint.auth === 'bearer' && operation.operation !== 'query') keys.push('RATE_LIMITED');
  if (variables.length > 0) keys.push('VALIDATION_FAILED');
  if (endpoint.path.includes('{')) keys.push('BAD_REQUEST');
  if (endpoint.body !== 'none') keys.push('BAD_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  return [...new Set(keys)].sort();
}

function describeErrors(keys: readonly ErrorKey[]): Json {
  const statuses = [...new Set(keys.map((key) => ERRORS[key]))].sort();
  return Object.fromEntries(
    statuses.map((status) => {
      const own = keys.filter((key) => ERRORS[key] === status);
      const description = own.map((key) => `${key}: ${say(key).in('en')}`).join('\n\n');
      return [status, { description, headers: errorHeaders(status), content: json(envelope({ enum: own }, FAILURE)) }];
    }),
  );
}

function errorHeaders(status: number): Json {
  if (status === 429) {
    return { ...BODY_HEADERS, 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } };
  }
  if (status !== 401) return BODY_HEADERS;
  return {
    ...BODY_HEADERS,
    'WWW-Authenticate': { description: 'The way to authenticate.', schema: { const: 'Bearer' } },
  };
}

function envelope(code: Json, data: Json): Json {
  return closed({ code: { type: 'string', ...code }, message: { type: 'string' }, data });
}

function closed(properties: Json): Json {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

const EMPTY: Json = { type: 'object', additionalProperties: false };

const FAILURE: Json = {
  type: 'object',
  description: 'The fields at fault, all of them, where fields are at fault.',
  properties: { errors: { type: 'array', items: { $ref: '#/components/schemas/FieldError' } } },
  additionalProperties: false,
};

const FIELD_ERROR: Json = {
  type: 'object',
  properties: {
    field: { type: 'string', description: 'The name of the field, parameter or part, as the client sends it.' },
    message: { type: 'string', description: 'What was expected, and what came.' },
  },
  required: ['field', 'message'],
  additionalProperties: false,
};
