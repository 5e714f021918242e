/** Responses in the OpenAPI document: success, streams and errors. */
import { type GraphQLInputType, type GraphQLSchema, getNullableType, isInputObjectType } from 'graphql';
import { ERRORS, type ErrorKey } from '../../platform/error-keys.js';
import { EVENT_STREAM, eventText } from '../../platform/http/sse.js';
import { createMessage } from '../../platform/messages/message.js';
import { PublicKeyCredentialJSON } from '../../schema/passkey.js';
import type { CompiledEndpoint } from '../engine/compile.js';
import type { StreamResult } from '../engine/endpoint.js';
import { BODY_HEADERS, DOWNLOAD_HEADERS, headersOfError, headersOfSuccess } from './headers.js';
import { closed, EMPTY, envelope, exampleOf, type Json } from './json-schema.js';
import { describeSelection } from './selection.js';

const FIELD_ERROR_EXAMPLE = { field: 'email', message: createMessage('notEmail').in('en') };

export const FIELD_ERROR: Json = {
  ...closed({
    field: { type: 'string', description: 'Name of the field, parameter or multipart part in the request.' },
    message: { type: 'string', description: 'What was expected and what was received.' },
  }),
  description: 'A validation error of one field.',
  examples: [FIELD_ERROR_EXAMPLE],
};

export function describeSuccess(schema: GraphQLSchema, compiled: CompiledEndpoint, components: Json): Json {
  const { endpoint } = compiled;
  if (endpoint.status === 204) return { description: 'Success, without a body.', headers: headersOfSuccess(compiled) };
  const message = createMessage(endpoint.message).in('en');
  if (endpoint.result.kind === 'stream') {
    const content = describeStream(schema, compiled, endpoint.result, components);
    return { description: message, headers: BODY_HEADERS, content };
  }
  if (endpoint.result.kind === 'download') {
    const { mediaType } = endpoint.result;
    return {
      description: message,
      headers: DOWNLOAD_HEADERS,
      content: { [mediaType]: { schema: { contentMediaType: mediaType } } },
    };
  }
  if (endpoint.result.kind === 'text') {
    const { mediaType } = endpoint.result;
    const { properties } = describeSelection(schema, compiled, components) as { properties: Record<string, Json> };
    const [text = {}] = Object.values(properties);
    const content = { [mediaType]: { schema: text, example: exampleOf(text, components) } };
    return { description: message, headers: headersOfSuccess(compiled), content };
  }
  const selected = endpoint.result.kind === 'nothing' ? EMPTY : describeSelection(schema, compiled, components);
  const data = endpoint.result.kind === 'list' ? completeList(selected) : selected;
  const example = { code: '1', message, data: exampleOf(data, components) };
  const json = { schema: envelope({ const: '1', description: 'Success.' }, data), example };
  const content = { 'application/json': json, ...(endpoint.streamable && describeChunks(example)) };
  return { description: message, headers: headersOfSuccess(compiled), content };
}

/** The response without a result yet. */
export function describePending(compiled: CompiledEndpoint): Json {
  const { pendingMessage } = compiled.endpoint;
  if (!pendingMessage) return {};
  const message = createMessage(pendingMessage).in('en');
  const schema = envelope({ const: '1', description: 'Success.' }, EMPTY);
  const content = { 'application/json': { schema, example: { code: '1', message, data: {} } } };
  return { 202: { description: message, headers: headersOfSuccess(compiled), content } };
}

export function describeUnchanged(compiled: CompiledEndpoint): Json {
  if (!compiled.endpoint.isPublicRead) return {};
  return { 304: { description: "The client's cached copy is current.", headers: headersOfSuccess(compiled) } };
}

