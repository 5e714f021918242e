/** The context of one request for the resolvers. */
import type { ExecutionResult } from 'graphql';
import { Loaders } from './loaders/index.js';
import { readStamp } from './models/stamp.js';
import { readFromReplica } from './platform/database/replica-read.js';
import { Snapshot } from './platform/database/snapshot.js';
import { AppError } from './platform/errors.js';
import type { Version } from './platform/http/conditional.js';
import type { RequestInfo } from './platform/http/request.js';
import type { Language } from './platform/messages/message.js';
import type { AiCaller } from './services/ai/prompt.js';
import { readerOf, type Viewer } from './services/auth/policy.js';
import { authenticate } from './services/auth/session.js';
import type { Services } from './services/index.js';
import { databaseClient } from './services/limits/client-task.js';
import type { OperationBudget } from './services/limits/operations.js';
import { renderForReader } from './services/rendering/article-html.js';
import { DeferredHtml } from './services/rendering/deferred-html.js';
import { asEscaped } from './services/rendering/renderer.js';

export interface Context extends Services, AiCaller {
  readonly loaders: Loaders;
  readonly requestId: string;
  /** The Authorization header as sent, also where the operation ignores it. */
  readonly authorization: string | undefined;
  /** The Sec-Purpose header; empty if absent. */
  readonly purpose: string;
  /** Language of texts that a resolver generates. */
  readonly language: Language;
  readonly responseMeta: ResponseMeta;
  readonly budget: OperationBudget;
  /** Collects the HTML that must not be waited for, since a transaction is open; null outside of one. */
  readonly deferredHtml: DeferredHtml | null;
  /** The If-Match header of a request that changes one resource. */
  readonly ifMatch: string | null;
}

/** Response metadata from the resolvers to the API (REST, GraphQL), in addition to the result. */
export interface ResponseMeta {
  /** Version of the data that the operation read, from the same SQL statement. */
  version: Version | null;
  /** Revision of the article or comment that was created or changed, or of the draft. */
  revision: number | null;
  /** The member that a registration created. */
  memberId: number | null;
  /** Whether an operation of `/graphql` has succeeded, at least for one of its root fields. */
  hasData: boolean;
  /** Whether an operation of `/graphql` was executed without errors. */
  isComplete: boolean;
  /** Whether HTML is missing because it is not rendered yet. No stamp changes when it is, so the response must not be cached. */
  isProvisional: boolean;
  /** The result of the operation if it was executed before Apollo's pipeline, which then only formats it. */
  result: ExecutionResult | null;
  /** Why it was rejected before Apollo's pipeline, which then only formats this error. */
  rejection: AppError | null;
}

/** @throws AppError UNAUTHENTICATED or TOKEN_EXPIRED if the Authorization header is present but invalid */
export async function createContext(services: Services, info: RequestInfo): Promise<Context> {
  const { authorization, client } = info;
  const viewer = authorization === undefined ? null : await authenticate(services, authorization, client);
  return contextFor(services, info, viewer);
}

/** For an authenticated viewer; long-lived connections are closed when the token or the session ends. */
export function contextFor(services: Services, info: RequestInfo, viewer: Viewer | null): Context {
  const { requestId, authorization, client, purpose, language, disconnectSignal } = info;
  const database = services.database.forClient(databaseClient(client, viewer?.memberId));
  return {
    // Listed individually: spreading the object takes V8 microseconds per request.
    config: services.config,
    database,
    replicas: services.replicas,
    log: services.log,
    images: services.images,
    ai: services.ai,
    extractor: services.extractor,
    renderer: services.renderer,
    mailer: services.mailer,
    jwtSecret: services.jwtSecret,
    passwordHasher: services.passwordHasher,
    limits: services.limits,
    hub: services.hub,
    oauthProviders: services.oauthProviders,
    apiTokenUses: services.apiTokenUses,
    spamModel: services.spamModel,
    stampReader: services.stampReader,
    responseCache: services.responseCache,
    idempotencyKeys: services.idempotencyKeys,
    views: services.views,
    stopping: services.stopping,
    requestId,
    authorization,
    client,
    purpose,
    language,
    disconnectSignal,
    viewer,
    loaders: new Loaders(database),
    deferredHtml: null,
    ifMatch: null,
    responseMeta: {
      version: null,
      revision: null,
      memberId: null,
      hasData: false,
      isComplete: false,
      isProvisional: false,
      result: null,
      rejection: null,
    },
    budget: { cost: 0, permits: [] },
  };
}

/**
 * Reads in one state of the data, with one transaction on one connection, so that the statements run one after another. HTML that is not
 * rendered yet is waited for after the transaction.
 */
export async function readInSnapshot<Result extends ExecutionResult>(
  context: Context,
  read: (context: Context) => Promise<Result>,
): Promise<Result> {
  const { result, deferredHtml } = await withSnapshot(context, read);
  await deferredHtml.completeIn(result, async (id, content = '', isListed = false) => {
    const rendering = renderForReader(context, id, readerOf(context), content);
    return (await (isListed ? orEscaped(context, rendering, async () => content) : rendering)) ?? '';
  });
  return result;
}

/** An article in a list that cannot be rendered at the moment has its escaped text: the other articles are not affected. */
export async function orEscaped<Html>(
  { responseMeta }: Context,
  rendering: Promise<Html>,
  contentOf: () => Promise<string>,
): Promise<Html | string> {
  try {
    return await rendering;
  } catch (error) {
    if (!(error instanceof AppError && ['RATE_LIMITED', 'SERVICE_UNAVAILABLE'].includes(error.key))) throw error;
    responseMeta.isProvisional = true;
    return asEscaped(await contentOf()).html;
  }
}

/** Like `readInSnapshot`, but the result has a marker in place of HTML that is not rendered yet. */
export async function withSnapshot<Result>(
  context: Context,
  read: (context: Context) => Promise<Result>,
): Promise<{ result: Result; deferredHtml: DeferredHtml }> {
  for (;;) {
    const snapshot = new Snapshot(context.database);
    const { database } = snapshot;
    const deferredHtml = new DeferredHtml();
    try {
      const result = await read({ ...context, database, loaders: new Loaders(database), deferredHtml });
      if (!snapshot.isInterrupted) return { result, deferredHtml };
    } catch (error) {
      if (!snapshot.isInterrupted) throw error;
    } finally {
      await snapshot.end();
    }
    // The replica has failed: the next snapshot is one of the primary.
  }
}

/**
 * The context for a response whose first statement returns its stamp: it reads from a replica if that has the state of this version.
 * @param version the current version, read from the primary; null if a replica cannot be verified
 */
export function withReplica(context: Context, version: Version | null): Context {
  const { replicas, database } = context;
  if (!replicas || !version) return context;
  const isCurrent = (stamp: string) => readStamp(stamp).tag === version.tag;
  const { pages, relations } = readFromReplica(database, replicas.choose(), isCurrent);
  return { ...context, database: pages, loaders: new Loaders(relations) };
}
