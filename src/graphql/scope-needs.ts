/** The scopes that an operation needs from an API token, as declared in the schema (`ApiTokenScopes` in schema/api-token.ts). */
import {
  type ASTNode,
  type DocumentNode,
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
import type { ScopeNeed } from '../auth/api-token.js';
import type { Scope } from '../models/session/api-token.js';
import { ignoresToken } from './document-stamps.js';

type Field = GraphQLField<unknown, unknown>;

/** Empty for an operation with public reads only. Also counts fields that `@skip` or `@include` exclude. */
export function scopeNeeds(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
): readonly ScopeNeed[] {
  if (ignoresToken(schema, document, definition)) return [];
  const needs: ScopeNeed[] = [];
  const types = new TypeInfo(schema);
  const rootType = schema.getRootType(definition.operation);
  const onField = () => {
    const [field, parent] = [types.getFieldDef(), types.getParentType()];
    if (!field || field.name.startsWith('__')) return;
    const isRoot = parent === rootType;
    const anyOf = isRoot ? scopesOfRoot(field) : scopesOf(field);
    if (anyOf?.length !== 0) needs.push({ field: isRoot ? field.name : `${parent}.${field.name}`, anyOf });
  };
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const one of document.definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
  // Grows while it is iterated. Other operations of the document may use other fragments.
  const parts: ASTNode[] = [definition];
  const onSpread = ({ name }: FragmentSpreadNode) => {
    const fragment = fragments.get(name.value);
    if (fragment) parts.push(fragment);
    fragments.delete(name.value);
  };
  for (const part of parts) visit(part, visitWithTypeInfo(types, { Field: onField, FragmentSpread: onSpread }));
  return needs;
}

/** Empty: any API token may call it, as anyone without a token may. Null: none may. */
export function scopesOfRoot(field: Field): readonly Scope[] | null {
  if (field.extensions.ignoresToken === true) return [];
  return (field.extensions.apiTokenScopes as readonly Scope[] | undefined) ?? null;
}

/** Empty: the scope of the root field is sufficient. */
export function scopesOf(field: Field): readonly Scope[] {
  return (field.extensions.apiTokenScopes as readonly Scope[] | undefined) ?? [];
}
