/** Scalars, enums and IDs of the GraphQL schema, and the REST serializers of the scalars. */
import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { ArgsType, Field, ID, registerEnumType } from 'type-graphql';
import { Id } from './validators.js';

/** A timestamp in a row: a Date from a Sequelize model, or PostgreSQL's JSON format (`2026-11-20T09:30:00.5+00:00`). */
export type Moment = Date | string;

export const DateTime = new GraphQLScalarType<never, string>({
  name: 'DateTime',
  description: 'A timestamp in RFC 3339 format, in UTC, with second precision: `2026-11-20T09:30:00Z`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  serialize: (value) => `${toSecond(value as Moment)}Z`,
  parseValue: () => {
    throw new GraphQLError('DateTime is not an input type.');
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

@ArgsType()
export class IdArgs {
  @Field(() => ID, { description: 'A positive integer.' })
  @Id()
  id!: string;
}
