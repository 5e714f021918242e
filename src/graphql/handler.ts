/** Handler of `/graphql`: the integration of `executeHTTPGraphQLRequest` of Apollo Server. */

import { Readable } from 'node:stream';
import { type ApolloServer, HeaderMap } from '@apollo/server';
import type Koa from 'koa';
import { viewerOf } from '../auth/policy.js';
import { fixedLimit } from '../config/limit.js';
import { type Context, createContext } from '../context.js';
import { AppError } from '../errors.js';
import { respondWithGraphQLErrors } from '../http/error-response.js';
import { MAX_JSON_BYTES, readJson } from '../http/json-body.js';
import { languageOf, setLanguage } from '../http/language.js';
import { requestInfo } from '../http/request.js';
import { respondCached } from '../http/response-cache.js';
import type { Handler } from '../http/router.js';
import { releasePermits } from '../limits/operations.js';
import { createMessage } from '../messages/message.js';
import type { Services } from '../services.js';
import { cacheableRequest, readQuery } from './cacheable-query.js';
import { DocumentErrors, type Documents } from './documents.js';
import { toGraphQLError, toReportedError } from './format-error.js';
import { readUploads } from './upload.js';

const MAX_ANONYMOUS_BYTES = fixedLimit({
  area: 'HTTP',
  error: 'PAYLOAD_TOO_LARGE',
  value: 256 * 1024,
  unit: 'bytes',
  about: 'Body of a GraphQL request without authentication.',
});

export function serveGraphQL(apollo: ApolloServer<Context>, documents: Documents, services: Services): Handler {
  return async (ctx) => {
    try {
      await respond(ctx, apollo, documents, services);
    } catch (error) {
      const { log } = services;
      const reader = { language: languageOf(ctx), log, requestId: ctx.state.requestId };
      if (!(error instanceof DocumentErrors)) throw toReportedError(reader, error);
      const errors = error.errors.map((one) => toGraphQLError(reader, one).toJSON());
      respondWithGraphQLErrors(ctx, 400, reader.language, errors);
    }
  };
}

async function respond(
  ctx: Koa.Context,
  apollo: ApolloServer<Context>,
  documents: Documents,
  services: Services,
): Promise<void> {
  const context = await createContext(services, requestInfo(ctx, services.config.trustProxy));
  const body = await readBody(ctx, context);
  const run = () => runApollo(ctx, apollo, context, body);
  const query = readQuery(ctx, body);
  // Apollo responds to requests without a document.
  const document = query && documents.read(query.text);
  const request = document && !context.viewer ? cacheableRequest(ctx, context, documents, document, query) : null;
  if (!request) return run();
  await respondCached(ctx, context.responseCache, request, async () => {
    await run();
    const { stamp, isComplete } = context.responseMeta;
    return { version: stamp, isComplete };
  });
}

async function runApollo(ctx: Koa.Context, apollo: ApolloServer<Context>, context: Context, requestBody: unknown) {
  const requestHeaders = new HeaderMap();
  for (const [name, value] of Object.entries(ctx.headers)) requestHeaders.set(name, String(value));
  const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
  try {
    const { status, headers, body } = await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method, headers: requestHeaders, search: ctx.search, body: requestBody },
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
