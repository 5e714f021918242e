/** The table of all paths of the service. */
import { isMarkdownName, serveArticleMarkdown } from '../feeds/article-markdown.js';
import { serveLlmsTxt } from '../feeds/llms-txt.js';
import { feedRoutes } from '../feeds/serve.js';
import { isSitemapPart, serveRobots, serveSitemap } from '../feeds/sitemap.js';
import { type GraphQLServer, serveGraphQL } from '../graphql/handler.js';
import { schemaText } from '../graphql/schema.js';
import { serveMcp } from '../mcp/serve.js';
import { type Asset, sendAsset } from '../pages/asset.js';
import { isVisit, sendGraphQLPage } from '../pages/graphql-page.js';
import { PAGE_ASSETS } from '../pages/pages.js';
import { serveFrontPage } from '../pages/serve-front-page.js';
import { handleUnsubscribe, serveUnsubscribePage } from '../pages/unsubscribe.js';
import { withTimeout } from '../platform/concurrency/timeout.js';
import { describeError } from '../platform/database/mask-error.js';
import { databaseState } from '../platform/database/migrate.js';
import { GRAPHQL_PATH } from '../platform/http/error-response.js';
import { get, type Handler, type Route } from '../platform/http/router.js';
import { VERSION } from '../platform/version.js';
import type { Api } from '../rest/api.js';
import { runEndpoint } from '../rest/engine/run.js';
import { describeApi } from '../rest/openapi/index.js';
import { isImageName, serveImage } from '../services/images/serve.js';
import type { Services } from '../services/index.js';
import { hasMetrics, serveMetrics } from './metrics.js';

const RETRY_AFTER_SECONDS = 5;
/** A probe that waits longer counts as failed for most proxies. */
const TIMEOUT_MS = 2_000;

/** 200 while the process runs. */
const serveLiveness: Handler = (ctx) => {
  ctx.body = { status: 'ok' };
};

/** 200 if the database is reachable, migrated and writable, and the process is not stopping; otherwise 503. */
function serveReadiness({ database, log, stopping }: Services): Handler {
  return async (ctx) => {
    const state = await withTimeout(databaseState(database), TIMEOUT_MS).catch((error) => {
      log.warn({ requestId: ctx.state.requestId, err: describeError(error) }, 'not ready');
      return undefined;
    });
    const isReady = state?.isMigrated === true && !state.isReadOnly && !stopping.aborted;
    ctx.status = isReady ? 200 : 503;
    if (!isReady) ctx.set('Retry-After', String(RETRY_AFTER_SECONDS));
    const reachable = state?.isReadOnly ? 'read-only' : 'reachable';
    ctx.body = {
      status: isReady ? 'ok' : stopping.aborted ? 'stopping' : 'unavailable',
      database: state ? reachable : 'unreachable',
      migrations: state?.isMigrated ? 'done' : 'unknown or pending',
    };
  };
}

/** @throws Error if the document of a feed does not match the schema */
export function createRoutes(api: Api, graphql: GraphQLServer, services: Services): Route[] {
  const { schema, endpoints } = api;
  const { config } = services;
  const document = documentOf(api, config.restPageBase);
  const schemaAsset: Asset = { type: 'text/plain; charset=utf-8', read: async () => schemaText(schema) };
  const handleGraphQL = serveGraphQL(graphql, services);
  const sitemap = serveSitemap(services);
  return [
    ...endpoints.map(
      (one): Route => ({
        method: one.endpoint.method,
        path: `/api${one.endpoint.path}`,
        handle: (ctx) => runEndpoint(one, services, ctx),
      }),
    ),
    get(GRAPHQL_PATH, (ctx) => (isVisit(ctx, config) ? sendGraphQLPage(ctx, config) : handleGraphQL(ctx))),
    { method: 'POST', path: GRAPHQL_PATH, handle: handleGraphQL },
    ...(config.mcp ? [{ method: 'POST', path: '/mcp', handle: serveMcp(api, services) } as const] : []),
    get('/', serveFrontPage(schema, services)),
    ...PAGE_ASSETS.map(([path, asset]) => get(path, (ctx) => sendAsset(ctx, asset))),
    get('/openapi.json', (ctx) => sendAsset(ctx, document)),
    ...(config.graphqlIntrospection ? [get('/schema.graphql', (ctx) => sendAsset(ctx, schemaAsset))] : []),
    get('/account/unsubscribe', serveUnsubscribePage(services)),
    { method: 'POST', path: '/account/unsubscribe', handle: handleUnsubscribe(services) },
    ...feedRoutes(schema, services),
    get('/sitemap.xml', sitemap),
    get('/sitemap-{part}.xml', sitemap, isSitemapPart),
    get('/robots.txt', serveRobots(services)),
    ...(config.llmsTxt
      ? [
          get('/llms.txt', serveLlmsTxt(schema, services)),
          get('/articles/{slug}.md', serveArticleMarkdown(schema, services), isMarkdownName),
        ]
      : []),
    get('/images/{name}', serveImage(services.images), isImageName),
    get('/healthz', serveLiveness),
    get('/readyz', serveReadiness(services)),
    get('/metrics', serveMetrics(config), hasMetrics(config)),
  ];
}

/** By the number of the first page, on which the document depends: one for all applications of a process. */
const documents = new Map<number, Asset>();

function documentOf({ schema, endpoints }: Api, pageBase: number): Asset {
  const known = documents.get(pageBase);
  if (known) return known;
  const read = async () => JSON.stringify(describeApi(schema, endpoints, VERSION, pageBase));
  const asset: Asset = { type: 'application/json', read };
  documents.set(pageBase, asset);
  return asset;
}
