/** Checks an endpoint's declaration against its operation and the schema. */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { maxItemsOf } from '../../schema/constraints.js';
import type { CompleteEndpoint, Endpoint } from './endpoint.js';
import { impliedSource } from './operation.js';
import { type Source, valuesOf } from './source.js';

export interface Variable {
  name: string;
  type: GraphQLInputType;
  source: Source;
}

export function operationOf(document: DocumentNode): OperationDefinitionNode {
  const [operation, ...others] = document.definitions.filter((node) => node.kind === 'OperationDefinition');
  if (!operation || others.length > 0) throw new Error('expected exactly one operation');
  return operation;
}

/** Checks that each source is that of a variable, and that each required input field has a source. @throws Error */
export function bindVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  endpoint: Endpoint,
): Variable[] {
  const { variables = {} } = endpoint;
  const declared = operation.variableDefinitions ?? [];
  const names = declared.map(({ variable }) => variable.name.value);
  const unknownName = Object.keys(variables).find((name) => !names.includes(name));
  if (unknownName !== undefined) throw new Error(`unknown variable $${unknownName}: the operation does not declare it`);
  return declared.map((node) => {
    const name = node.variable.name.value;
    const type = typeFromAST(schema, node.type) as GraphQLInputType;
    const source = variables[name] ?? impliedSource(endpoint, names, name, type);
    checkFields(name, type, source);
    return { name, type, source };
  });
}

function checkFields(name: string, type: GraphQLInputType, source: Source): void {
  const objectType = getNullableType(type);
  if (isListType(objectType)) throw new Error(`the list $${name} has no maximum length: make it a field of an input`);
  if (isInputObjectType(objectType) !== (source.in === 'object'))
    throw new Error(`the source of $${name} does not match the kind of its type`);
  if (!isInputObjectType(objectType) || source.in !== 'object') return;
  const fields = objectType.getFields();
  const unknown = Object.keys(source.fields).find((field) => !fields[field]);
  if (unknown !== undefined) throw new Error(`${objectType.name} has no field ${unknown}`);
  const unbounded = Object.values(fields).find(
    ({ type, name: field }) => isListType(getNullableType(type)) && maxItemsOf(objectType.name, field) === 0,
  );
  if (unbounded) throw new Error(`the list ${objectType.name}.${unbounded.name} has no maximum length`);
  const missing = Object.values(fields).find((field) => isNonNullType(field.type) && !source.fields[field.name]);
  if (missing) throw new Error(`${objectType.name}.${missing.name} has no source`);
}

/** Checks that path parameters and path sources match one to one. @throws Error */
export function checkPath({ path, variables }: CompleteEndpoint): void {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const sources = Object.values(variables)
    .flatMap(valuesOf)
    .filter(({ in: location }) => location === 'path');
  const isSame = parameters.length === sources.length && sources.every(({ name }) => parameters.includes(name));
  if (!isSame) throw new Error(`the path has ${parameters.join(', ')}, the sources ${sources.map(({ name }) => name)}`);
}

export function rootFieldOf(operation: OperationDefinitionNode): FieldNode {
  const [root, ...others] = operation.selectionSet.selections;
  if (root?.kind !== 'Field' || others.length > 0) throw new Error('expected exactly one root field');
  return root;
}
