/** What the declarations in the schema say about an operation, found in one traversal of its document. */
import { type DocumentNode, type GraphQLSchema, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import type { Variables } from '../execute.js';
import { acceptsKey } from '../schema/idempotency.js';
import { needsSnapshot } from './consistent-read.js';
import { misplacedField } from './field-placement.js';
import { stampsOf } from './operation-stamps.js';
import { scopeNeedsOf } from './scope-needs.js';
import { byConditions, type SelectedFields, selectedFields } from './selected-fields.js';

export type OperationAnalysis = Readonly<ReturnType<typeof analyze>>;

/** For as long as the document is cached. */
const analyzed = new WeakMap<OperationDefinitionNode, OperationAnalysis>();

/** @param operation of the document, which is valid */
export function analyzeOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): OperationAnalysis {
  const analysis = analyzed.get(operation) ?? analyze(schema, document, operation);
  analyzed.set(operation, analysis);
  return analysis;
}

function analyze(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
  const select = (variables: Variables) => selectedFields(schema, document, operation, variables);
  const selected = select({});
  const roots = selected.roots.map(({ field }) => field);
  const nested = selected.nested.map(({ field }) => field);
  const ignoresToken = roots.every(({ extensions }) => extensions.ignoresToken === true);
  const isQuery = operation.operation === OperationTypeNode.QUERY;
  const isMutation = operation.operation === OperationTypeNode.MUTATION;
  const read = isQuery ? byConditions(selected, select, readOf) : NO_READ;
  const mutations = isMutation ? roots.filter(({ name }) => name !== '__typename') : [];
  return {
    operation,
    /** The number of its mutation fields; 0 for an operation of another type. */
    mutations: mutations.length,
    /** Whether the Idempotency-Key header applies: to an operation with one mutation field (schema/idempotency.ts). */
    acceptsKey: mutations.length === 1 && mutations.every(({ extensions }) => acceptsKey(extensions)),
    /** Whether all root fields ignore the token of a request (`TokenIgnored` in schema/auth.ts). */
    ignoresToken,
    /** Empty for an operation that any API token may execute. */
    scopeNeeds: ignoresToken ? [] : scopeNeedsOf(selected),
    /** Whether suspended members may execute it: a read, or only changes that are declared for them (`WhileSuspended` in schema/auth.ts). */
    isForSuspended: mutations.every(
      ({ extensions }) => extensions.ignoresToken === true || extensions.isForSuspended === true,
    ),
    /** Whether the response can contain a secret (`Secret` in schema/auth.ts). */
    hasSecret: [...roots, ...nested].some(({ extensions }) => extensions.isSecret === true),
    /** Whether an argument can be a secret, which must not be in a URL (`BodyOnly` in schema/auth.ts). */
    isBodyOnly: roots.some(({ extensions }) => extensions.isBodyOnly === true),
    /** The stamps of the response (schema/stamped.ts); null if it contains a field that they do not cover, and must not be cached. */
    stamps: typeof read === 'function' ? (variables: Variables) => read(variables).stamps : read.stamps,
    /** Whether the tag of the response is that of its content (`TaggedByContent` in schema/stamped.ts). */
    isTaggedByContent: roots.every(({ extensions }) => extensions.isTaggedByContent === true),
    /** Operations with such a field are rejected. */
    misplaced: misplacedField(selected, document, operation),
    needsSnapshot:
      typeof read === 'function' ? (variables: Variables) => read(variables).needsSnapshot : read.needsSnapshot,
  };
}

/** What a query says about its read; it depends on the fields that are not excluded. */
function readOf(selected: SelectedFields) {
  return { stamps: stampsOf(selected), needsSnapshot: needsSnapshot(selected) };
}

const NO_READ: ReturnType<typeof readOf> = { stamps: null, needsSnapshot: false };
