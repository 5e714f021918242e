/** What the declarations in the schema say about an operation, found in one traversal of its document. */
import { type DocumentNode, type GraphQLSchema, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { acceptsKey } from '../schema/idempotency.js';
import type { ScopeNeed } from '../services/auth/api-token.js';
import { snapshotNeed } from './consistent-read.js';
import { type OperationStamp, stampsOf } from './operation-stamps.js';
import { scopeNeedsOf } from './scope-needs.js';
import { selectedFields } from './selected-fields.js';

export interface OperationFacts {
  readonly operation: OperationDefinitionNode;
  /** The number of its mutation fields; 0 for an operation of another type. */
  readonly mutations: number;
  /** Whether the Idempotency-Key header applies: to an operation with one mutation field (schema/idempotency.ts). */
  readonly acceptsKey: boolean;
  /** Whether all root fields ignore the token of a request (`TokenIgnored` in schema/auth.ts). */
  readonly ignoresToken: boolean;
  /** Empty for an operation that any API token may execute. */
  readonly scopeNeeds: readonly ScopeNeed[];
  /** Whether suspended members may execute it: a read, or only changes that are declared for them (`WhileSuspended` in schema/auth.ts). */
  readonly isForSuspended: boolean;
  /** Whether the response can contain a secret (`Secret` in schema/auth.ts). */
  readonly hasSecret: boolean;
  /** Whether an argument can be a secret, which must not be in a URL (`BodyOnly` in schema/auth.ts). */
  readonly isBodyOnly: boolean;
  /** The stamps of the response (schema/stamped.ts); null if it contains a field that they do not cover, and must not be cached. */
  readonly stamps: readonly OperationStamp[] | null;
  readonly needsSnapshot: (variables: Readonly<Record<string, unknown>>) => boolean;
}

/** For as long as the document is cached. */
const analyzed = new WeakMap<OperationDefinitionNode, OperationFacts>();

/** @param operation of the document, which is valid */
export function operationFacts(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): OperationFacts {
  const facts = analyzed.get(operation) ?? analyze(schema, document, operation);
  analyzed.set(operation, facts);
  return facts;
}

function analyze(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): OperationFacts {
  const selected = selectedFields(schema, document, operation);
  const roots = selected.roots.map(({ field }) => field);
  const nested = selected.nested.map(({ field }) => field);
  const ignoresToken = roots.every(({ extensions }) => extensions.ignoresToken === true);
  const isQuery = operation.operation === OperationTypeNode.QUERY;
  const isMutation = operation.operation === OperationTypeNode.MUTATION;
  const mutations = isMutation ? roots.filter(({ name }) => name !== '__typename') : [];
  return {
    operation,
    mutations: mutations.length,
    acceptsKey: mutations.length === 1 && mutations.every(({ extensions }) => acceptsKey(extensions)),
    ignoresToken,
    scopeNeeds: ignoresToken ? [] : scopeNeedsOf(selected),
    isForSuspended: mutations.every(
      ({ extensions }) => extensions.ignoresToken === true || extensions.isForSuspended === true,
    ),
    hasSecret: [...roots, ...nested].some(({ extensions }) => extensions.isSecret === true),
    isBodyOnly: roots.some(({ extensions }) => extensions.isBodyOnly === true),
    stamps: isQuery ? stampsOf(selected) : null,
    needsSnapshot: isQuery ? snapshotNeed(selected) : () => false,
  };
}
