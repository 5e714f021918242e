/** Handler of `/graphql`: the integration of `executeHTTPGraphQLRequest` of Apollo Server. */
import { Readable } from 'node:stream';
import { type ApolloServer, HeaderMap } from '@apollo/server';
import { OperationTypeNode } from 'graphql';
import type Koa from 'koa';
import { LRUCache } from 'lru-cache';
import { type Context, contextFor, createContext } from '../context.js';
import type { Executable, Outcome, Variables } from '../execute.js';
import { readVersion } from '../models/stamp-reader.js';
import { fixedLimit } from '../platform/config/fixed-limit.js';
import { AppError } from '../platform/errors.js';
import { isCacheable, setContentTag } from '../platform/http/conditional.js';
import { GRAPHQL_RESPONSE, respondWithGraphQLErrors } from '../platform/http/error-response.js';
import { MAX_JSON_BYTES, readJson } from '../platform/http/json-body.js';
import { languageOf, setLanguage } from '../platform/http/language.js';
import { requestInfo } from '../platform/http/request.js';
import { orUnavailable } from '../platform/http/response-cache.js';
import type { Handler } from '../platform/http/router.js';
import { createMessage, type Language } from '../platform/messages/message.js';
import { requireScopes } from '../services/auth/api-token.js';
import { requireNotSuspended, viewerOf } from '../services/auth/policy.js';
import type { Services } from '../services/index.js';
import { releasePermits } from '../services/limits/operations.js';
import { type ApolloContext, Execution } from './apollo-server.js';
import { cacheableRequest, MAX_ACCEPT } from './cacheable-query.js';
import { type CachedDocument, DocumentErrors } from './document-cache.js';
import type { Executor } from './executor.js';
import { toGraphQLError, toReportedError } from './format-error.js';
import { readMutationHeaders } from './mutation-headers.js';
import type { OperationAnalysis } from './operation-analysis.js';
import { type OperationChecks, requireFewValues } from './operation-checks.js';
import { PersistedQueryNotFound, type Query, readQuery } from './query-parameters.js';
import { readUploads } from './upload.js';

const MAX_ANONYMOUS_BYTES = fixedLimit({
  area: 'HTTP',
  error: 'PAYLOAD_TOO_LARGE',
  value: 256 * 1024,
  unit: 'bytes',
  about: 'Body of a GraphQL request without authentication.',
});

/** What executes GraphQL requests over HTTP. */
export interface GraphQLServer {
  readonly apollo: ApolloServer<ApolloContext>;
  readonly checks: OperationChecks;
  readonly executor: Executor;
}

export function serveGraphQL(server: GraphQLServer, services: Services): Handler {
  return async (ctx) => {
    try {
      await respond(ctx, server, services);
    } catch (error) {
      const { log } = services;
      const reader = { language: languageOf(ctx), log, requestId: ctx.state.requestId };
      if (error instanceof PersistedQueryNotFound) return respondNotPersisted(ctx, reader.language);
      if (!(error instanceof DocumentErrors)) throw toReportedError(reader, error);
      const errors = error.errors.map((one) => toGraphQLError(reader, one).toJSON());
      respondWithGraphQLErrors(ctx, isLegacyClient(ctx) ? 200 : 400, reader.language, errors);
    }
  };
}

/** Whether the client expects status 200 with errors: it names `application/json` only (GraphQL over HTTP, §6.4.1). */
function isLegacyClient(ctx: Koa.Context): boolean {
  const accept = ctx.get('Accept').toLowerCase();
  return accept.includes('application/json') && !accept.includes(GRAPHQL_RESPONSE);
}

