/** Completes an endpoint's declaration with what follows from its operation and the schema. */
import {
  type DocumentNode,
  type FieldNode,
  GraphQLID,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { rootField } from '../../graphql/root-fields.js';
import type { BodyKind } from './body.js';
import { operationOf, rootFieldOf, type Variable } from './declaration.js';
import {
  type CompleteEndpoint,
  type Endpoint,
  GROUPS_OF_PATHS,
  type Group,
  type Result,
  type TextResult,
} from './endpoint.js';
import type { ValueSource } from './source.js';

const DEFAULTS = { status: 200, message: 'ok', errors: [] } as const;
/** Examples of variables with these names. */
const EXAMPLES = new Map([
  ['page', 1],
  ['size', 10],
]);

/** @throws Error if the declared kind of response does not match the operation */
export function completeEndpoint(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: readonly Variable[],
  endpoint: Endpoint,
): CompleteEndpoint {
  const operation = operationOf(document);
  const { value: name } = rootFieldOf(operation).name;
  const { isAuthorized, argumentsClass } = rootField(operation.operation, name);
  const { unstamped, isTaggedByContent } = schema.getQueryType()?.getFields()[name]?.extensions ?? {};
  return {
    ...DEFAULTS,
    group: groupOf(endpoint),
    ...(argumentsClass && { args: argumentsClass }),
    ...endpoint,
    example: { ...examplesOf(variables), ...endpoint.example },
    variables: Object.fromEntries(variables.map((variable) => [variable.name, variable.source])),
    auth: isAuthorized ? 'bearer' : 'none',
    isPublicRead: endpoint.method === 'GET' && !isAuthorized && unstamped === undefined,
    isTaggedByContent: isTaggedByContent === true,
    body: bodyOf(variables),
    result: resultOf(schema, document, endpoint),
  };
}

/** Of a page, and of ids in the path. */
function examplesOf(variables: readonly Variable[]): Record<string, number> {
  const values = variables.flatMap(valuesWithTypes).flatMap(({ source, type }) => {
    const example = source.in === 'path' && getNamedType(type) === GraphQLID ? 1 : EXAMPLES.get(source.name);
    return example === undefined ? [] : [[source.name, example] as const];
  });
  return Object.fromEntries(values);
}

function groupOf({ path }: Endpoint): Group {
  const [, first = ''] = path.split('/');
  const group = GROUPS_OF_PATHS[first];
  if (!group) throw new Error(`no group for paths that begin with /${first}: declare one in GROUPS_OF_PATHS`);
  return group;
}

/** The body is optional if none of its fields is required. */
function bodyOf(variables: readonly Variable[]): BodyKind {
  const values = variables.flatMap(valuesWithTypes);
  const fields = values.filter(({ source }) => source.in === 'field');
  if (values.some(({ source }) => source.in === 'file')) return fields.length > 0 ? 'multipart' : 'file';
  if (fields.length === 0) return 'none';
  return fields.some(({ type }) => isNonNullType(type)) ? 'json' : 'optional';
}

/** The value sources of a variable, with the types of their values. */
function valuesWithTypes({ type, source }: Variable): { source: ValueSource; type: GraphQLInputType }[] {
  if (source.in !== 'object') return [{ source, type }];
  const objectType = getNullableType(type);
  const fields = isInputObjectType(objectType) ? objectType.getFields() : {};
  return Object.entries(source.fields).map(([name, value]) => ({ source: value, type: fields[name]?.type ?? type }));
}

function onlyFieldOf({ selectionSet }: FieldNode): string {
  const [only, ...others] = selectionSet?.selections ?? [];
  if (only?.kind !== 'Field' || others.length > 0) throw new Error('expected exactly one field in the root field');
  return only.name.value;
}

function textIn(root: string, field: string): TextResult['write'] {
  return ({ [root]: value }) => (value as Record<string, string>)[field] ?? '';
}

/** A mutation that selects no shape responds with `{}`. */
function resultOf(schema: GraphQLSchema, document: DocumentNode, { event, download, mediaType }: Endpoint): Result {
  const operation = operationOf(document);
  const root = rootFieldOf(operation);
  const name = (root.alias ?? root.name).value;
  if ((event !== undefined) !== (operation.operation === 'subscription'))
    throw new Error('expected an event name for a subscription, and for no other operation');
  if (event !== undefined) return { kind: 'stream', name, event };
  if (download) return { kind: 'download', name, ...download };
  if (mediaType) return { kind: 'text', mediaType, write: textIn(name, onlyFieldOf(root)) };
  if (operation.operation === 'mutation' && document.definitions.length === 1) return { kind: 'nothing' };
  const type = schema.getRootType(operation.operation)?.getFields()[root.name.value]?.type;
  return { kind: type && isListType(getNullableType(type)) ? 'list' : 'field', name };
}
