/** Determines the stamps on which the response to an operation depends, from the declarations in the schema (schema/stamped.ts). */
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
  const definitions = document.definitions.filter((one) => one === operation || one.kind === Kind.FRAGMENT_DEFINITION);
  const stamps: (OperationStamp | null)[] = [];
  const nested: GraphQLField<unknown, unknown>[] = [];
  const types = new TypeInfo(schema);
  const onField = (node: FieldNode) => {
    const field = types.getFieldDef();
    if (node.name.value === '__typename') return;
    if (types.getParentType() === schema.getQueryType()) stamps.push(field ? rootStamp(field, node) : null);
    else if (field) nested.push(field);
  };
  visit({ kind: Kind.DOCUMENT, definitions }, visitWithTypeInfo(types, { Field: onField }));
  const complete = stamps.filter((stamp) => stamp !== null);
  if (complete.length < stamps.length || complete.length === 0 || complete.length > MAX_STAMPS) return null;
  const kinds = complete.map(({ kind }) => kind);
  return nested.every((field) => isCovered(field, kinds)) ? complete : null;
}

function rootStamp({ extensions }: GraphQLField<unknown, unknown>, node: FieldNode): OperationStamp | null {
  const stamp = extensions.stamp as RootStamp | undefined;
  if (!stamp) return null;
  const { kind, isInQuery = false } = stamp;
  if (stamp.id === undefined) return { kind, id: null, isInQuery };
  const id = (node.arguments ?? []).find(({ name }) => name.value === stamp.id)?.value;
  return id ? { kind, id, isInQuery } : null;
}

/** A field without a resolver reads its parent's row, which its parent's stamp covers. */
function isCovered({ resolve, extensions }: GraphQLField<unknown, unknown>, kinds: readonly StampKind[]): boolean {
  if (!resolve) return true;
  const coveredBy = (extensions.coveredBy ?? []) as readonly StampKind[];
  return kinds.every((kind) => coveredBy.includes(kind));
}

/** @returns null if a value is not an id; the operation then reports the error */
export function stampKeys(
  stamps: readonly OperationStamp[],
  variables: Readonly<Record<string, unknown>>,
): StampKey[] | null {
  const keys: StampKey[] = [];
  for (const { kind, id } of stamps) {
    const number = id === null ? 0 : Number(valueOf(id, variables));
    if (!Number.isSafeInteger(number) || (id !== null && number < 1)) return null;
    keys.push({ kind, id: number });
  }
  return keys;
}

function valueOf(node: ValueNode, variables: Readonly<Record<string, unknown>>): unknown {
  if (node.kind === Kind.VARIABLE) return variables[node.name.value];
  return node.kind === Kind.INT || node.kind === Kind.STRING ? node.value : undefined;
}
