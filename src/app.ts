/** The application: all middleware in order. Used by the server and the tests. */
import type { Server } from 'node:http';
import cors from '@koa/cors';
import Koa from 'koa';
import { toAppError } from './database/to-app-error.js';
import { routeNotFound } from './errors.js';
import { serveFeeds } from './feeds/serve.js';
import { serveSitemap } from './feeds/sitemap.js';
import { graphqlHandler } from './graphql/handler.js';
import { OperationChecks } from './graphql/operation-checks.js';
import { buildSchema } from './graphql/schema.js';
import { createApollo } from './graphql/server.js';
import { createSocketServer } from './graphql/socket.js';
import { acceptUpgrades } from './graphql/upgrade.js';
import { guardServer } from './http/connections.js';
import { refuse } from './http/error-response.js';
import { closeUnread } from './http/lingering-close.js';
import { factsOfUpgrade, type RequestState, withRequest } from './http/request.js';
import { setSecurityHeaders } from './http/security-headers.js';
import { traceRequests } from './http/trace-requests.js';
import { serveImages } from './images/serve.js';
import { watchQueue } from './jobs/metrics.js';
import { watchPool } from './observability/metrics/saturation.js';
import { startTracing } from './observability/tracing/start.js';
import { servePages } from './pages/pages.js';
import { endpoints } from './rest/endpoints/index.js';
import { compileEndpoint } from './rest/engine/compile.js';
import { mountEndpoints } from './rest/engine/mount.js';
import { describeApi } from './rest/openapi/index.js';
import { healthRoutes } from './routes/health.js';
import { serveMetrics } from './routes/metrics.js';
import type { Services } from './services.js';
import { VERSION } from './version.js';

export interface App {
  /** Attaches the request handlers to the server. `createHttpServer` creates a server with the request timeouts. */
  attach(server: Server): void;
  stop(): Promise<void>;
}

/** Origin of Apollo Sandbox when it is opened directly instead of embedded. */
const SANDBOX_ORIGIN = 'https://studio.apollographql.com';

/** @throws Error if the declaration of a REST endpoint does not match the schema */
export async function createApp(services: Services): Promise<App> {
  const schema = buildSchema();
  const compiled = endpoints.map((endpoint) => compileEndpoint(schema, endpoint));
  const checks = new OperationChecks(schema, services.config);
  const apollo = createApollo(checks, services);
  await apollo.start();
  const koa = new Koa<RequestState>();
  koa.silent = true;
  koa.use(traceRequests());
  koa.use(withRequest(services.log));
  koa.use(answerErrors(services));
  koa.use(setSecurityHeaders);
  koa.use(allowOrigins([SANDBOX_ORIGIN, ...services.config.corsOrigins]));
  koa.use(mountEndpoints(compiled, services));
  koa.use(graphqlHandler(apollo, checks.documents, services));
  koa.use(healthRoutes(services));
  koa.use(serveMetrics(services.config));
  koa.use(serveFeeds(schema, services));
  koa.use(serveSitemap(services));
  koa.use(servePages(describeApi(schema, compiled, VERSION, services.config.restPageBase), services.config.publicUrl));
  koa.use(serveImages(services.images));
  koa.use((ctx) => {
    throw routeNotFound(ctx.path);
  });
  const endObserving = await observe(services);
  const stop = async () => {
    await apollo.stop();
    await endObserving();
  };
  const accept = createSocketServer(checks, services);
  const attach = (server: Server) => {
    guardServer(server, services.config, koa.callback());
    acceptUpgrades(server, (request, socket, head) => {
      accept(request, socket, head, factsOfUpgrade(koa, request, services.config.trustProxy));
    });
  };
  return { attach, stop };
}

/** Starts tracing and the gauges. @returns stops them */
async function observe({ config, database, log }: Services): Promise<() => Promise<void>> {
  const stopTracing = await startTracing(config.tracing, log);
  const ends = [watchPool('requests', database.poolState), watchQueue(database)];
  return () => {
    for (const end of ends) end();
    return stopTracing();
  };
}

function answerErrors({ log }: Services): Koa.Middleware<RequestState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      refuse(ctx, toAppError(error, log, ctx.state.requestId));
    }
    closeUnread(ctx.req, ctx.res);
  };
}

function allowOrigins(origins: readonly string[]): Koa.Middleware {
  return cors({
    origin: (ctx) => (origins.includes(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    exposeHeaders: ['X-Request-Id', 'Retry-After', 'ETag'],
    maxAge: 86_400,
  });
}
