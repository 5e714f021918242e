/** Checks a value against a GraphQL input type, with error messages in terms of JSON and query strings. */
import {
  type GraphQLEnumType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import { createMessage, type Message, type MessageKey } from '../../platform/messages/message.js';
import { inspectValue } from '../../platform/text.js';
import { parseTime } from '../../schema/scalars.js';

export type Coerced = { value: unknown } | { error: Message };

const EXPECTED = {
  String: 'mustBeString',
  Boolean: 'mustBeBoolean',
  Int: 'mustBeWholeNumber',
  Float: 'mustBeNumber',
  ID: 'mustBeId',
} as const satisfies Record<string, MessageKey>;

type KnownScalar = keyof typeof EXPECTED;

/**
 * Coerces a value from JSON. Null and absent both mean that the field is not given.
 * @param maxItems of a list, which is checked before its elements
 */
export function coerceJson(value: unknown, type: GraphQLInputType, maxItems = 0): Coerced {
  if (value == null) return isNonNullType(type) ? { error: createMessage('required') } : { value: undefined };
  const nullable = getNullableType(type);
  if (isListType(nullable)) return coerceList(value, nullable.ofType, maxItems);
  if (isEnumType(nullable)) return coerceEnum(value, nullable);
  const scalar = isScalarType(nullable) ? nullable.name : '';
  if (scalar === 'DateTime') return coerceTime(value);
  if (isKnown(scalar) && !isOf(scalar, value)) return { error: createMessage(EXPECTED[scalar], inspectValue(value)) };
  return { value: scalar === 'ID' ? toIdText(value) : value };
}

/** Coerces a value from a path or a query string. An empty string is not the same as an absent value. */
export function coerceText(text: string | undefined, type: GraphQLInputType): Coerced {
  const nullable = getNullableType(type);
  if (text === undefined || !isScalarType(nullable)) return coerceJson(text, type);
  switch (nullable.name) {
    case 'Int':
    case 'Float':
      return coerceJson(/^-?\d{1,15}$/.test(text) ? Number(text) : text, type);
    case 'Boolean':
      return coerceJson(text === 'true' ? true : text === 'false' ? false : text, type);
    case 'DateTime':
      return coerceTime(text);
    default:
      return { value: text };
  }
}

function coerceTime(value: unknown): Coerced {
  const time = typeof value === 'string' ? parseTime(value) : null;
  return time === null ? { error: createMessage('mustBeTime', inspectValue(value)) } : { value: time };
}

function coerceList(value: unknown, itemType: GraphQLInputType, maxItems: number): Coerced {
  if (!Array.isArray(value)) return { error: createMessage('mustBeArray', inspectValue(value)) };
  if (value.length > maxItems) return { error: createMessage('tooManyElements', maxItems, value.length) };
  const items: unknown[] = [];
  for (const item of value) {
    const coerced = coerceJson(item, itemType);
    if ('error' in coerced) return { error: createMessage('each', coerced.error) };
    items.push(coerced.value);
  }
  return { value: items };
}

/** REST clients send the internal value of an enum, not its GraphQL name: `createdAt,desc` for CREATED_AT_DESC. */
function coerceEnum(value: unknown, type: GraphQLEnumType): Coerced {
  const meant = type.getValues().find((member) => member.value === value);
  if (meant) return { value: meant.name };
  const words = type.getValues().map((member) => member.value);
  return { error: createMessage('mustBeOneOf', words, inspectValue(value)) };
}

function isKnown(scalar: string): scalar is KnownScalar {
  return Object.hasOwn(EXPECTED, scalar);
}

function isOf(scalar: KnownScalar, value: unknown): boolean {
  switch (scalar) {
    case 'String':
      return typeof value === 'string';
    case 'Boolean':
      return typeof value === 'boolean';
    case 'Int':
      return Number.isInteger(value) && Math.abs(Number(value)) <= 2_147_483_647;
    case 'Float':
      return Number.isFinite(value);
    case 'ID':
      return Number.isInteger(value);
  }
}

/** JSON.parse has rounded a number above 2^53, but no row has such an id: it only has to be formatted as an integer. */
function toIdText(value: unknown): string {
  return BigInt(Number(value)).toString();
}
