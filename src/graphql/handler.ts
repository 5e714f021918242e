/** `/graphql` on Koa: the few lines around `executeHTTPGraphQLRequest` that Apollo leaves to its integrations. */
import { Readable } from 'node:stream';
import { type ApolloServer, HeaderMap } from '@apollo/server';
import type Koa from 'koa';
import { viewerOf } from '../auth/policy.js';
import { type Context, createContext } from '../context.js';
import { AppError } from '../errors.js';
import { toAppError } from '../failure.js';
import { say } from '../messages/message.js';
import { languageOf, setLanguage } from '../messages/negotiation.js';
import { toldErrors } from '../metrics/refusal.js';
import { factsOf, type RequestState } from '../request.js';
import { readJson } from '../rest/body.js';
import type { Services } from '../services.js';
import { readUploads } from './upload.js';

export const GRAPHQL_PATH = '/graphql';

export function graphqlHandler(apollo: ApolloServer<Context>, services: Services): Koa.Middleware<RequestState> {
  return async (ctx, next) => {
    if (ctx.path !== GRAPHQL_PATH) return next();
    ctx.state.route = GRAPHQL_PATH;
    try {
      requireMethod(ctx);
      await respond(ctx, apollo, services);
    } catch (error) {
      refuse(ctx, toAppError(error, services.log, ctx.state.requestId));
    }
  };
}

function requireMethod(ctx: Koa.Context): void {
  if (['GET', 'HEAD', 'POST'].includes(ctx.method)) return;
  ctx.set('Allow', 'GET, POST');
  throw new AppError('METHOD_NOT_ALLOWED', { message: say('methodExpected', ['GET', 'POST'], ctx.method) });
}

async function respond(ctx: Koa.Context, apollo: ApolloServer<Context>, services: Services): Promise<void> {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(ctx.headers)) headers.set(name, String(value));
  const context = await createContext(services, factsOf(ctx, services.config.trustProxy));
  const httpGraphQLRequest = { method: ctx.method, headers, search: ctx.search, body: await readBody(ctx, context) };
  const {
    status,
    headers: answered,
    body,
  } = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest,
    context: async () => context,
  });
  // What Apollo refuses before a request of GraphQL's is known is in English.
  setLanguage(ctx, 'en');
  for (const [name, value] of answered) ctx.set(name, value);
  // The explorer is a page of Apollo's that brings its own policy, in itself.
  if (answered.get('content-type')?.startsWith('text/html')) ctx.remove('Content-Security-Policy');
  ctx.status = status ?? 200;
  ctx.body = body.kind === 'complete' ? body.string : Readable.from(body.asyncIterator);
}

/** RFC 9110 §11.6.1: a 401 names the way to authenticate. */
function refuse(ctx: Koa.Context, error: AppError): void {
  const language = languageOf(ctx);
  setLanguage(ctx, language);
  toldErrors.inc({ surface: 'graphql', key: error.key });
  ctx.status = error.status;
  if (error.status === 401) ctx.set('WWW-Authenticate', 'Bearer');
  if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter));
  ctx.body = { errors: [{ message: error.said.in(language), extensions: error.extensionsIn(language) }] };
}

/** Files are taken from members alone: they are held in memory. */
async function readBody(ctx: Koa.Context, context: Context): Promise<unknown> {
  if (ctx.method !== 'POST') return undefined;
  const type = ctx.is('application/json', 'multipart/form-data');
  if (type === 'multipart/form-data') {
    viewerOf(context);
    return readUploads(ctx);
  }
  if (type === 'application/json') return readJson(ctx);
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', { message: say('graphqlTypeExpected') });
}
