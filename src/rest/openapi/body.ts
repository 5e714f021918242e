/** The request body of an endpoint in the OpenAPI document. */
import { isNonNullType } from 'graphql';
import { MAX_IMAGE_BYTES } from '../../images/image.js';
import type { Endpoint } from '../engine/endpoint.js';
import { bodyExampleOf } from '../engine/example.js';
import { type Input, schemaOf } from './input-schema.js';
import type { Json } from './json.js';

export function describeBody(endpoint: Endpoint, fields: Input[], files: Input[]): Json {
  if (endpoint.body === 'none') return {};
  const request = describeFields(fields);
  const example = bodyExampleOf(endpoint);
  return {
    requestBody: {
      required: endpoint.body !== 'optional',
      content: {
        ...(endpoint.body === 'multipart' && { 'multipart/form-data': describeParts(request, files, example) }),
        'application/json': { schema: request, example },
      },
    },
  };
}

function describeFields(fields: Input[]): Json {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((input) => [input.source.name, describeField(input)])),
    required: fields.filter(({ type }) => isNonNullType(type)).map(({ source }) => source.name),
    additionalProperties: false,
  };
}

function describeParts(request: Json, files: Input[], example: Json): Json {
  const parts = files.map(({ source, description }) => [
    source.name,
    {
      description: `${description ?? ''} At most ${MAX_IMAGE_BYTES} bytes.`.trim(),
      contentMediaType: 'application/octet-stream',
    },
  ]);
  return {
    schema: {
      type: 'object',
      properties: { request: { ...request, description: 'Fields as a JSON object.' }, ...Object.fromEntries(parts) },
      additionalProperties: false,
    },
    example: { request: example },
    encoding: { request: { contentType: 'application/json' } },
  };
}

/** Null and absent are equivalent for an optional field. */
function describeField(input: Input): Json {
  const { type, description } = input;
  const present = schemaOf(input);
  const { enum: values } = present;
  const nullable = {
    ...present,
    type: [present.type, 'null'],
    ...(Array.isArray(values) && { enum: [...values, null] }),
  };
  return { ...(isNonNullType(type) ? present : nullable), ...(description && { description }) };
}
