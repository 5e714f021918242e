/** Reads the content of a feed with a GraphQL query, through the same resolvers as client requests. */
import { type GraphQLSchema, type OperationDefinitionNode, parse } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Context } from '../context.js';
import { type Executable, execute, type Outcome } from '../execute.js';
import type { FeedScope } from '../models/feed-stamp.js';
import type { Config } from '../platform/config/index.js';
import { COST_OF_PAGES } from '../services/limits/operations.js';
import { toAbsoluteAddresses } from '../services/rendering/image-urls.js';
import { articleUrl, type Feed, type FeedItem } from './feed.js';

/** Maximum number of articles in a feed. */
export const FEED_ENTRIES = 20;

const CONTENTS = `contents {
  id slug title language description excerpt renderedHtml authorName tags articleImg articleImgAlt createdAt updatedAt
}`;

const DOCUMENTS: Record<FeedScope['kind'], string> = {
  all: `query ($language: String, $size: Int) { articles(filter: { language: $language }, size: $size) { ${CONTENTS} } }`,
  member: `query ($id: ID!, $language: String, $size: Int) {
    member(id: $id) { nickname } articles(filter: { memberId: $id, language: $language }, size: $size) { ${CONTENTS} }
  }`,
  tag: `query ($tag: String, $language: String, $size: Int) {
    articles(filter: { tag: $tag, language: $language }, size: $size) { ${CONTENTS} }
  }`,
};

interface Found {
  member?: { nickname: string };
  articles: { contents: FoundArticle[] };
}

interface FoundArticle {
  id: number;
  slug: string;
  title: string;
  language: string | null;
  description: string | null;
  excerpt: string;
  /** Not waited for: some contents take seconds each. */
  renderedHtml: string | null;
  authorName: string;
  tags: string[];
  articleImg: string | null;
  articleImgAlt: string | null;
  createdAt: string;
  updatedAt: string;
}

/** Atom requires a time also of a feed without articles. It is constant, since the ETag of a feed depends on its articles only: the year of the URIs of entries. */
const NEVER_CHANGED = '2026-01-01T00:00:00Z';

/** @param path the canonical path of the feed */
export type FeedReader = (scope: FeedScope, path: string, context: Context) => Promise<Feed>;

/**
 * An article whose HTML is not rendered yet is left out until a job has rendered it: many feed readers keep the first text of an item.
 * The reader throws the errors of the resolvers: AppError VALIDATION_FAILED, MEMBER_NOT_FOUND, SERVICE_UNAVAILABLE.
 */
export function feedReader(schema: GraphQLSchema): FeedReader {
  const operations = Object.fromEntries(
    Object.entries(DOCUMENTS).map(([kind, text]) => [
      kind,
      pageOperation(schema, text, { needsSnapshot: true, cost: COST_OF_PAGES }),
    ]),
  ) as Record<FeedScope['kind'], Executable>;
  return async (scope, path, context) => {
    const { kind, ...names } = scope;
    const outcome = await execute(operations[kind], { ...names, size: FEED_ENTRIES }, context);
    const feed = describe(scope, context.config.publicUrl + path, context.config, dataOf<Found>(outcome));
    return { ...feed, updated: lastOf(feed.items) ?? NEVER_CHANGED, isComplete: !outcome.isProvisional };
  };
}

/** Compiled documents by their text: the applications of a process share them, as they share the schema. */
const compiledDocuments = new WeakMap<GraphQLSchema, Map<string, Executable>>();

/** The operation of a feed or a page. With a cost, its permit is to be released (`releasePermits`). @throws Error if the document is not valid for the schema */
export function pageOperation(
  schema: GraphQLSchema,
  text: string,
  { needsSnapshot = false, cost = 0 } = {},
): Executable {
  const known = compiledDocuments.get(schema) ?? new Map<string, Executable>();
  compiledDocuments.set(schema, known);
  const operation = known.get(text) ?? compile(schema, text, needsSnapshot, cost);
  known.set(text, operation);
  return operation;
}

function compile(schema: GraphQLSchema, text: string, needsSnapshot: boolean, cost: number): Executable {
  const document = parse(text);
  const compiled = compileQuery(schema, document);
  if (!isCompiledQuery(compiled))
    throw new Error(`The query of a feed or a page is invalid: ${compiled.errors?.[0]?.message}`);
  const [operation] = document.definitions as OperationDefinitionNode[];
  if (!operation) throw new Error('The query of a feed or a page is empty');
  const run = compiled.query as Executable['run'];
  return { api: 'page', operation, needsSnapshot, costOf: () => cost, run };
}

/** @throws the error of a resolver */
export function dataOf<Data>({ data, errors }: Outcome): Data {
  const [error] = errors ?? [];
  if (error) throw error.originalError ?? error;
  return data as Data;
}

function describe(scope: FeedScope, selfUrl: string, config: Config, { member, articles }: Found) {
  const { title: site, url: siteUrl } = config.site;
  const items = articles.contents.flatMap((article) => {
    const html = article.renderedHtml;
    return html === null ? [] : [toItem(article, html, config)];
  });
  const { language } = scope;
  const [of, which] =
    scope.kind === 'tag'
      ? [`: #${scope.tag}`, ` tagged ${scope.tag}`]
      : member
        ? [`: ${member.nickname}`, ` by ${member.nickname}`]
        : ['', ''];
  const [suffix, inLanguage] = language === null ? ['', ''] : [` (${language})`, ` in the language ${language}`];
  const title = `${site}${of}${suffix}`;
  return { siteUrl, selfUrl, language, items, title, description: `The newest articles${which}${inLanguage}.` };
}

/** The latest `updated`, which need not be that of the newest article. */
function lastOf(items: readonly FeedItem[]): string | undefined {
  return items
    .map(({ updated }) => updated)
    .sort()
    .at(-1);
}

function toItem(article: FoundArticle, html: string, config: Config): FeedItem {
  const url = articleUrl(config, article);
  return {
    // RFC 4151 requires a date on which the host name was owned; the year does not depend on the article.
    uri: `tag:${new URL(config.publicUrl).hostname},2026:articles/${article.id}`,
    url,
    title: article.title,
    language: article.language,
    excerpt: article.description ?? article.excerpt,
    html: toAbsoluteAddresses(html, url),
    author: article.authorName,
    tags: article.tags,
    image: article.articleImg,
    imageAlt: article.articleImgAlt,
    published: article.createdAt,
    updated: article.updatedAt,
  };
}
