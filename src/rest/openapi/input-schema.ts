/** The JSON Schema of one request value: its type from the GraphQL schema, its constraints from the validators. */
import { type GraphQLInputType, getNullableType, isEnumType, isListType, isScalarType } from 'graphql';
import type { ValueSource } from '../engine/source.js';
import type { Json } from './json.js';
import { SCALARS } from './scalars.js';

export interface Input {
  source: ValueSource;
  type: GraphQLInputType;
  constraints: Json;
  description?: string | null | undefined;
  defaultValue?: unknown;
}

/** The schema of a value that is present (not null). */
export function schemaOf({ type, constraints }: Input): Json {
  const { items, ...own } = constraints as { items?: Json };
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { type: 'array', items: { ...scalarOf(nullable.ofType), ...items }, ...own };
  const values = isEnumType(nullable) && { enum: nullable.getValues().map(({ value }) => value) };
  return { ...scalarOf(type), ...values, ...own };
}

function scalarOf(type: GraphQLInputType): Json {
  const nullable = getNullableType(type);
  return (isScalarType(nullable) && SCALARS[nullable.name]) || { type: 'string' };
}