/** @param shared is filled with the response components, which many endpoints share */
export function describeErrors(compiled: CompiledEndpoint, shared: Json): Json {
  const keys = errorsOf(compiled);
  const statuses = [...new Set(keys.map((key) => ERRORS[key]))].sort();
  return Object.fromEntries(
    statuses.map((status) => {
      const ofStatus = keys.filter((key) => ERRORS[key] === status);
      const name = ofStatus.join('.');
      shared[name] ??= describeError(status, ofStatus);
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function completeList(contents: Json): Json {
  return {
    ...closed({ contents: { ...contents, description: 'All elements of the list.' } }),
    description: 'A complete list, without pagination.',
  };
}

/** The content of a response in chunks, the alternative to the JSON response. @param response an example of the JSON response */
function describeChunks(response: Json): Json {
  const delta = eventText({ event: 'delta', data: JSON.stringify({ text: 'Wait until' }) });
  const done = eventText({ event: 'done', data: JSON.stringify(response) });
  return events(
    'For clients that prefer this media type. Each chunk is a Server-Sent Event named `delta` with `{"text"}` as its ' +
      '`data`. The last event is `done`, with the complete JSON response, which is authoritative, or `error`, with ' +
      'the JSON error response. An error before the first chunk is a regular error response with its status.',
    delta + done,
  );
}

/** The content of an event stream: the description names the schema of the events' data. */
function describeStream(
  schema: GraphQLSchema,
  compiled: CompiledEndpoint,
  { event }: StreamResult,
  components: Json,
): Json {
  const shape = describeSelection(schema, compiled, components);
  const { $ref } = shape;
  const example = exampleOf(shape, components) as Json;
  const type = String($ref).split('/').at(-1);
  return events(
    `An endless stream of Server-Sent Events. Each event named \`${event}\` has an \`id\`, ` +
      `and its \`data\` is a ${type} (${$ref}) as JSON in one line.`,
    eventText({ event, id: String(example.id), data: JSON.stringify(example) }),
  );
}

function events(description: string, example: string): Json {
  return { [EVENT_STREAM]: { schema: { type: 'string', description }, example } };
}

/** The error codes of an endpoint: those that its declaration lists and those that it implies. */
export function errorsOf({ endpoint, variables, acceptsKey, ignoresToken, scopeNeeds }: CompiledEndpoint): ErrorKey[] {
  const keys: ErrorKey[] = [...endpoint.errors, ...EVERYWHERE];
  if (!ignoresToken) keys.push('UNAUTHENTICATED', 'TOKEN_EXPIRED', 'MEMBER_SUSPENDED');
  if (scopeNeeds.some(({ isExcluded }) => isExcluded || endpoint.auth === 'bearer')) keys.push('SCOPE_MISSING');
  if (acceptsKey) keys.push('IDEMPOTENCY_KEY_IN_USE', 'IDEMPOTENCY_KEY_REUSED');
  if (acceptsKey && variables.some(({ type }) => isUnbounded(type))) keys.push('QUERY_TOO_COMPLEX');
  const isChecked = variables.some(({ source }) => source.in === 'object' || !source.acceptsAny);
  if (acceptsKey || isChecked || !endpoint.ignoresUnknownParameters) keys.push('VALIDATION_FAILED');
  if (endpoint.path.includes('{')) keys.push('BAD_REQUEST');
  if (endpoint.body !== 'none') {
    keys.push('BAD_REQUEST', 'REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  }
  return [...new Set(keys)].sort();
}

/** RATE_LIMITED: the connections of a network and the requests on one of them are limited. */
const EVERYWHERE = ['HEADERS_TOO_LARGE', 'INTERNAL_ERROR', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'] as const;

/** Whether a value of this type can contain any number of other values. Lists have a maximum length, which is checked before. */
function isUnbounded(type: GraphQLInputType): boolean {
  const nullable = getNullableType(type);
  if (isInputObjectType(nullable)) return Object.values(nullable.getFields()).some((field) => isUnbounded(field.type));
  return nullable === PublicKeyCredentialJSON;
}

function describeError(status: number, keys: readonly ErrorKey[]): Json {
  const schema = envelope({ enum: keys, description: 'Machine-readable error code.' }, ERROR_DATA);
  const examples = Object.fromEntries(keys.map((key) => [key, { value: errorExample(key) }]));
  return {
    description: keys.map((key) => `${key}: ${createMessage(key).in('en')}`).join('\n\n'),
    headers: headersOfError(status, keys),
    content: { 'application/json': { schema, examples } },
  };
}

function errorExample(key: ErrorKey): Json {
  const data = key === 'VALIDATION_FAILED' ? { errors: [FIELD_ERROR_EXAMPLE] } : {};
  return { code: key, message: createMessage(key).in('en'), data };
}

const ERROR_DATA: Json = {
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
