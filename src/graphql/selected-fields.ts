/** The fields that an operation selects, with their declarations in the schema. */
import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Variables } from '../execute.js';

/** Also a field that `@skip` or `@include` may exclude. */
export interface SelectedField {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
  /** The name of the type that has the field. */
  readonly parent: string;
}

/** Whether these variables exclude a field. The conditions of fragments count as met. */
export function isExcluded({ directives = [] }: FieldNode, variables: Variables): boolean {
  return directives.some(({ name, arguments: given = [] }) => {
    const condition = given[0]?.value;
    // A variable that is not given may have a default value.
    return condition?.kind === Kind.VARIABLE && variables[condition.name.value] === (name.value === 'skip');
  });
}

export interface SelectedFields {
  readonly roots: readonly SelectedField[];
  readonly nested: readonly SelectedField[];
}

/**
 * The fields of an operation and of the fragments that it uses: other operations of the document may use others.
 * @param variables without what they exclude (`@skip`, `@include`)
 */
export function selectedFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables = {},
): SelectedFields {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const one of document.definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
  const rootType = schema.getRootType(operation.operation);
  const roots: SelectedField[] = [];
  const nested: SelectedField[] = [];
  const types = new TypeInfo(schema);
  const onField = (node: FieldNode) => {
    if (isExcluded(node, variables)) return false;
    const [field, parent] = [types.getFieldDef(), types.getParentType()];
    if (field && parent) (parent === rootType ? roots : nested).push({ node, field, parent: parent.name });
    return undefined;
  };
  // Grows while it is iterated.
  const parts: ASTNode[] = [operation];
  const onSpread = ({ name }: FragmentSpreadNode) => {
    const fragment = fragments.get(name.value);
    if (fragment) parts.push(fragment);
    fragments.delete(name.value);
  };
  for (const part of parts) visit(part, visitWithTypeInfo(types, { Field: onField, FragmentSpread: onSpread }));
  return { roots, nested };
}

/** A fragment of a document. */
export function fragmentOf({ definitions }: DocumentNode, name: string): FragmentDefinitionNode | undefined {
  return definitions.find((node) => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name) as
    | FragmentDefinitionNode
    | undefined;
}

export type ByConditions<Value> = Value | ((variables: Variables) => Value);

/** Combinations of the conditions of an operation whose values are stored: clients choose the variables. More are computed for each request. */
const MAX_COMBINATIONS = 100;

/**
 * A value that depends on the fields which are not excluded: computed once for each combination of the conditions, if there are any.
 * @param select the fields with these variables
 */
export function byConditions<Value>(
  { roots, nested }: SelectedFields,
  select: (variables: Variables) => SelectedFields,
  compute: (selected: SelectedFields) => Value,
): ByConditions<Value> {
  const names = new Set<string>();
  for (const { arguments: given = [] } of [...roots, ...nested].flatMap(({ node }) => node.directives ?? [])) {
    const condition = given[0]?.value;
    if (condition?.kind === Kind.VARIABLE) names.add(condition.name.value);
  }
  const computeWith = (variables: Variables) => compute(select(variables));
  if (names.size === 0) return computeWith({});
  const values = new Map<string, Value>();
  return (variables) => {
    let key = '';
    for (const name of names) key += variables[name] === true ? 't' : variables[name] === false ? 'f' : '-';
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = computeWith(variables);
    if (values.size < MAX_COMBINATIONS) values.set(key, value);
    return value;
  };
}
