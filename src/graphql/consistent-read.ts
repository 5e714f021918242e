/** Queries that need more than one statement read one state of the data. */
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Context, readInSnapshot } from '../context.js';

/** For as long as the document is cached. */
const analyzed = new WeakMap<OperationDefinitionNode, boolean>();

/** Whether a query may need more than one statement: for several root fields, or a field that is not in the row of its parent. */
export function needsSnapshot(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): boolean {
  const known = analyzed.get(operation);
  if (known !== undefined) return known;
  const needs = operation.operation === OperationTypeNode.QUERY && analyze(schema, document, operation);
  analyzed.set(operation, needs);
  return needs;
}

/** Runs a query, in a snapshot if it needs one. */
export async function readConsistently(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  context: Context,
  run: (context: Context) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  return needsSnapshot(schema, document, operation) ? readInSnapshot(context, run) : run(context);
}

function analyze(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const definitions = document.definitions.filter((one) => one === operation || one.kind === Kind.FRAGMENT_DEFINITION);
  const roots: string[] = [];
  const nested: GraphQLField<unknown, unknown>[] = [];
  const types = new TypeInfo(schema);
  const onField = () => {
    const field = types.getFieldDef();
    if (!field || field.name.startsWith('__')) return;
    if (types.getParentType() === schema.getQueryType()) roots.push(field.name);
    else if (field.resolve) nested.push(field);
  };
  visit({ kind: Kind.DOCUMENT, definitions }, visitWithTypeInfo(types, { Field: onField }));
  const isInParentRow = ({ extensions }: GraphQLField<unknown, unknown>) => {
    const under = extensions.inParentRow as readonly string[] | undefined;
    return under !== undefined && (under.length === 0 || roots.every((root) => under.includes(root)));
  };
  const others = nested.filter((field) => !isInParentRow(field));
  return (roots.length > 1 || others.length > 0) && !others.some(({ extensions }) => extensions.waitsForPermit);
}
