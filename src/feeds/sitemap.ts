/** The sitemap (sitemaps.org protocol 0.9), split into several files where necessary, and the robots.txt that references it. */
import { contextFor } from '../context.js';
import { findMappedArticles, findSitemapState } from '../models/article/sitemap.js';
import type { Config } from '../platform/config/index.js';
import type { Database } from '../platform/database/pool.js';
import { routeNotFound } from '../platform/errors.js';
import { respondCacheable } from '../platform/http/conditional.js';
import { requestInfo } from '../platform/http/request.js';
import { type Handler, type RouteContext } from '../platform/http/router.js';
import type { Services } from '../services/index.js';
import { articleUrl, variantOf } from './feed.js';
import { element, xmlDocument } from './xml.js';

/** The protocol allows 50,000 URLs per file; the first file also contains the URL of the website. */
export const ARTICLES_PER_FILE = 49_999;

/** The protocol allows 50 MiB per file. Later articles of the file have no alternates. */
const ALTERNATES_PER_FILE = 200_000;

const NAMESPACE = { xmlns: 'http://www.sitemaps.org/schemas/sitemap/0.9' };

/** `/sitemap.xml` lists all articles. If they exceed one file, it is a sitemap index of `/sitemap-1.xml` and so on. */
export function serveSitemap(services: Services): Handler {
  return async (ctx) => {
    const { part } = ctx.params;
    const { database, config } = contextFor(services, requestInfo(ctx, services.config.trustProxy), null);
    const { version, total } = await findSitemapState(database);
    const parts = Math.max(1, Math.ceil(total / ARTICLES_PER_FILE));
    if (Number(part ?? 1) > parts) throw routeNotFound(ctx.path);
    await respondCacheable(ctx, { version, variant: variantOf(config, ctx.path) }, 'application/xml', () =>
      part === undefined && parts > 1 ? writeIndex(config, parts) : writeFile(database, config, Number(part ?? 1)),
    );
  };
}

/** Whether the path parameter `part` may be the number of a file. */
export function isSitemapPart({ params }: RouteContext): boolean {
  return /^[1-9]\d{0,5}$/.test(params.part ?? '');
}

export function serveRobots({ config }: Services): Handler {
  return (ctx) => {
    // Crawlers should not cache it for more than a day (RFC 9309 §2.4).
    ctx.set('Cache-Control', 'public, max-age=86400');
    ctx.type = 'text/plain';
    ctx.body = `User-agent: *\nDisallow: /graphql\n\nSitemap: ${config.publicUrl}/sitemap.xml\n`;
  };
}

function writeIndex(config: Config, parts: number): string {
  const files = Array.from({ length: parts }, (_, index) => `${config.publicUrl}/sitemap-${index + 1}.xml`);
  const entries = files.map((file) => element('sitemap', {}, element('loc', {}, file)));
  return xmlDocument(element('sitemapindex', NAMESPACE, entries));
}

async function writeFile(database: Database, config: Config, part: number): Promise<string> {
  const articles = await findMappedArticles(database, ARTICLES_PER_FILE, (part - 1) * ARTICLES_PER_FILE);
  let alternates = 0;
  const urls = articles.map((article) => {
    alternates += article.translations.length;
    const translations = alternates <= ALTERNATES_PER_FILE ? article.translations : [];
    const links = translations.map((translation) =>
      element('xhtml:link', {
        rel: 'alternate',
        hreflang: translation.language,
        href: articleUrl(config, translation),
      }),
    );
    const loc = element('loc', {}, articleUrl(config, article));
    return element('url', {}, loc, element('lastmod', {}, article.updatedAt), links);
  });
  const journal = part === 1 ? element('url', {}, element('loc', {}, config.site.url)) : [];
  return xmlDocument(element('urlset', { ...NAMESPACE, 'xmlns:xhtml': 'http://www.w3.org/1999/xhtml' }, journal, urls));
}
