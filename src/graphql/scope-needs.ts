/** The scopes that an operation needs from an API token, as declared in the schema (`ApiTokenScopes` in schema/api-token.ts). */
import type { FieldNode, GraphQLField } from 'graphql';
import type { Scope } from '../models/session/api-token.js';
import type { ScopeNeed } from '../services/auth/api-token.js';
import { isExcluded, type SelectedFields } from './selected-fields.js';

type Field = GraphQLField<unknown, unknown>;

/** Empty for an operation with public reads only. */
export function scopeNeedsOf({ roots, nested }: SelectedFields): ScopeNeed[] {
  const needs: ScopeNeed[] = [
    ...roots.map(({ field, node }) => ({ field: field.name, anyOf: scopesOfRoot(field), ...conditionOf(node) })),
    ...nested.map(({ field, parent, node }) => ({
      field: `${parent}.${field.name}`,
      anyOf: scopesOf(field),
      ...conditionOf(node),
    })),
  ];
  return needs.filter(({ anyOf }) => anyOf?.length !== 0);
}

function conditionOf(node: FieldNode): Pick<ScopeNeed, 'isExcluded'> {
  return node.directives?.length ? { isExcluded: (variables) => isExcluded(node, variables) } : {};
}

/** Empty: any API token may call it, as anyone without a token may. Null: none may. */
export function scopesOfRoot({ name, extensions }: Field): readonly Scope[] | null {
  if (extensions.ignoresToken === true || name.startsWith('__')) return [];
  return (extensions.apiTokenScopes as readonly Scope[] | undefined) ?? null;
}

/** Empty: the scope of the root field is sufficient. */
export function scopesOf({ extensions }: Field): readonly Scope[] {
  return (extensions.apiTokenScopes as readonly Scope[] | undefined) ?? [];
}
