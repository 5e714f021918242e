/** Routes of the feeds: of all articles, of a member's and of a tag's, each in three formats. */
import type { GraphQLSchema } from 'graphql';
import { createContext } from '../context.js';
import { type FeedScope, findFeedVersion } from '../models/feed-stamp.js';
import { normalizeTag } from '../models/tag.js';
import { invalid } from '../platform/errors.js';
import { respondCacheable, setUncacheable } from '../platform/http/conditional.js';
import { requestInfo } from '../platform/http/request.js';
import { get, type Handler, type Route, type RouteContext } from '../platform/http/router.js';
import { canonicalLanguage } from '../platform/language-tag.js';
import { createMessage } from '../platform/messages/message.js';
import { inspectValue } from '../platform/text.js';
import type { Services } from '../services/index.js';
import { releasePermits } from '../services/limits/operations.js';
import { writeAtom } from './atom.js';
import { type Feed, variantOf } from './feed.js';
import { writeJsonFeed } from './json-feed.js';
import { FEED_ENTRIES, feedReader } from './read.js';
import { writeRss } from './rss.js';

interface Format {
  extension: string;
  contentType: string;
  write(feed: Feed): string;
}

const FORMATS: readonly Format[] = [
  { extension: 'xml', contentType: 'application/rss+xml; charset=utf-8', write: writeRss },
  { extension: 'atom', contentType: 'application/atom+xml; charset=utf-8', write: writeAtom },
  { extension: 'json', contentType: 'application/feed+json; charset=utf-8', write: writeJsonFeed },
];

/** `folder` is the canonical path of the feed's folder. */
type ScopeOf = (params: Record<string, string>, language: string | null) => { scope: FeedScope; folder: string };

const SCOPES: Readonly<Record<string, ScopeOf>> = {
  '': (_params, language) => ({ scope: { kind: 'all', language }, folder: '' }),
  '/members/{id}': ({ id = '' }, language) => ({
    scope: { kind: 'member', id, language },
    folder: `/members/${encodeURIComponent(id)}`,
  }),
  '/tags/{tag}': ({ tag: text = '' }, language) => {
    const tag = normalizeTag(text.trim());
    return { scope: { kind: 'tag', tag, language }, folder: `/tags/${encodeURIComponent(tag)}` };
  },
};

/** Of the query. @throws AppError VALIDATION_FAILED */
function languageOf({ query: { language: given } }: RouteContext): string | null {
  if (given === undefined) return null;
  if (typeof given !== 'string') throw invalid('language', createMessage('parameterRepeated', given.length));
  const language = canonicalLanguage(given);
  if (language === null) throw invalid('language', createMessage('notLanguage', inspectValue(given)));
  return language;
}

/** @throws Error if the GraphQL document of a feed is not valid for the schema */
export function feedRoutes(schema: GraphQLSchema, services: Services): Route[] {
  const read = feedReader(schema);
  const serve = (scopeOf: ScopeOf, { extension, contentType, write }: Format): Handler => {
    return async (ctx) => {
      const language = languageOf(ctx);
      const { scope, folder } = scopeOf(ctx.params, language);
      const path = `${folder}/feed.${extension}${language === null ? '' : `?language=${language}`}`;
      const context = await createContext(services, requestInfo(ctx, services.config.trustProxy));
      const version = await findFeedVersion(context.database, scope, FEED_ENTRIES);
      const representation = version && { version, variant: variantOf(services.config, path) };
      let isComplete = true;
      await respondCacheable(ctx, representation, contentType, async () => {
        try {
          const feed = await read(scope, path, context);
          isComplete = feed.isComplete;
          return write(feed);
        } finally {
          releasePermits(context);
        }
      });
      // The stamp does not change when the missing HTML is rendered.
      if (!isComplete) setUncacheable(ctx);
    };
  };
  return Object.entries(SCOPES).flatMap(([folder, scopeOf]) =>
    FORMATS.map((format) => get(`${folder}/feed.${format.extension}`, serve(scopeOf, format))),
  );
}
