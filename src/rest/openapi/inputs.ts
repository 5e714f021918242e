/** Parameters and bodies in the OpenAPI document: types from the schema, constraints from the validators. */
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import { constraintsOf } from '../../schema/constraints.js';
import { MAX_IMAGE_BYTES } from '../../services/images/image.js';
import type { CompiledEndpoint } from '../engine/compile.js';
import type { Variable } from '../engine/declaration.js';
import type { CompleteEndpoint } from '../engine/endpoint.js';
import { bodyExampleOf } from '../engine/example.js';
import type { SourceLocation, ValueSource } from '../engine/source.js';
import { requestHeadersOf } from './headers.js';
import { type Json, SCALARS } from './json-schema.js';

interface Input {
  source: ValueSource;
  type: GraphQLInputType;
  constraints: Json;
  description?: string | null | undefined;
  defaultValue?: unknown;
}

/** The `parameters` and the `requestBody` of an operation. */
export function describeInputs(compiled: CompiledEndpoint, pageBase: number): Json {
  const { endpoint } = compiled;
  const inputs = compiled.variables.flatMap((variable) => inputsOf(compiled, variable));
  const at = (location: SourceLocation) => inputs.filter(({ source }) => source.in === location);
  const inPlace = [...at('path'), ...at('query'), ...at('header')].map((input) =>
    describeParameter(input, endpoint, pageBase),
  );
  const parameters = [...inPlace, ...requestHeadersOf(compiled)];
  return { parameters, ...describeBody(endpoint, at('field'), at('file')) };
}

/** A parameter or a field of the body. */
export interface DescribedInput {
  readonly source: ValueSource;
  /** Of a present value. */
  readonly schema: Json;
  readonly isRequired: boolean;
  readonly description: string;
}

/** The parameters and the fields of the body. */
export function inputsByName(compiled: CompiledEndpoint): ReadonlyMap<string, DescribedInput> {
  const inputs = compiled.variables.flatMap((variable) => inputsOf(compiled, variable));
  return new Map(
    inputs
      .filter(({ source }) => ['path', 'query', 'field'].includes(source.in))
      .map((input) => {
        const { source, type, defaultValue } = input;
        const { schema, description = input.description } = source.described ?? {};
        const isRequired = source.in === 'path' || (isNonNullType(type) && !source.described);
        const described = {
          ...(schema ?? schemaOf(input)),
          ...(defaultValue !== undefined && { default: defaultValue }),
        };
        return [source.name, { source, schema: described, isRequired, description: description ?? '' }];
      }),
  );
}

function inputsOf({ endpoint, arguments: usedArguments }: CompiledEndpoint, { name, type, source }: Variable): Input[] {
  if (source.in !== 'object') {
    const argument = usedArguments.get(name);
    return [inputOf(source, argument, type, constraintsOf(endpoint.args ?? '', argument?.name ?? name))];
  }
  const objectType = getNullableType(type);
  if (!isInputObjectType(objectType)) return [];
  const fields = objectType.getFields();
  return Object.entries(source.fields).flatMap(([field, value]) => {
    const declared = fields[field];
    return declared ? [inputOf(value, declared, declared.type, constraintsOf(objectType.name, field))] : [];
  });
}

function inputOf(
  source: ValueSource,
  declared: GraphQLArgument | GraphQLInputField | undefined,
  type: GraphQLInputType,
  constraints: Json,
): Input {
  return { source, type, constraints, description: declared?.description, defaultValue: declared?.defaultValue };
}

function describeParameter(input: Input, { example }: CompleteEndpoint, pageBase: number): Json {
  const { source, type } = input;
  const { description = input.description, schema: described = schemaOf(input) } = source.described ?? {};
  const schema = { ...described, ...(input.defaultValue !== undefined && { default: input.defaultValue }) };
  const isPage = source.in === 'query' && source.name === 'page';
  return {
    name: source.name,
    in: source.in,
    required: source.in === 'path' || (isNonNullType(type) && !source.described),
    ...(description && { description: isPage ? `The first page is ${pageBase}.` : description }),
    schema: isPage ? { ...schema, minimum: pageBase, default: pageBase } : schema,
    example: isPage ? pageBase : example[source.name],
  };
}

function describeBody(endpoint: CompleteEndpoint, fields: Input[], files: Input[]): Json {
  if (endpoint.body === 'none') return {};
  const request = describeFields(fields);
  const example = bodyExampleOf(endpoint);
  return {
    requestBody: {
      required: endpoint.body !== 'optional',
      content: {
        ...(files.length > 0 && { 'multipart/form-data': describeMultipart(endpoint, request, files) }),
        ...(endpoint.body !== 'file' && { 'application/json': { schema: request, example } }),
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

function describeMultipart(endpoint: CompleteEndpoint, request: Json, files: Input[]): Json {
  const hasFields = endpoint.body === 'multipart';
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
      properties: {
        ...(hasFields && { request: { ...request, description: 'Fields as a JSON object.' } }),
        ...Object.fromEntries(parts),
      },
      ...requiredParts(endpoint, request, files),
      additionalProperties: false,
    },
    ...(hasFields && {
      example: { request: bodyExampleOf(endpoint) },
      encoding: { request: { contentType: 'application/json' } },
    }),
  };
}

/** The part with the fields is optional if they all are. */
function requiredParts({ body }: CompleteEndpoint, request: Json, files: Input[]): Json {
  if (body !== 'multipart') return { required: files.map(({ source }) => source.name) };
  return (request.required as string[]).length > 0 ? { required: ['request'] } : {};
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

/** The schema of a value that is present (not null). */
function schemaOf({ type, constraints }: Input): Json {
  const { items, ...others } = constraints as { items?: Json };
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { type: 'array', items: { ...scalarOf(nullable.ofType), ...items }, ...others };
  const values = isEnumType(nullable) && { enum: nullable.getValues().map(({ value }) => value) };
  // Constraints with a type replace the schema of the scalar: an ID that is not an integer.
  return { ...('type' in others ? {} : scalarOf(type)), ...values, ...others };
}

/** What `parseTime` accepts. */
const TIME: Json = {
  type: 'string',
  maxLength: 35,
  pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})?)?$',
};

function scalarOf(type: GraphQLInputType): Json {
  const nullable = getNullableType(type);
  if (!isScalarType(nullable)) return { type: 'string' };
  return nullable.name === 'DateTime' ? TIME : (SCALARS[nullable.name] ?? { type: 'string' });
}
