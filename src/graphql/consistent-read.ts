/** Queries that need more than one statement read one state of the data. */
import {
  type DirectiveNode,
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
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

type Variables = Readonly<Record<string, unknown>>;

interface Analysis {
  /** The names of the variables in conditions of fields (`@skip`, `@include`). */
  readonly conditions: readonly string[];
  /** By the values of these variables. */
  readonly results: Map<string, boolean>;
}

/** For as long as the document is cached. */
const analyses = new WeakMap<OperationDefinitionNode, Analysis>();

/** Whether a query may need more than one statement: for several root fields, or a field that is not in the row of its parent. */
export function needsSnapshot(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): boolean {
  if (operation.operation !== OperationTypeNode.QUERY) return false;
  const { conditions, results } = analyses.get(operation) ?? addAnalysis(document, operation);
  const key = conditions.map((name) => String(variables[name])).join();
  const needs = results.get(key) ?? analyze(schema, document, operation, variables);
  results.set(key, needs);
  return needs;
}

function addAnalysis(document: DocumentNode, operation: OperationDefinitionNode): Analysis {
  const names = new Set<string>();
  const onDirective = ({ arguments: given = [] }: DirectiveNode) => {
    for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
  };
  visit(document, { Directive: onDirective });
  // The results of all combinations of their values would be too many.
  const conditions = names.size <= MAX_CONDITIONS ? [...names] : [];
  const added = { conditions, results: new Map<string, boolean>() };
  analyses.set(operation, added);
  return added;
}

const MAX_CONDITIONS = 4;

/** Runs a query, in a snapshot if it needs one. */
export async function readConsistently(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  context: Context,
  variables: Variables,
  run: (context: Context) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  return needsSnapshot(schema, document, operation, variables) ? readInSnapshot(context, run) : run(context);
}

/** Only the conditions of fields themselves are considered: those of fragments count as met. */
function analyze(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): boolean {
  const { conditions = [] } = analyses.get(operation) ?? {};
  const definitions = document.definitions.filter((one) => one === operation || one.kind === Kind.FRAGMENT_DEFINITION);
  const roots: string[] = [];
  const nested: GraphQLField<unknown, unknown>[] = [];
  const types = new TypeInfo(schema);
  const isLeftOut = ({ directives = [] }: FieldNode) =>
    directives.some(({ name, arguments: given = [] }) => {
      const condition = given[0]?.value;
      if (condition?.kind !== Kind.VARIABLE || !conditions.includes(condition.name.value)) return false;
      // A variable that is not given may have a default value.
      return variables[condition.name.value] === (name.value === 'skip');
    });
  const onField = (node: FieldNode) => {
    const field = types.getFieldDef();
    if (!field || isLeftOut(node) || field.name.startsWith('__')) return;
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
