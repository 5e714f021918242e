/** The stamps of the response of a query, as its root fields declare them (schema/stamped.ts). */
import { type FieldNode, Kind, type ValueNode } from 'graphql';
import type { Variables } from '../execute.js';
import { foldSlug, isSlug } from '../models/article/slug.js';
import { type StampKey, type StampKind, TEXT_KINDS } from '../models/stamp.js';
import type { RootStamp } from '../schema/stamped.js';
import type { ByConditions, SelectedField, SelectedFields } from './selected-fields.js';

/** A stamp of a root field of an operation. */
export interface OperationStamp {
  readonly kind: StampKind;
  /** The value of the argument with the id; null for a kind without ids. */
  readonly id: ValueNode | null;
  readonly isInQuery: boolean;
}

/** Maximum number of root fields with a stamp: an operation with more is not cached. */
const MAX_STAMPS = 10;

/**
 * Of each root field the first stamp that covers all selected fields, or all of them if none does alone.
 * @returns null if the response of a query contains a field that these stamps do not cover; it must not be cached then
 */
export function stampsOf({ roots, nested }: SelectedFields): readonly OperationStamp[] | null {
  const isData = ({ field }: SelectedField) => field.name !== '__typename';
  const dataRoots = roots.filter(isData);
  const dataFields = nested.filter(isData);
  const areCovering = (stamps: readonly RootStamp[]) =>
    dataFields.every((selected) => stamps.some((stamp) => isCovered(selected, stamp)));
  const stamps: OperationStamp[] = [];
  for (const { field, node } of dataRoots) {
    const alternatives = (field.extensions.stamps ?? []) as readonly RootStamp[];
    const chosen = [...alternatives.map((one) => [one]), alternatives].find(areCovering) ?? [];
    const ofRoot = chosen.flatMap((stamp) => toOperationStamp(stamp, node) ?? []);
    if (ofRoot.length === 0 || ofRoot.length < chosen.length) return null;
    stamps.push(...ofRoot);
  }
  return stamps.length > 0 && stamps.length <= MAX_STAMPS ? stamps : null;
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
function isCovered({ field, parent }: SelectedField, { kind, fields }: RootStamp): boolean {
  if (fields) return fields.has(`${parent}.${field.name}`);
  const { resolve, extensions } = field;
  return !resolve || ((extensions.coveredBy ?? []) as readonly StampKind[]).includes(kind);
}

/** The stamps of an operation with these variables. */
export function stampsWith(
  stamps: ByConditions<readonly OperationStamp[] | null>,
  variables: Variables,
): readonly OperationStamp[] | null {
  return typeof stamps === 'function' ? stamps(variables) : stamps;
}

/** Whether the operation's own statement returns its only stamp. */
export function isStampInQuery(stamps: readonly OperationStamp[]): boolean {
  return stamps.length === 1 && stamps.every(({ isInQuery }) => isInQuery);
}

/** @returns null if a value is not an id, a slug or a nickname; the operation then reports the error */
export function stampKeys(
  stamps: readonly OperationStamp[],
  variables: Readonly<Record<string, unknown>>,
): StampKey[] | null {
  const keys: StampKey[] = [];
  for (const { kind, id } of stamps) {
    if (TEXT_KINDS.has(kind)) {
      const text = id && argumentValue(id, variables);
      const key = typeof text === 'string' ? textKey(kind, text) : null;
      if (key === null) return null;
      keys.push({ kind, id: key });
      continue;
    }
    const number = id === null ? 0 : toNumber(argumentValue(id, variables));
    if (!Number.isSafeInteger(number) || (id !== null && number < 1)) return null;
    keys.push({ kind, id: number });
  }
  return keys;
}

/** The text as the statement of the operation looks it up; null for one that it rejects. */
function textKey(kind: StampKind, text: string): string | null {
  if (kind === 'nickname') return text.includes('\0') ? null : text.trim().normalize('NFC');
  return isSlug(text) ? foldSlug(text) : null;
}

/** NaN for values that GraphQL does not accept as an id. */
function toNumber(value: unknown): number {
  return typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
}

function argumentValue(node: ValueNode, variables: Readonly<Record<string, unknown>>): unknown {
  if (node.kind === Kind.VARIABLE) return variables[node.name.value];
  return node.kind === Kind.INT || node.kind === Kind.STRING ? node.value : undefined;
}
