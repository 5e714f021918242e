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

/** Also a field that `@skip` or `@include` may exclude. */
export interface SelectedField {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
  /** The name of the type that has the field. */
  readonly parent: string;
}

export interface SelectedFields {
  readonly roots: readonly SelectedField[];
  readonly nested: readonly SelectedField[];
}

/** The fields of an operation and of the fragments that it uses: other operations of the document may use others. */
export function selectedFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): SelectedFields {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const one of document.definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
  const rootType = schema.getRootType(operation.operation);
  const roots: SelectedField[] = [];
  const nested: SelectedField[] = [];
  const types = new TypeInfo(schema);
  const onField = (node: FieldNode) => {
    const [field, parent] = [types.getFieldDef(), types.getParentType()];
    if (field && parent) (parent === rootType ? roots : nested).push({ node, field, parent: parent.name });
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
