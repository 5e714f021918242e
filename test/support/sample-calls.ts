/** A GraphQL request for each operation of the schema, with values for its required arguments. */
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

/** A selection of one field with values for its required arguments. */
function callOf({ name, args, type }: GraphQLField<unknown, unknown>): string {
  const given = args.filter((argument) => isNonNullType(argument.type) && argument.defaultValue === undefined);
  const list = given.map((argument) => `${argument.name}: ${sampleOf(argument.type, argument.name)}`).join(', ');
  return `${name}${list && `(${list})`} ${selectionOf(type)}`;
}

export function selectionOf(type: GraphQLOutputType): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const [leaf] = Object.values(named.getFields()).filter((field) => isLeafType(getNamedType(field.type)));
  const [nested] = Object.values(named.getFields());
  if (leaf) return `{ ${leaf.name} }`;
  return nested ? `{ ${nested.name} ${selectionOf(nested.type)} }` : '';
}

function sampleOf(type: GraphQLInputType, name: string): string {
  if (isNonNullType(type)) return sampleOf(type.ofType, name);
  if (isListType(type)) return `[${sampleOf(type.ofType, name)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
    return `{ ${required.map((field) => `${field.name}: ${sampleOf(field.type, field.name)}`).join(', ')} }`;
  }
  if (String(type) === 'Boolean') return 'true';
  if (String(type) === 'DateTime') return '"2026-11-20T09:30:00Z"';
  if (String(type) === 'Upload') return '$upload';
  return String(type) === 'Int' ? '1' : '"999999"';
}

/** The document with one root field. Its files have no value, which only a multipart request can have. */
export function documentOf(root: string, field: GraphQLField<unknown, unknown>): string {
  const selection = callOf(field);
  const variables = selection.includes('$upload') ? '($upload: Upload!)' : '';
  return `${root.toLowerCase()} ${variables} { ${selection} }`;
}