async function respond(ctx: Koa.Context, server: GraphQLServer, services: Services): Promise<void> {
  const { context, body, query, document, analysis } = await readRequest(ctx, server, services);
  if (!query || !document) return runApollo(ctx, server, context, { search: ctx.search, body });
  if (!analysis) return runApollo(ctx, server, context, toApolloRequest(ctx, query));
  const { operationName, variables } = query;
  ctx.state.hasSecret = analysis.hasSecret;
  if (analysis.isBodyOnly) requirePost(ctx);
  requireFewValues(analysis.operation, variables);
  // Also before a response that is stored for an Idempotency-Key.
  requireScopes(context.viewer, analysis.scopeNeeds, variables);
  if (!analysis.isForSuspended) requireNotSuspended(context.viewer);
  const { key, ifMatch } = readMutationHeaders(ctx, analysis);
  const conditional = ifMatch === null ? context : { ...context, ifMatch };
  const operation = executableOf(server, conditional, document, analysis, query);
  const send = async (context: Context): Promise<Outcome | null> => {
    const execution = new Execution(operation, variables, context);
    try {
      const isSent = mayExecute(ctx, analysis) && (await sendData(ctx, context, execution));
      if (!isSent) await runApollo(ctx, server, context, toApolloRequest(ctx, query), execution);
      return execution.result;
    } finally {
      releasePermits(context);
    }
  };
  if (key !== null) {
    const input = [document.hash, operationName ?? null, variables];
    return services.idempotencyKeys.run(ctx, conditional, { key, input, showsOthers: true }, async (inTransaction) => {
      const outcome = await send(inTransaction);
      return outcome && hasData(outcome) ? outcome : null;
    });
  }
  const cacheable = context.viewer ? null : cacheableRequest(ctx, context, document, analysis, query);
  if (!cacheable) {
    const outcome = await send(conditional);
    if (analysis.isTaggedByContent && isCacheable(ctx) && outcome && !outcome.errors) setContentTag(ctx);
    return;
  }
  // Also of a 304, whose headers are those of the 200 (RFC 9110 §15.4.5).
  setLanguage(ctx, context.language);
  const { responseCache, stampReader } = services;
  const isVersionNeeded = responseCache.isVersionNeeded(cacheable);
  const current = isVersionNeeded ? await orUnavailable(readVersion(stampReader, cacheable.keys)) : null;
  const miss = await responseCache.lookup(ctx, cacheable, current);
  if (!miss) return;
  try {
    const outcome = await send(conditional);
    miss.store(outcome);
    if (analysis.isTaggedByContent && isCacheable(ctx) && outcome?.version === null && !outcome.errors)
      setContentTag(ctx);
  } finally {
    miss.end();
  }
}

/** With the checks of `/graphql`, whose limits are those of documents that clients write. */
function executableOf(
  { checks, executor }: GraphQLServer,
  context: Context,
  document: CachedDocument,
  analysis: OperationAnalysis,
  { operationName }: Query,
): Executable {
  const { operation } = analysis;
  const costOf = (variables: Variables) => {
    // A subscription has no single response.
    if (operation.operation === OperationTypeNode.SUBSCRIPTION)
      throw new AppError('BAD_REQUEST', { message: createMessage('subscriptionRequiresWebSocket') });
    return checks.costOf(context, document.document, operation, variables);
  };
  return executor.executable(document, analysis, operationName, costOf);
}

/** Apollo rejects a GET of another operation than a query. */
function mayExecute({ method }: Koa.Context, { operation }: OperationAnalysis): boolean {
  return method === 'POST' || operation.operation === OperationTypeNode.QUERY;
}

/** Whether a root field has a value. With errors and only nulls, the operation has failed: root fields may be nullable. */
function hasData({ data, errors }: Outcome): boolean {
  return data != null && (errors === undefined || Object.values(data).some((value) => value !== null));
}

/** @throws AppError METHOD_NOT_ALLOWED */
function requirePost(ctx: Koa.Context): void {
  if (ctx.method === 'POST') return;
  ctx.set('Allow', 'POST');
  throw new AppError('METHOD_NOT_ALLOWED', { message: createMessage('graphqlSecretInUrl') });
}

interface GraphQLRequest {
  readonly context: Context;
  readonly body: unknown;
  /** Null if the request has no document: Apollo responds to it. */
  readonly query: Query | null;
  readonly document: CachedDocument | null;
  /** Null if the document has no operation of the requested name: Apollo reports the error. */
  readonly analysis: OperationAnalysis | null;
}

/** A request whose operation ignores the token is anonymous, whatever its Authorization header. @throws AppError, DocumentErrors */
async function readRequest(ctx: Koa.Context, { checks }: GraphQLServer, services: Services): Promise<GraphQLRequest> {
  const info = requestInfo(ctx, services.config.trustProxy);
  const sender = await createContext(services, info).catch((error: unknown) => asRejectedToken(error));
  const context = sender instanceof AppError ? contextFor(services, info, null) : sender;
  try {
    const body = await readBody(ctx, context);
    const query = readQuery(ctx, body, checks.documents);
    const document = query && (await checks.read(context, query.text));
    const analysis = document && checks.documents.analysisOf(document, query?.operationName);
    const request = { context, body, query, document, analysis };
    if (analysis?.ignoresToken)
      return context.viewer ? { ...request, context: contextFor(services, info, null) } : request;
    if (!(sender instanceof AppError)) return request;
  } catch (error) {
    throw sender instanceof AppError ? sender : error;
  }
  throw sender;
}

