/** What the declarations in the schema say about an operation: the stamps of its response (schema/stamped.ts), secrets, the need for a token. */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { StampKey, StampKind } from '../models/stamp.js';
import type { RootStamp } from '../schema/stamped.js';

/** A stamp of a root field of an operation. */
export interface OperationStamp {
  readonly kind: StampKind;
  /** The value of the argument with the id; null for a kind without ids. */
  readonly id: ValueNode | null;
  readonly isInQuery: boolean;
}

/** Maximum number of root fields with a stamp: an operation with more is not cached. */
const MAX_STAMPS = 10;

/** @returns null if the response contains a field that these stamps do not cover; it must not be cached then */
export function operationStamps(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): readonly OperationStamp[] | null {
  if (operation.operation !== OperationTypeNode.QUERY) return null;
  const definitions = partsOf(document, operation);
  const roots: { field: GraphQLField<unknown, unknown> | undefined; node: FieldNode }[] = [];
  const nested: GraphQLField<unknown, unknown>[] = [];
  const types = new TypeInfo(schema);
  const onField = (node: FieldNode) => {
    const field = types.getFieldDef();
    if (node.name.value === '__typename') return;
    if (types.getParentType() === schema.getQueryType()) roots.push({ field: field ?? undefined, node });
    else if (field) nested.push(field);
  };
  visit({ kind: Kind.DOCUMENT, definitions }, visitWithTypeInfo(types, { Field: onField }));
  const isCovering = ({ kind }: RootStamp) => nested.every((field) => isCovered(field, kind));
  const stamps = roots.flatMap(({ field, node }) => {
    const alternatives = (field?.extensions.stamps ?? []) as readonly RootStamp[];
    const stamp = alternatives.find(isCovering);
    return stamp ? (toOperationStamp(stamp, node) ?? []) : [];
  });
  return stamps.length > 0 && stamps.length === roots.length && stamps.length <= MAX_STAMPS ? stamps : null;
}

/** Whether a field with a secret (schema/auth.ts) is selected in the document. */
export function selectsSecret(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let isFound = false;
  const onField = () => {
    isFound ||= types.getFieldDef()?.extensions.isSecret === true;
  };
  visit(document, visitWithTypeInfo(types, { Field: onField }));
  return isFound;
}

/** Whether all root fields of an operation ignore the token of a request (schema/auth.ts). */
export function ignoresToken(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): boolean {
  const types = new TypeInfo(schema);
  const rootType = schema.getRootType(operation.operation);
  let isEvery = true;
  const onField = () => {
    if (types.getParentType() === rootType) isEvery &&= types.getFieldDef()?.extensions.ignoresToken === true;
  };
  visit(
    { kind: Kind.DOCUMENT, definitions: partsOf(document, operation) },
    visitWithTypeInfo(types, { Field: onField }),
  );
  return isEvery;
}

/** The operation, and all fragments of its document. */
function partsOf({ definitions }: DocumentNode, operation: OperationDefinitionNode) {
  return definitions.filter((one) => one === operation || one.kind === Kind.FRAGMENT_DEFINITION);
}

/** Null if the argument with the id is absent. */
function toOperationStamp(
  { kind, id: argument, isInQuery = false }: RootStamp,
  node: FieldNode,
): OperationStamp | null {
  if (argument === undefined) return { kind, id: null, isInQuery };
  const id = (node.arguments ?? []).find(({ name }) => name.value === argument)?.value;
  return id ? { kind, id, isInQuery } : null;
}

/** A field without a resolver reads its parent's row, which its parent's stamp covers. */
function isCovered({ resolve, extensions }: GraphQLField<unknown, unknown>, kind: StampKind): boolean {
  return !resolve || ((extensions.coveredBy ?? []) as readonly StampKind[]).includes(kind);
}

/** Whether the operation's own statement returns its only stamp. */
export function isStampInQuery(stamps: readonly OperationStamp[]): boolean {
  return stamps.length === 1 && stamps.every(({ isInQuery }) => isInQuery);
}

/** @returns null if a value is not an id; the operation then reports the error */
export function stampKeys(
  stamps: readonly OperationStamp[],
  variables: Readonly<Record<string, unknown>>,
): StampKey[] | null {
  const keys: StampKey[] = [];
  for (const { kind, id } of stamps) {
    const number = id === null ? 0 : toNumber(argumentValue(id, variables));
    if (!Number.isSafeInteger(number) || (id !== null && number < 1)) return null;
    keys.push({ kind, id: number });
  }
  return keys;
}

/** NaN for values that GraphQL does not accept as an id. */
function toNumber(value: unknown): number {
  return typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
}

function argumentValue(node: ValueNode, variables: Readonly<Record<string, unknown>>): unknown {
  if (node.kind === Kind.VARIABLE) return variables[node.name.value];
  return node.kind === Kind.INT || node.kind === Kind.STRING ? node.value : undefined;
}
