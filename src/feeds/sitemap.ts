/** The sitemap (sitemaps.org, protocol 0.9), in as many files as it needs, and the robots.txt that names it. */
import type Koa from 'koa';
import { nothingAt } from '../errors.js';
import { countArticles, findMappedArticles } from '../models/sitemap.js';
import { type RequestState, requireReading } from '../request.js';
import type { Services } from '../services.js';
import { articleUrl } from './article-url.js';
import { element, xmlDocument } from './xml.js';

/** The protocol allows 50,000 addresses in a file; the first one has the journal's own as well. */
export const ARTICLES_PER_FILE = 49_999;

const NAMESPACE = { xmlns: 'http://www.sitemaps.org/schemas/sitemap/0.9' };

/** `/sitemap.xml` has every article, or where they are too many names `/sitemap-1.xml` and so on, which have them. */
export function serveSitemap(services: Services): Koa.Middleware<RequestState> {
  return async (ctx, next) => {
    if (ctx.path === '/robots.txt') return answer(ctx, 'text/plain', robots(services));
    const [name, part] = /^\/sitemap(?:-([1-9]\d{0,5}))?\.xml$/.exec(ctx.path) ?? [];
    if (name === undefined) return next();
    requireReading(ctx);
    const text = part === undefined ? await whole(services) : await file(services, Number(part));
    if (text === null) throw nothingAt(ctx.path);
    return answer(ctx, 'application/xml', text, part === undefined ? name : '/sitemap-{part}.xml');
  };
}

function answer(ctx: Koa.ParameterizedContext<RequestState>, type: string, body: string, route = ctx.path): void {
  ctx.state.route = route;
  requireReading(ctx);
  ctx.type = type;
  ctx.body = body;
}

function robots({ config }: Services): string {
  return `User-agent: *\nDisallow: /graphql\n\nSitemap: ${config.publicUrl}/sitemap.xml\n`;
}

async function whole(services: Services): Promise<string> {
  const { database, config } = services;
  const total = await countArticles(database);
  if (total <= ARTICLES_PER_FILE) return urlSet(services, 1);
  const parts = Array.from({ length: Math.ceil(total / ARTICLES_PER_FILE) }, (_, index) => index + 1);
  const files = parts.map((part) =>
    element('sitemap', {}, element('loc', {}, `${config.publicUrl}/sitemap-${part}.xml`)),
  );
  return xmlDocument(element('sitemapindex', NAMESPACE, files));
}

/** Null where there is no such file. */
async function file(services: Services, part: number): Promise<string | null> {
  const total = await countArticles(services.database);
  return part > 1 && (part - 1) * ARTICLES_PER_FILE >= total ? null : urlSet(services, part);
}

async function urlSet({ database, config }: Services, part: number): Promise<string> {
  const articles = await findMappedArticles(database, ARTICLES_PER_FILE, (part - 1) * ARTICLES_PER_FILE);
  const urls = articles.map(({ id, updatedAt }) =>
    element('url', {}, element('loc', {}, articleUrl(config, id)), element('lastmod', {}, updatedAt)),
  );
  const journal = part === 1 ? element('url', {}, element('loc', {}, config.site.url)) : [];
  return xmlDocument(element('urlset', NAMESPACE, journal, urls));
}
