/** Fields that may stand only directly in some root fields (`DirectlyIn` in schema/statements.ts): each of them runs a statement of its own. */
import { type DocumentNode, type FieldNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import type { SelectedFields } from './selected-fields.js';

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
  const find = ({ selections }: SelectionSetNode, root: string | null, isRoot = false): MisplacedField | null => {
    for (const selection of selections) {
      let found: MisplacedField | null = null;
      if (selection.kind === Kind.FIELD) {
        const one = placed.get(selection);
        if (one && !one.roots.includes(root ?? '')) return one;
        found = selection.selectionSet ? find(selection.selectionSet, isRoot ? selection.name.value : null) : null;
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        found = find(selection.selectionSet, root, isRoot);
      } else if (!read.has(`${selection.name.value} ${root}`)) {
        read.add(`${selection.name.value} ${root}`);
        const fragment = document.definitions.find(
          (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === selection.name.value,
        );
        found =
          fragment && 'selectionSet' in fragment ? find(fragment.selectionSet as SelectionSetNode, root, isRoot) : null;
      }
      if (found) return found;
    }
    return null;
  };
  return find(operation.selectionSet, null, true);
}
