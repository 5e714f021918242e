/** Scalars, enums and IDs of the GraphQL schema, and the REST serializers of the scalars. */
import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { ArgsType, type ClassType, registerEnumType } from 'type-graphql';
import { IdField } from './validators.js';

/** A timestamp in a row: a Date from a Sequelize model, or PostgreSQL's JSON format (`2026-11-20T09:30:00.5+00:00`). */
export type Moment = Date | string;

export const DateTime = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  description:
    'A timestamp in RFC 3339 format. Responses are in UTC, with second precision: `2026-11-20T09:30:00Z`. Inputs may have ' +
    'another offset, and milliseconds.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  serialize: (value) => `${toSecond(value as Moment)}Z`,
  parseValue: (value) => {
    const time = typeof value === 'string' && /\dT.*(?:Z|[+-]\d{2}:\d{2})$/i.test(value) ? parseTime(value) : null;
    if (time !== null) return time;
    throw new GraphQLError('DateTime must be a time with offset in RFC 3339 format, such as 2026-11-20T09:30:00Z.');
  },
});

/** A file from a multipart part, read into memory and within the size limit. */
export class UploadedFile {
  constructor(readonly bytes: Buffer) {}
}

export const Upload = new GraphQLScalarType<UploadedFile, never>({
  name: 'Upload',
  description: 'A file upload, as defined by the GraphQL multipart request specification.',
  specifiedByURL: 'https://github.com/jaydenseric/graphql-multipart-request-spec',
  serialize: () => {
    throw new GraphQLError('Upload is not an output type.');
  },
  parseValue: (value) => {
    if (value instanceof UploadedFile) return value;
    throw new GraphQLError('A file must be sent as a part of a multipart/form-data request.');
  },
  parseLiteral: (node) => {
    throw new GraphQLError('A file must be given as a variable.', { nodes: node.kind === Kind.VARIABLE ? [] : [node] });
  },
});

/** REST serializers by scalar name. DateTime has no time zone designator in REST. */
export const REST_SERIALIZERS = {
  DateTime: (value: unknown) => toSecond(value as Moment),
};

/**
 * An ISO 8601 date, or a date with a time; without an offset, in UTC. Years beyond four digits and the year 0 are not times.
 * @returns the time in UTC, with milliseconds; null if the text is not a time
 */
export function parseTime(text: string): string | null {
  const [, date, time = '00:00:00', offset = 'Z'] = TIME.exec(text) ?? [];
  const instant = new Date(`${date}T${time}${offset}`.toUpperCase());
  // Date accepts February 31.
  const isDate = date !== undefined && new Date(`${date}T00:00:00Z`).getUTCDate() === Number(date.slice(8));
  if (!isDate || Number.isNaN(instant.getTime())) return null;
  const year = instant.getUTCFullYear();
  return year >= 1 && year <= 9999 ? instant.toISOString() : null;
}

const TIME = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)(Z|[+-]\d{2}:\d{2})?)?$/i;

/** `2026-11-20T09:30:00`, in UTC. */
function toSecond(value: Moment): string {
  return (typeof value === 'string' ? value : value.toISOString()).slice(0, 19);
}

/** @returns the enum object to reference in decorators */
export function enumOf(
  name: string,
  description: string,
  descriptions: Record<string, string>,
): Record<string, string> {
  const names = Object.fromEntries(Object.keys(descriptions).map((key) => [key, key]));
  const values = Object.entries(descriptions).map(([key, description]) => [key, { description }]);
  registerEnumType(names, { name, description, valuesConfig: Object.fromEntries(values) });
  return names;
}

/**
 * The enum of the orders of a list: `CREATED_AT_DESC` for `createdAt,desc` in REST.
 * @param orders the description of each order
 */
export function orderEnumOf<Order extends string>(
  name: string,
  description: string,
  orders: Readonly<Record<Order, string>>,
): Record<string, Order> {
  const entries = Object.entries<string>(orders).map(([order, meaning]) => {
    const enumName = order.replace(',', '_').replace(/[A-Z]/g, (letter) => `_${letter}`);
    return { name: enumName.toUpperCase(), order: order as Order, meaning };
  });
  const values = Object.fromEntries(entries.map(({ name, order }) => [name, order]));
  const valuesConfig = Object.fromEntries(entries.map(({ name, meaning }) => [name, { description: meaning }]));
  registerEnumType(values, { name, description, valuesConfig });
  return values;
}

/** The class of arguments that are one id. */
export function idArgs<Name extends string>(name: Name, description: string): ClassType<Record<Name, string>> {
  @ArgsType()
  class NamedIdArgs {}
  IdField(description)(NamedIdArgs.prototype, name);
  return NamedIdArgs as ClassType<Record<Name, string>>;
}

export const IdArgs = idArgs('id', 'A positive integer.');
export type IdArgs = InstanceType<typeof IdArgs>;
