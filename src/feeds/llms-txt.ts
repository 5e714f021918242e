/** `/llms.txt` (llmstxt.org): the newest articles as links to their Markdown files, for language models. */
import type { GraphQLSchema } from 'graphql';
import { contextFor } from '../context.js';
import { execute } from '../execute.js';
import { normalizeSpace } from '../models/article/text.js';
import { findFeedVersion } from '../models/feed-stamp.js';
import type { Config } from '../platform/config/index.js';
import { isCacheable, isConditional } from '../platform/http/conditional.js';
import { requestInfo } from '../platform/http/request.js';
import { orUnavailable } from '../platform/http/response-cache.js';
import type { Handler } from '../platform/http/router.js';
import type { Services } from '../services/index.js';
import { markdownPath } from './article-markdown.js';
import { variantOf } from './feed.js';
import { dataOf, pageOperation } from './read.js';

/** Maximum number of articles in the file. */
const LLMS_TXT_ENTRIES = 100;

const DOCUMENT = `query { articles(size: ${LLMS_TXT_ENTRIES}) { contents { slug title description excerpt } } }`;

interface Found {
  articles: { contents: readonly Entry[] };
}

interface Entry {
  slug: string;
  title: string;
  description: string | null;
  excerpt: string;
}

/** @throws Error if the document is not valid for the schema */
export function serveLlmsTxt(schema: GraphQLSchema, services: Services): Handler {
  const { config } = services;
  const llmsTxt = pageOperation(schema, DOCUMENT);
  return async (ctx) => {
    const context = contextFor(services, requestInfo(ctx, config.trustProxy), null);
    const respond = async () => {
      const outcome = await execute(llmsTxt, {}, context);
      ctx.type = 'text/plain; charset=utf-8';
      ctx.body = writeLlmsTxt(config, dataOf<Found>(outcome).articles.contents);
      return outcome;
    };
    if (!isCacheable(ctx)) return void (await respond());
    const request = {
      api: 'page',
      operation: llmsTxt.operation,
      variant: variantOf(config, `/llms.txt ${config.mcp} ${config.graphqlIntrospection}`),
      hasValidators: true,
      isConditional: isConditional(ctx),
      isVersionInQuery: false,
      startedMs: performance.now(),
    } as const;
    const version = await orUnavailable(
      findFeedVersion(context.database, { kind: 'all', language: null }, LLMS_TXT_ENTRIES),
    );
    const miss = await services.responseCache.lookup(ctx, request, version);
    if (!miss) return;
    try {
      miss.store(await respond());
    } finally {
      miss.end();
    }
  };
}

function writeLlmsTxt(config: Config, articles: readonly Entry[]): string {
  const { publicUrl, site } = config;
  const links = articles.map(({ slug, title, description, excerpt }) => {
    const about = description ?? excerpt;
    return `- [${escapeMarkdown(title)}](${publicUrl}${markdownPath(slug)})${about && `: ${escapeMarkdown(about)}`}\n`;
  });
  return `# ${escapeMarkdown(site.title)}

> The newest articles, each as a Markdown file with YAML front matter.

The website is ${site.url}.

## Articles

${links.join('')}
## API

${linksOfApi(config)}
## Optional

- [Sitemap](${publicUrl}/sitemap.xml): all articles
`;
}

function linksOfApi({ publicUrl, mcp, graphqlIntrospection }: Config): string {
  const links = [
    ['Reference', '/docs', 'every operation of the REST API, with examples'],
    ['OpenAPI', '/openapi.json', 'the same as a description for programs'],
    ...(graphqlIntrospection ? [['GraphQL schema', '/schema.graphql', 'of the API at `/graphql`, in SDL']] : []),
    ...(mcp ? [['Tools for agents', '/mcp', 'Model Context Protocol, by POST; reading needs no token']] : []),
    ['Changes', '/api/changes', 'what was created, changed and removed, for copies of the journal'],
  ];
  return links.map(([name, path, meaning]) => `- [${name}](${publicUrl}${path}): ${meaning}\n`).join('');
}

/**
 * One line of text that Markdown shows unchanged: without emphasis, links (also those that GitHub makes of addresses), HTML and entities.
 * Brackets are entities, since the reference parser of llmstxt.org does not know escapes in the names of links.
 */
function escapeMarkdown(text: string): string {
  const escaped = normalizeSpace(text).replace(/[\\`*_<>&~#!@]|:(?=\/\/)|(?<=www)\./gi, '\\$&');
  return escaped.replaceAll('[', '&#91;').replaceAll(']', '&#93;');
}
