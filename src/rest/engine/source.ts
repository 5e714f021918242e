/** Where the variables of an endpoint's operation come from: descriptors that read a request and describe themselves. */
import type { IncomingHttpHeaders } from 'node:http';
import { type GraphQLInputType, getNullableType, isInputObjectType } from 'graphql';
import type { FieldError } from '../../errors.js';
import { say } from '../../messages/message.js';
import type { UploadedFile } from '../../schema/scalars.js';
import { type Coerced, coerceJson, coerceText } from './coerce.js';

/** The parts of a request that sources read. */
export interface RequestInput {
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  fields: Record<string, unknown>;
  file: UploadedFile | undefined;
  /** What clients call the first page: 0 or 1. */
  pageBase: number;
}

export type Place = 'path' | 'query' | 'header' | 'field' | 'file';

/** One value from one place. */
export interface ValueSource {
  readonly place: Place;
  /** As clients call it. */
  readonly name: string;
  read(input: RequestInput, type: GraphQLInputType): Coerced;
}

/** Several values that make up an input object, by the names of its fields. */
export interface ObjectSource {
  readonly place: 'object';
  readonly fields: Readonly<Record<string, ValueSource>>;
}

export type Source = ValueSource | ObjectSource;

/** A segment of the path: `{name}`. */
export function path(name: string): ValueSource {
  return { place: 'path', name, read: ({ params }, type) => coerceText(params[name], type) };
}

/** A query parameter that may come once. */
export function query(name: string): ValueSource {
  return { place: 'query', name, read: ({ query }, type) => readOnce(query, name, type) };
}

/** The query parameter `page`, which counts from the base that the configuration sets. */
export function pageNumber(): ValueSource {
  return {
    place: 'query',
    name: 'page',
    read: ({ query, pageBase }, type) => {
      const read = readOnce(query, 'page', type);
      if (pageBase === 1 || !('value' in read) || read.value === undefined) return read;
      if (Number(read.value) < pageBase) return { fault: say('mustBeFrom', pageBase, String(read.value)) };
      return { value: Number(read.value) + 1 - pageBase };
    },
  };
}

/** A header of the request; one that comes twice is read as HTTP has it, joined by a comma. */
export function header(name: string): ValueSource {
  return { place: 'header', name, read: ({ headers }, type) => coerceText(textOf(headers[name.toLowerCase()]), type) };
}

/** A field of the JSON body. */
export function field(name: string): ValueSource {
  return { place: 'field', name, read: ({ fields }, type) => coerceJson(own(fields, name), type) };
}

/** An id in the JSON body, for which 0 means none. */
export function idOrZero(name: string): ValueSource {
  return {
    place: 'field',
    name,
    read: ({ fields }, type) => coerceJson(own(fields, name) === 0 ? undefined : own(fields, name), type),
  };
}

/** The part `file` of a multipart body. */
export function file(): ValueSource {
  return { place: 'file', name: 'file', read: ({ file }) => ({ value: file }) };
}

/** An input object put together from these sources, by the names of its fields. */
export function object(fields: Record<string, ValueSource>): ObjectSource {
  return { place: 'object', fields };
}

/** Reads a variable; what is wrong with it is added to `faults`, under the names that the client used. */
export function readSource(source: Source, type: GraphQLInputType, input: RequestInput, faults: FieldError[]): unknown {
  if (source.place !== 'object') return readValue(source, type, input, faults);
  const objectType = getNullableType(type);
  if (!isInputObjectType(objectType)) throw new TypeError(`${type} is not an input object`);
  const known = objectType.getFields();
  const entries = Object.entries(source.fields).map(([name, value]) => {
    const inputField = known[name];
    if (!inputField) throw new TypeError(`${objectType.name} has no field ${name}`);
    return [name, readValue(value, inputField.type, input, faults)] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The values that a source is made of: itself, or its fields'. */
export function valuesOf(source: Source): ValueSource[] {
  return source.place === 'object' ? Object.values(source.fields) : [source];
}

function readValue(source: ValueSource, type: GraphQLInputType, input: RequestInput, faults: FieldError[]): unknown {
  const read = source.read(input, type);
  if ('value' in read) return read.value;
  faults.push({ field: source.name, message: read.fault });
  return undefined;
}

function readOnce(query: URLSearchParams, name: string, type: GraphQLInputType): Coerced {
  const values = query.getAll(name);
  if (values.length > 1) return { fault: say('parameterRepeated', values.length) };
  return coerceText(values[0], type);
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Not what every object inherits, such as `constructor`. */
function own(fields: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
