/** What an endpoint implies that names only a root field: its operation, and the sources of its variables. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isObjectType,
  isRequiredArgument,
  OperationTypeNode,
} from 'graphql';
import { CONDITION } from '../../schema/condition.js';
import { Upload } from '../../schema/scalars.js';
import type { Endpoint } from './endpoint.js';
import { nameOfShape, shapeNamed } from './shape.js';
import { field, file, object, pageNumber, path, query, type Source } from './source.js';

/** All arguments of the root field are variables, except its condition (If-Match), and the page as the last ones. @throws Error for an unknown root field */
export function operationText(schema: GraphQLSchema, { operation }: Endpoint): string {
  const [name, shape] = typeof operation === 'string' ? [operation] : operation;
  if (!/^\w+$/.test(name)) return name;
  const [kind, root] = findRoot(schema, name);
  const declared = root.args.filter(({ name }) => name !== CONDITION.name);
  const args = [...declared.filter((argument) => !isOfPage(argument)), ...declared.filter(isOfPage)];
  const definitions = args.map(
    (argument) => `$${argument.name}: ${isRequiredArgument(argument) ? argument.type : getNullableType(argument.type)}`,
  );
  const given = args.map((argument) => `${argument.name}: $${argument.name}`);
  const [selection, fragments] = selectionOf(root.type, shape);
  return `${kind} ${inParentheses(definitions)} { ${name}${inParentheses(given)} ${selection} } ${fragments}`;
}

function isOfPage({ name }: GraphQLArgument): boolean {
  return name === 'page' || name === 'size';
}

function findRoot(schema: GraphQLSchema, name: string): [OperationTypeNode, GraphQLField<unknown, unknown>] {
  for (const kind of Object.values(OperationTypeNode)) {
    const root = schema.getRootType(kind)?.getFields()[name];
    if (root) return [kind, root];
  }
  throw new Error(`the schema has no root field ${name}`);
}

/** Definitions of variables, or arguments. */
export function inParentheses(texts: readonly string[]): string {
  return texts.length > 0 ? `(${texts.join(', ')})` : '';
}

/** Without a shape, one field, as GraphQL requires it. The shape of a page is that of its elements. */
function selectionOf(type: GraphQLOutputType, shape: string | undefined): [selection: string, fragments: string] {
  const named = getNamedType(type);
  if (!isObjectType(named)) return ['', ''];
  if (shape === undefined) return [`{ ${named.getFields().id ? 'id' : Object.keys(named.getFields())[0]} }`, ''];
  const spread = `{ ...${nameOfShape(shape)} }`;
  if (!named.extensions.isPaged || shape.includes(` on ${named.name} {`)) return [spread, shape];
  return [`{ contents ${spread} pagination { ...Pagination } }`, `${shape} ${shapeNamed('Pagination').fragment}`];
}

/**
 * The parameter of the path with the name of the variable, and for `id` the one that is no other variable; otherwise a query parameter of a GET, and a
 * field of all other bodies. Likewise for each field of an input.
 */
export function impliedSource(
  endpoint: Endpoint,
  variables: readonly string[],
  name: string,
  type: GraphQLInputType,
): Source {
  const inputType = getNullableType(type);
  if (isInputObjectType(inputType)) {
    const fields = Object.values(inputType.getFields());
    return object(
      Object.fromEntries(fields.map((one) => [one.name, valueSource(endpoint, variables, one.name, one.type)])),
    );
  }
  return valueSource(endpoint, variables, name, type);
}

function valueSource(
  { method, path: pattern }: Endpoint,
  variables: readonly string[],
  name: string,
  type: GraphQLInputType,
) {
  const parameters = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
  const [ofId] = name === 'id' ? parameters.filter((parameter) => !variables.includes(parameter)) : [];
  if (ofId !== undefined) return path(ofId);
  if (parameters.includes(name)) return path(name);
  if (getNullableType(type) === Upload) return file();
  if (method !== 'GET') return field(name);
  return name === 'page' ? pageNumber() : query(name);
}
