/** Fields that may stand only directly in some root fields (`DirectlyIn` in schema/statements.ts): each of them runs a statement of its own. */
import { type DocumentNode, type FieldNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import { fragmentOf, type SelectedFields } from './selected-fields.js';

/** A field in another place than it may have. */
export interface MisplacedField {
  readonly field: string;
  readonly roots: readonly string[];
}

/** The first one of an operation. */
export function misplacedField(
  { nested }: SelectedFields,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): MisplacedField | null {
  const placed = new Map<FieldNode, MisplacedField>();
  for (const { node, field, parent } of nested) {
    const roots = field.extensions.directlyIn as readonly string[] | undefined;
    if (roots) placed.set(node, { field: `${parent}.${field.name}`, roots });
  }
  if (placed.size === 0) return null;
  /** A fragment is read once in each place. */
  const read = new Set<string>();
  /** @param root the root field that directly contains the selection; null: none */
  const find = (
    { selections }: SelectionSetNode,
    root: string | null,
    isOfOperation: boolean,
  ): MisplacedField | null => {
    for (const selection of selections) {
      const isField = selection.kind === Kind.FIELD;
      const one = isField ? placed.get(selection) : undefined;
      if (one && !one.roots.includes(root ?? '')) return one;
      const spread = selection.kind === Kind.FRAGMENT_SPREAD ? selection.name.value : null;
      const place = `${spread} ${root} ${isOfOperation}`;
      if (spread !== null && read.has(place)) continue;
      read.add(place);
      const node = spread === null ? selection : fragmentOf(document, spread);
      const inside = isField ? (isOfOperation ? selection.name.value : null) : root;
      const found =
        node && 'selectionSet' in node && node.selectionSet
          ? find(node.selectionSet, inside, isOfOperation && !isField)
          : null;
      if (found) return found;
    }
    return null;
  };
  return find(operation.selectionSet, null, true);
}
