/** Executes operations: the one way for all transports. The outcome has the result, and what is known about it besides. */
import type { ExecutionResult, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { Context } from './context.js';
import { Loaders } from './loaders/index.js';
import { Snapshot } from './platform/database/snapshot.js';
import type { Version } from './platform/http/conditional.js';
import { type Api, observeOperation } from './platform/observability/metrics/latency.js';
import { readerOf } from './services/auth/policy.js';
import { renderForReader } from './services/rendering/article-html.js';
import { DeferredHtml } from './services/rendering/deferred-html.js';

export type Variables = Readonly<Record<string, unknown>>;

/** An operation that can be executed. */
export interface Executable {
  /** For the metrics. */
  readonly api: Api;
  readonly operation: OperationDefinitionNode;
  /** Whether it may need several statements, which must read one state of the data. */
  readonly needsSnapshot: boolean | ((variables: Variables) => boolean);
  /** The cost, on which its permit depends. @throws AppError if the operation must not be executed */
  readonly costOf: (variables: Variables) => number;
  readonly run: (root: object, context: Context, variables: Variables) => ExecutionResult | Promise<ExecutionResult>;
}

/** What root fields return besides their data. */
interface ResponseMetadata {
  /** Version of the data, from the statement that read it. */
  version: Version | null;
  /** Revision of the article or comment that was created or changed, or of the draft. */
  revision: number | null;
  /** The member that a registration created. */
  memberId: number | null;
}

/** The result of a resolver of a root field that returns more than its value. */
export class RootResult<Value> {
  constructor(
    readonly value: Value,
    readonly metadata: Partial<ResponseMetadata>,
  ) {}
}

/** The article, comment or draft after a change, for the ETag of the response. */
export function withRevision<Row extends { readonly revision: number }>(row: Row): RootResult<Row> {
  return new RootResult(row, { revision: row.revision });
}

export interface Outcome extends ExecutionResult, Readonly<ResponseMetadata> {
  /** Whether HTML is missing because it is not rendered yet. No stamp changes when it is, so the response must not be cached. */
  readonly isProvisional: boolean;
}

/**
 * Executes an operation when it has its permit, which the caller releases when the response is built (`releasePermits`).
 * @param event of a subscription
 * @throws AppError for an operation that is not executed, or whose result is too large. Errors of fields are in the outcome
 */
export async function execute(
  executable: Executable,
  variables: Variables,
  context: Context,
  event?: object,
): Promise<Outcome> {
  const { operations } = context.limits;
  const admission = operations.admit(context, executable.costOf(variables));
  if (admission) await admission;
  const metadata: ResponseMetadata = { version: null, revision: null, memberId: null };
  const run = (context: Context) => executable.run(event ?? metadata, context, variables);
  const { needsSnapshot } = executable;
  const isInSnapshot = typeof needsSnapshot === 'function' ? needsSnapshot(variables) : needsSnapshot;
  const { data, errors } = await observeOperation(executable.api, executable.operation, () =>
    isInSnapshot ? readInSnapshot(context, run) : run(context),
  );
  const result = errors ? { data, errors } : { data };
  const measurement = operations.admitResult(context, result);
  if (measurement) await measurement;
  const { version, revision, memberId } = metadata;
  // Without copies of the objects, which take as long as a resolver.
  const outcome = { data, version, revision, memberId, isProvisional: context.html.isProvisional };
  return errors ? { ...outcome, errors } : outcome;
}

/** Replaces each `RootResult` by its value, and its metadata becomes part of the outcome. */
export function unwrapRootResults(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { resolve } = field;
      field.resolve = async (metadata: ResponseMetadata, ...rest) => {
        const result = await resolve?.(metadata, ...rest);
        if (!(result instanceof RootResult)) return result;
        Object.assign(metadata, result.metadata);
        return result.value;
      };
    }
  }
}

/**
 * Reads in one state of the data, with one transaction on one connection, so that the statements run one after another. HTML that is not
 * rendered yet is waited for after the transaction.
 */
async function readInSnapshot(
  context: Context,
  read: (context: Context) => ExecutionResult | Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  const snapshot = new Snapshot(context.database);
  const { database } = snapshot;
  const deferredHtml = new DeferredHtml();
  let result: ExecutionResult;
  try {
    result = await read({ ...context, database, loaders: new Loaders(database), deferredHtml });
  } finally {
    await snapshot.end();
  }
  await deferredHtml.completeIn(result, async (id, content = '', isListed = false) => {
    const rendering = renderForReader(context, id, readerOf(context), content);
    return (await (isListed ? context.html.orEscaped(rendering, async () => content) : rendering)) ?? '';
  });
  return result;
}
