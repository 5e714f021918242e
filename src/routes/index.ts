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
import { GRAPHQL_PATH } from '../platform/http/error-response.js';
import { get, type Route } from '../platform/http/router.js';
import { VERSION } from '../platform/version.js';
import type { Api } from '../rest/api.js';
import { runEndpoint } from '../rest/engine/run.js';
import { describeApi } from '../rest/openapi/index.js';
import { isImageName, serveImage } from '../services/images/serve.js';
import type { Services } from '../services/index.js';
import { serveLiveness, serveReadiness } from './health.js';
import { hasMetrics, serveMetrics } from './metrics.js';

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
