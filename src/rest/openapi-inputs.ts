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
import { constraintsOf } from '../schema/rules.js';
import { MAX_IMAGE_BYTES } from '../storage/image.js';
import type { CompiledEndpoint, Variable } from './compile.js';
import type { Json } from './openapi.js';
import { describeConditions } from './openapi-caching.js';
import { LANGUAGE_PARAMETER } from './openapi-language.js';
import type { Place, ValueSource } from './source.js';

interface Input {
  source: ValueSource;
  type: GraphQLInputType;
  constraints: Json;
  description?: string | null | undefined;
  defaultValue?: unknown;
}

/** The `parameters` and the `requestBody` of an operation. */
export function describeInputs(compiled: CompiledEndpoint, pageBase: number): Json {
  const inputs = compiled.variables.flatMap((variable) => inputsOf(compiled, variable));
  const at = (place: Place) => inputs.filter(({ source }) => source.place === place);
  const inPlace = [...at('path'), ...at('query'), ...at('header')].map((input) => describeParameter(input, pageBase));
  const parameters = [...inPlace, ...describeConditions(compiled.endpoint)];
  const body = describeBody(compiled, at('field'), at('file'));
  return { parameters: [...parameters, LANGUAGE_PARAMETER], ...(body && { requestBody: body }) };
}

function inputsOf(
  { endpoint, argumentNames, rootArguments }: CompiledEndpoint,
  { name, type, source }: Variable,
): Input[] {
  if (source.place !== 'object') {
    const argumentName = argumentNames.get(name) ?? name;
    const argument = rootArguments.find((candidate) => candidate.name === argumentName);
    return [inputOf(source, argument, type, constraintsOf(endpoint.args?.name ?? '', argumentName))];
  }
  const objectType = getNullableType(type);
  if (!isInputObjectType(objectType)) return [];
  const fields = objectType.getFields();
  return Object.entries(source.fields).flatMap(([field, value]) => {
    const known = fields[field];
    return known ? [inputOf(value, known, known.type, constraintsOf(objectType.name, field))] : [];
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

function describeParameter(input: Input, pageBase: number): Json {
  const { source, type, description } = input;
  const schema = { ...describe(input), ...(input.defaultValue !== undefined && { default: input.defaultValue }) };
  const isPage = source.place === 'query' && source.name === 'page';
  return {
    name: source.name,
    in: source.place,
    required: source.place === 'path' || isNonNullType(type),
    ...(description && { description: isPage ? `The first page is ${pageBase}.` : description }),
    schema: isPage ? { ...schema, minimum: pageBase, default: pageBase } : schema,
  };
}

function describeBody({ endpoint }: CompiledEndpoint, fields: Input[], files: Input[]): Json | undefined {
  if (endpoint.body === 'none') return undefined;
  const request: Json = {
    type: 'object',
    properties: Object.fromEntries(fields.map((input) => [input.source.name, describeField(input)])),
    required: fields.filter(({ type }) => isNonNullType(type)).map(({ source }) => source.name),
    additionalProperties: false,
  };
  const file = { description: `At most ${MAX_IMAGE_BYTES} bytes.`, contentMediaType: 'application/octet-stream' };
  const parts = {
    type: 'object',
    properties: { request, ...(files.length > 0 && { file }) },
    additionalProperties: false,
  };
  return {
    required: endpoint.body !== 'optional',
    content: {
      ...(endpoint.body === 'multipart' && {
        'multipart/form-data': { schema: parts, encoding: { request: { contentType: 'application/json' } } },
      }),
      'application/json': { schema: request },
    },
  };
}

function describeField(input: Input): Json {
  const described = describe(input);
  return input.description ? { ...described, description: input.description } : described;
}

/** Null and absent are the same for a field that is not required. */
function describe({ type, constraints }: Input): Json {
  const { items, ...own } = constraints as { items?: Json };
  const nullable = getNullableType(type);
  const present: Json = isListType(nullable)
    ? { type: 'array', items: { type: typeName(nullable.ofType), ...items }, ...own }
    : {
        type: typeName(type),
        ...(isEnumType(nullable) && { enum: nullable.getValues().map(({ value }) => value) }),
        ...own,
      };
  return isNonNullType(type) ? present : { ...present, type: [present.type, 'null'] };
}

const TYPES: Record<string, string> = { ID: 'integer', Int: 'integer', Float: 'number', Boolean: 'boolean' };

function typeName(type: GraphQLInputType): string {
  const nullable = getNullableType(type);
  return (isScalarType(nullable) && TYPES[nullable.name]) || 'string';
}
