/** Koa middleware for `/graphql`: the integration of `executeHTTPGraphQLRequest` of Apollo Server. */

import { Readable } from 'node:stream';
import { type ApolloServer, HeaderMap } from '@apollo/server';
import type Koa from 'koa';
import { viewerOf } from '../auth/policy.js';
import { fixedLimit } from '../config/limit.js';
import { type Context, createContext } from '../context.js';
import { AppError } from '../errors.js';
import { GRAPHQL_PATH } from '../http/error-response.js';
import { MAX_JSON_BYTES, readJson } from '../http/json-body.js';
import { languageOf, setLanguage } from '../http/language.js';
import { factsOf, type RequestState } from '../http/request.js';
import { releasePermits } from '../limits/operations.js';
import { createMessage, type Language } from '../messages/message.js';
import { errorsReturned } from '../observability/metrics/error.js';
import type { Services } from '../services.js';
import { DocumentErrors, type Documents } from './documents.js';
import { type ErrorContext, toGraphQLError, toReportedError } from './format-error.js';
import { readUploads } from './upload.js';

const MAX_ANONYMOUS_BYTES = fixedLimit({
  area: 'HTTP',
  error: 'PAYLOAD_TOO_LARGE',
  value: 256 * 1024,
  unit: 'bytes',
  about: 'Body of a GraphQL request without authentication.',
});

export function graphqlHandler(
  apollo: ApolloServer<Context>,
  documents: Documents,
  services: Services,
): Koa.Middleware<RequestState> {
  return async (ctx, next) => {
    if (ctx.path !== GRAPHQL_PATH) return next();
    ctx.state.route = GRAPHQL_PATH;
    try {
      requireMethod(ctx);
      await respond(ctx, apollo, documents, services);
    } catch (error) {
      const reader = { language: languageOf(ctx), log: services.log, requestId: ctx.state.requestId };
      if (error instanceof DocumentErrors) refuseDocument(ctx, error, reader);
      else refuse(ctx, toReportedError(reader, error), reader.language);
    }
  };
}

function requireMethod(ctx: Koa.Context): void {
  if (['GET', 'HEAD', 'POST'].includes(ctx.method)) return;
  ctx.set('Allow', 'GET, POST');
  throw new AppError('METHOD_NOT_ALLOWED', { message: createMessage('methodNotAllowed', ['GET', 'POST'], ctx.method) });
}

async function respond(
  ctx: Koa.Context,
  apollo: ApolloServer<Context>,
  documents: Documents,
  services: Services,
): Promise<void> {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(ctx.headers)) headers.set(name, String(value));
  const context = await createContext(services, factsOf(ctx, services.config.trustProxy));
  const httpGraphQLRequest = { method: ctx.method, headers, search: ctx.search, body: await readBody(ctx, context) };
  readDocument(documents, httpGraphQLRequest);
  try {
    const { status, headers, body } = await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest,
      context: async () => context,
    });
    // Apollo's errors before it has a GraphQL request are in English; other responses replace the header.
    setLanguage(ctx, 'en');
    for (const [name, value] of headers) ctx.set(name, value);
    // The explorer is an HTML page of Apollo that contains its own policy.
    if (headers.get('content-type')?.startsWith('text/html')) ctx.remove('Content-Security-Policy');
    ctx.status = status ?? 200;
    ctx.body = body.kind === 'complete' ? body.string : Readable.from(body.asyncIterator);
  } finally {
    releasePermits(context);
  }
}

/** Parses the document into the cache. Apollo responds to requests without one. @throws AppError, DocumentErrors */
function readDocument(documents: Documents, { body, search }: { body: unknown; search: string }): void {
  const query = body === undefined ? new URLSearchParams(search).get('query') : Object(body).query;
  if (typeof query === 'string' && query !== '') documents.read(query);
}

/** Responds with the error. RFC 9110 §11.6.1: a 401 has WWW-Authenticate. */
function refuse(ctx: Koa.Context, error: AppError, language: Language): void {
  errorsReturned.inc({ surface: 'graphql', key: error.key });
  if (error.status === 401) ctx.set('WWW-Authenticate', 'Bearer');
  if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter));
  sendErrors(ctx, error.status, language, [
    { message: error.clientMessage.in(language), extensions: error.extensionsIn(language) },
  ]);
}

function refuseDocument(ctx: Koa.Context, { errors }: DocumentErrors, reader: ErrorContext): void {
  const formatted = errors.map((error) => toGraphQLError(reader, error).toJSON());
  sendErrors(ctx, 400, reader.language, formatted);
}

/** GraphQL over HTTP, §6.4: the response to a request that was not executed, in the media type that the client prefers. */
function sendErrors(ctx: Koa.Context, status: number, language: Language, errors: object[]): void {
  setLanguage(ctx, language);
  ctx.status = status;
  ctx.type = ctx.accepts('application/json', GRAPHQL_RESPONSE) || 'application/json';
  ctx.body = JSON.stringify({ errors });
}

const GRAPHQL_RESPONSE = 'application/graphql-response+json';

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
