/** Parameters and bodies in the OpenAPI document: types from the schema, constraints from the validators. */
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isNonNullType,
} from 'graphql';
import { constraintsOf } from '../../schema/constraints.js';
import type { CompiledEndpoint } from '../engine/compile.js';
import type { Variable } from '../engine/declaration.js';
import type { Endpoint } from '../engine/endpoint.js';
import type { SourceLocation, ValueSource } from '../engine/source.js';
import { describeBody } from './body.js';
import { describeConditions } from './caching.js';
import { type Input, schemaOf } from './input-schema.js';
import type { Json } from './json.js';
import { LANGUAGE_PARAMETER } from './language.js';

/** The `parameters` and the `requestBody` of an operation. */
export function describeInputs(compiled: CompiledEndpoint, pageBase: number): Json {
  const { endpoint } = compiled;
  const inputs = compiled.variables.flatMap((variable) => inputsOf(compiled, variable));
  const at = (location: SourceLocation) => inputs.filter(({ source }) => source.in === location);
  const inPlace = [...at('path'), ...at('query'), ...at('header')].map((input) =>
    describeParameter(input, endpoint, pageBase),
  );
  const parameters = [...inPlace, ...describeConditions(endpoint), LANGUAGE_PARAMETER];
  return { parameters, ...describeBody(endpoint, at('field'), at('file')) };
}

function inputsOf(
  { endpoint, argumentNames, rootArguments }: CompiledEndpoint,
  { name, type, source }: Variable,
): Input[] {
  if (source.in !== 'object') {
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

function describeParameter(input: Input, { example }: Endpoint, pageBase: number): Json {
  const { source, type, description } = input;
  const schema = { ...schemaOf(input), ...(input.defaultValue !== undefined && { default: input.defaultValue }) };
  const isPage = source.in === 'query' && source.name === 'page';
  return {
    name: source.name,
    in: source.in,
    required: source.in === 'path' || isNonNullType(type),
    ...(description && { description: isPage ? `The first page is ${pageBase}.` : description }),
    schema: isPage ? { ...schema, minimum: pageBase, default: pageBase } : schema,
    example: isPage ? pageBase : example[source.name],
  };
}
