/** The application: all middleware in order. Used by the server and the tests. */
import type { Server } from 'node:http';
import Koa from 'koa';
import { createApollo } from './graphql/apollo-server.js';
import { Executor } from './graphql/executor.js';
import { OperationChecks } from './graphql/operation-checks.js';
import { createSocketServer } from './graphql/socket.js';
import { acceptUpgrades } from './graphql/upgrade.js';
import { watchQueue } from './jobs/metrics.js';
import { maskError } from './platform/database/mask-error.js';
import { compressResponses } from './platform/http/compression.js';
import { guardServer } from './platform/http/connections.js';
import { allowOrigins, reportRefusedOrigins } from './platform/http/cross-origin.js';
import { respondWithError } from './platform/http/error-response.js';
import { closeUnread } from './platform/http/lingering-close.js';
import { type RequestState, upgradeRequestInfo, withRequest } from './platform/http/request.js';
import { createRouter, type Route } from './platform/http/router.js';
import { setSecurityHeaders } from './platform/http/security-headers.js';
import { traceRequests } from './platform/http/trace-requests.js';
import { observeQueue, watchPool } from './platform/observability/metrics/saturation.js';
import { startTracing } from './platform/observability/tracing/start.js';
import { compileApi } from './rest/api.js';
import { createRoutes } from './routes/index.js';
import type { Services } from './services/index.js';

export interface App {
  readonly routes: readonly Route[];
  /**
   * Attaches the request handlers to the server. `createHttpServer` creates a server with the request timeouts.
   * @returns `drain`: from then on each connection is closed by its next response, or by the keep-alive timeout
   */
  attach(server: Server): () => void;
  stop(): Promise<void>;
}

/** @throws Error if the declaration of a REST endpoint does not match the schema */
export async function createApp(services: Services): Promise<App> {
  const api = compileApi();
  const checks = new OperationChecks(api.schema, services.config);
  const apollo = createApollo(checks.documents, services);
  await apollo.start();
  const routes = createRoutes(api, { apollo, checks, executor: new Executor(api.schema) }, services);
  const koa = new Koa<RequestState>();
  koa.silent = true;
  koa.use(traceRequests());
  koa.use(withRequest(services.log));
  koa.use(compressResponses());
  koa.use(handleErrors(services));
  koa.use(setSecurityHeaders(services.config));
  koa.use(reportRefusedOrigins(services.config, services.log));
  koa.use(allowOrigins(services.config));
  koa.use(createRouter(routes));
  const endObserving = await observe(services);
  const stop = async () => {
    await apollo.stop();
    await endObserving();
  };
  const accept = createSocketServer(checks, services);
  const attach = (server: Server) => {
    const drain = guardServer(server, services.config, koa.callback());
    acceptUpgrades(server, (request, socket, head) => {
      accept(request, socket, head, upgradeRequestInfo(koa, request, services.config.trustProxy));
    });
    return drain;
  };
  return { routes, attach, stop };
}

/** Starts tracing and the gauges. @returns stops them */
async function observe({ config, database, log }: Services): Promise<() => Promise<void>> {
  const stopTracing = await startTracing(config.tracing, log);
  for (const queue of database.queues()) observeQueue(queue);
  const ends = [watchPool('requests', database.poolState), watchQueue(database)];
  return () => {
    for (const end of ends) end();
    return stopTracing();
  };
}

function handleErrors({ log }: Services): Koa.Middleware<RequestState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      respondWithError(ctx, maskError(error, log, ctx.state.requestId));
    }
    closeUnread(ctx.req, ctx.res);
  };
}
