/** Sources of an operation's variables: descriptors that read a request, and from which the OpenAPI inputs are generated. */
import type { IncomingHttpHeaders } from 'node:http';
import {
  type GraphQLEnumType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import type { FieldError } from '../../platform/errors.js';
import { createMessage, type Message, type MessageKey } from '../../platform/messages/message.js';
import { inspectValue } from '../../platform/text.js';
import { maxItemsOf } from '../../schema/constraints.js';
import { parseTime, type UploadedFile } from '../../schema/scalars.js';

/** A value of the type of its variable, or why it is none, in terms of JSON and query strings. */
type Coerced = { value: unknown } | { error: Message };

/** The parts of a request that sources read. */
export interface RequestInput {
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  fields: Record<string, unknown>;
  file: UploadedFile | undefined;
  hasBody: boolean;
  /** The number of the first page in requests: 0 or 1. */
  pageBase: number;
}

export type SourceLocation = 'path' | 'query' | 'header' | 'field' | 'file' | 'body' | 'presence';

/** One value from one place in a request. */
export interface ValueSource {
  /** For a parameter whose form is not that of its variable: its description in the reference. */
  readonly described?: { readonly description: string; readonly schema: Readonly<Record<string, unknown>> };
  readonly in: SourceLocation;
  /** Whether the operation accepts any value. */
  readonly acceptsAny?: boolean;
  /** The name in the request. */
  readonly name: string;
  /** @param maxItems the maximum length of a list */
  read(input: RequestInput, type: GraphQLInputType, maxItems: number): Coerced;
}

/** The sources of an input object, keyed by its field names. */
export interface ObjectSource {
  readonly in: 'object';
  readonly fields: Readonly<Record<string, ValueSource>>;
}

export type Source = ValueSource | ObjectSource;

/** A path parameter: `{name}`. */
export function path(name: string): ValueSource {
  return { in: 'path', name, read: ({ params }, type) => coerceText(params[name], type) };
}

/** A path parameter whose value is not checked: an operation that has no effect for some values responds to them in the same way. */
export function anyPath(name: string): ValueSource {
  return { in: 'path', name, acceptsAny: true, read: ({ params }) => ({ value: params[name] }) };
}

/** A query parameter that may occur at most once. */
export function query(name: string): ValueSource {
  return { in: 'query', name, read: ({ query }, type) => readOnce(query, name, type) };
}

/** Whether a query parameter is given and not blank. */
export function presence(name: string): ValueSource {
  return {
    in: 'presence',
    name,
    read: ({ query }) => ({ value: query.getAll(name).some((value) => value.trim() !== '') }),
  };
}

/**
 * Whether a query parameter, a list with commas, contains a value: a source for each of several variables. The first one checks the parameter.
 * @param values by variable
 */
export function presenceInList<Variable extends string>(
  name: string,
  values: Readonly<Record<Variable, string>>,
  description: string,
): Record<Variable, ValueSource> {
  const words = Object.values<string>(values);
  const word = `(${words.join('|')})`;
  const schema = { type: 'string', pattern: `^${word}(,${word})*$`, maxLength: words.join().length };
  const explain = (query: URLSearchParams): Message | null => {
    const given = query.getAll(name);
    if (given.length > 1) return createMessage('parameterRepeated', given.length);
    const list = listIn(query, name);
    if (list.every((item) => words.includes(item)) && new Set(list).size === list.length) return null;
    return createMessage(words.length === 1 ? 'mustBeOneOf' : 'mustBeListOf', words, inspectValue(given[0]));
  };
  const sources = Object.entries<string>(values).map(([variable, value], index): [string, ValueSource] => {
    const read = ({ query }: RequestInput) => ({ value: listIn(query, name).includes(value) });
    if (index > 0) return [variable, { in: 'presence', name, read }];
    const checked = (input: RequestInput) => {
      const error = explain(input.query);
      return error ? { error } : read(input);
    };
    return [variable, { in: 'query', name, read: checked, described: { description, schema } }];
  });
  return Object.fromEntries(sources) as Record<Variable, ValueSource>;
}

function listIn(query: URLSearchParams, name: string): string[] {
  return query.get(name)?.split(',') ?? [];
}

/** The query parameter `size`, with a lower maximum where another parameter, a list with commas, has one of these values. */
export function pageSize(other: string, values: readonly string[], max: number): ValueSource {
  return {
    in: 'query',
    name: 'size',
    read: ({ query }, type) => {
      const read = readOnce(query, 'size', type);
      const isLimited = listIn(query, other).some((value) => values.includes(value));
      if (!('value' in read) || !isLimited || !(Number(read.value) > max)) return read;
      return { error: createMessage('mustBeBetween', 1, max, String(read.value)) };
    },
  };
}

/** The query parameter `page`. The number of the first page (0 or 1) is configured. */
export function pageNumber(): ValueSource {
  return {
    in: 'query',
    name: 'page',
    read: ({ query, pageBase }, type) => {
      const read = readOnce(query, 'page', type);
      if (pageBase === 1 || !('value' in read) || read.value === undefined) return read;
      if (Number(read.value) < pageBase) return { error: createMessage('mustBeFrom', pageBase, String(read.value)) };
      return { value: Number(read.value) + 1 - pageBase };
    },
  };
}

/** A request header; repeated headers are joined with a comma (RFC 9110 §5.3). */
export function header(name: string): ValueSource {
  return { in: 'header', name, read: ({ headers }, type) => coerceText(textOf(headers[name.toLowerCase()]), type) };
}

/** A field of the JSON body. */
export function field(name: string): ValueSource {
  return { in: 'field', name, read: ({ fields }, type, maxItems) => coerceJson(fieldOf(fields, name), type, maxItems) };
}

/** True for a request without a body, unlike one with an empty object. */
export function bodyAbsence(): ValueSource {
  return { in: 'body', name: 'body', read: ({ hasBody }) => ({ value: !hasBody }) };
}

/** An id in the JSON body; 0 means none. */
export function idOrZero(name: string): ValueSource {
  return {
    in: 'field',
    name,
    read: ({ fields }, type) => coerceJson(fieldOf(fields, name) === 0 ? undefined : fieldOf(fields, name), type),
  };
}

/** The multipart part `file`. */
export function file(): ValueSource {
  return { in: 'file', name: 'file', read: ({ file }, type) => coerceJson(file, type) };
}

/** An input object composed of these sources, keyed by its field names. */
export function object(fields: Record<string, ValueSource>): ObjectSource {
  return { in: 'object', fields };
}

/** Reads a variable. Invalid values are appended to `errors`, under the field names of the request. */
export function readSource(source: Source, type: GraphQLInputType, input: RequestInput, errors: FieldError[]): unknown {
  if (source.in !== 'object') return readValue(source, type, input, errors);
  const objectType = getNullableType(type);
  if (!isInputObjectType(objectType)) throw new TypeError(`${type} is not an input object`);
  const declaredFields = objectType.getFields();
  const entries = Object.entries(source.fields).map(([name, value]) => {
    const inputField = declaredFields[name];
    if (!inputField) throw new TypeError(`${objectType.name} has no field ${name}`);
    return [name, readValue(value, inputField.type, input, errors, maxItemsOf(objectType.name, name))] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The value sources in a source: itself, or those of its fields. */
export function valuesOf(source: Source): ValueSource[] {
  return source.in === 'object' ? Object.values(source.fields) : [source];
}

function readValue(
  source: ValueSource,
  type: GraphQLInputType,
  input: RequestInput,
  errors: FieldError[],
  maxItems = 0,
): unknown {
  const read = source.read(input, type, maxItems);
  if ('value' in read) return read.value;
  errors.push({ field: source.name, message: read.error });
  return undefined;
}

function readOnce(query: URLSearchParams, name: string, type: GraphQLInputType): Coerced {
  const values = query.getAll(name);
  if (values.length > 1) return { error: createMessage('parameterRepeated', values.length) };
  return coerceText(values[0], type);
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Ignores inherited properties such as `constructor`. */
function fieldOf(fields: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

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
function coerceJson(value: unknown, type: GraphQLInputType, maxItems = 0): Coerced {
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
function coerceText(text: string | undefined, type: GraphQLInputType): Coerced {
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
