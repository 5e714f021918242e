/** `/articles/{slug}.md`: the public articles as Markdown files, at addresses that can be derived from those of their pages. */
import type { GraphQLSchema } from 'graphql';
import { type Context, contextFor } from '../context.js';
import { execute } from '../execute.js';
import { foldSlug, isSlug } from '../models/article/slug.js';
import { readVersion } from '../models/stamp-reader.js';
import { isCacheable, isConditional } from '../platform/http/conditional.js';
import { requestInfo } from '../platform/http/request.js';
import { orUnavailable } from '../platform/http/response-cache.js';
import type { Handler, RouteContext } from '../platform/http/router.js';
import { VERSION } from '../platform/version.js';
import type { Services } from '../services/index.js';
import { COST_OF_PAGES, releasePermits } from '../services/limits/operations.js';
import { dataOf, pageOperation } from './read.js';

export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

const DOCUMENT = 'query ($slug: String!) { articleBySlug(slug: $slug) { slug markdown } }';

interface Found {
  articleBySlug: ArticleFile;
}

interface ArticleFile {
  slug: string;
  markdown: string;
}

/** Path of the file, percent-encoded. */
export function markdownPath(slug: string): string {
  return `/articles/${encodeURIComponent(slug)}.md`;
}

/** Whether the path parameter `slug` may be one. */
export function isMarkdownName({ params }: RouteContext): boolean {
  return isSlug(params.slug ?? '');
}

/**
 * Tokens are ignored, so that the address has one content. A former slug redirects, and so does another form of the current one: upper
 * case, or another normalization.
 * @throws Error if the document is not valid for the schema
 */
export function serveArticleMarkdown(schema: GraphQLSchema, services: Services): Handler {
  const markdown = pageOperation(schema, DOCUMENT, { cost: COST_OF_PAGES });
  const respond = async (ctx: RouteContext, slug: string, context: Context) => {
    try {
      const outcome = await execute(markdown, { slug }, context);
      send(ctx, slug, dataOf<Found>(outcome).articleBySlug);
      return outcome;
    } finally {
      releasePermits(context);
    }
  };
  return async (ctx) => {
    const { slug = '' } = ctx.params;
    const context = contextFor(services, requestInfo(ctx, services.config.trustProxy), null);
    if (!isCacheable(ctx)) return void (await respond(ctx, slug, context));
    const request = {
      api: 'page',
      operation: markdown.operation,
      variant: ['markdown', VERSION, services.config.publicUrl, slug].join('\n'),
      hasValidators: true,
      isConditional: isConditional(ctx),
      isVersionInQuery: true,
      startedMs: performance.now(),
    } as const;
    const { responseCache, stampReader } = services;
    // Not where the response is a redirect, to which conditions do not apply (RFC 9110 §13.2.1).
    const isVersionNeeded = foldSlug(slug) === slug && responseCache.isVersionNeeded(request);
    const keys = [{ kind: 'address', id: slug }] as const;
    const current = isVersionNeeded ? await orUnavailable(readVersion(stampReader, keys)) : null;
    const miss = await responseCache.lookup(ctx, request, current);
    if (!miss) return;
    try {
      miss.store(await respond(ctx, slug, context));
    } finally {
      miss.end();
    }
  };
}

function send(ctx: RouteContext, slug: string, article: ArticleFile): void {
  if (article.slug !== slug) {
    ctx.status = 308;
    // Relative, since a proxy may serve the service below another path.
    ctx.set('Location', `${encodeURIComponent(article.slug)}.md${ctx.search}`);
    return;
  }
  ctx.type = MARKDOWN_TYPE;
  ctx.body = article.markdown;
}