/** @returns the error of an invalid or expired token, or of one whose member is suspended. @throws any other error */
function asRejectedToken(error: unknown): AppError {
  if (error instanceof AppError && (error.status === 401 || error.status === 403)) return error;
  throw error;
}

/** The Content-Type of Apollo's responses with data, by the method and the Accept header: Apollo responds to a GET by a browser with its page. */
const contentTypes = new LRUCache<string, string>({ max: 100 });

function acceptKey(ctx: Koa.Context): string {
  return `${ctx.method === 'POST'} ${ctx.get('Accept')}`;
}

/**
 * Sends a result without errors, as Apollo does, whose pipeline costs as much as the response itself.
 * @returns false if Apollo has to: it formats errors, and decides about an Accept header that it has not seen yet
 */
async function sendData(ctx: Koa.Context, { language }: Context, execution: Execution): Promise<boolean> {
  const contentType = contentTypes.get(acceptKey(ctx));
  if (contentType === undefined) return false;
  const outcome = await execution.outcome();
  if (outcome instanceof AppError || outcome.errors) return false;
  ctx.status = 200;
  setLanguage(ctx, language);
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Content-Type', contentType);
  ctx.body = `${JSON.stringify({ data: outcome.data })}\n`;
  return true;
}

/** The parameters as they were read here, so that Apollo executes the operation to which the headers were applied. */
function toApolloRequest(ctx: Koa.Context, { text, operationName, variables }: Query): ApolloRequest {
  if (ctx.method === 'POST') {
    const name = operationName === undefined ? {} : { operationName };
    return { search: '', body: { query: text, variables, ...name } };
  }
  const parameters = new URLSearchParams(ctx.search);
  parameters.set('query', text);
  parameters.delete('extensions');
  return { search: `?${parameters}`, body: undefined };
}

/** Apollo's protocol for persisted queries: the client repeats the request with the document. */
function respondNotPersisted(ctx: Koa.Context, language: Language): void {
  ctx.set('Cache-Control', 'private, no-cache, must-revalidate');
  const error = { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } };
  respondWithGraphQLErrors(ctx, 200, language, [error]);
}

interface ApolloRequest {
  readonly search: string;
  readonly body: unknown;
}

/** @param execution null without an operation */
async function runApollo(
  ctx: Koa.Context,
  { apollo }: GraphQLServer,
  reader: Context,
  request: ApolloRequest,
  execution: Execution | null = null,
): Promise<void> {
  const requestHeaders = new HeaderMap();
  for (const [name, value] of Object.entries(ctx.headers)) requestHeaders.set(name, String(value));
  const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
  const { status, headers, body } = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { ...request, method, headers: requestHeaders },
    context: async () => ({ reader, execution }),
  });
  // Apollo's errors before it has a GraphQL request are in English; other responses replace the header.
  setLanguage(ctx, 'en');
  for (const [name, value] of headers) ctx.set(name, value);
  // The explorer is an HTML page of Apollo that contains its own policy.
  if (headers.get('content-type')?.startsWith('text/html')) ctx.remove('Content-Security-Policy');
  ctx.status = status ?? 200;
  ctx.body = body.kind === 'complete' ? body.string : Readable.from(body.asyncIterator);
  const contentType = headers.get('content-type');
  const isData = ctx.status === 200 && execution?.result?.errors === undefined && execution?.result != null;
  if (isData && contentType && ctx.get('Accept').length <= MAX_ACCEPT) contentTypes.set(acceptKey(ctx), contentType);
}

/** Only members may upload files, since these are buffered in memory. @throws AppError UNSUPPORTED_MEDIA_TYPE, UNAUTHENTICATED, body errors */
async function readBody(ctx: Koa.Context, context: Context): Promise<unknown> {
  if (ctx.method !== 'POST') return undefined;
  const type = ctx.is('application/json', 'multipart/form-data');
  if (type === 'multipart/form-data') {
    viewerOf(context);
    return readUploads(ctx, context);
  }
  if (type === 'application/json') {
    const isMember = context.viewer !== null;
    return readJson(ctx, context, { maxBytes: isMember ? MAX_JSON_BYTES : MAX_ANONYMOUS_BYTES, mayCompress: isMember });
  }
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', { message: createMessage('graphqlContentTypeUnsupported') });
}
