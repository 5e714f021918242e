/** The front page: the newest articles, links to the other pages, and what to do next. It is cached and validated like a public read. */
import type { GraphQLSchema } from 'graphql';
import { type Context, contextFor } from '../context.js';
import { type Executable, execute, type Outcome } from '../execute.js';
import { dataOf, pageOperation } from '../feeds/read.js';
import { readVersion } from '../models/stamp-reader.js';
import { withTimeout } from '../platform/concurrency/timeout.js';
import type { Config } from '../platform/config/index.js';
import { maskError } from '../platform/database/mask-error.js';
import { AppError } from '../platform/errors.js';
import { isConditional } from '../platform/http/conditional.js';
import { setLanguage } from '../platform/http/language.js';
import { requestInfo } from '../platform/http/request.js';
import type { Handler } from '../platform/http/router.js';
import { VERSION } from '../platform/version.js';
import type { Services } from '../services/index.js';
import { frontPage, type Journal } from './front-page.js';
import { STATIC_POLICY, sendPage } from './page.js';

const DOCUMENT = `query {
  articles(size: 5) { contents { id slug title language authorName createdAt commentCount } pagination { totalElements } }
  tags(size: 1) { pagination { totalElements } }
}`;

/** The page is shown without articles if the database does not respond in this time. */
const TIMEOUT_MS = 2_000;

/** @throws Error if the document is not valid for the schema */
export function serveFrontPage(schema: GraphQLSchema, services: Services): Handler {
  const { config } = services;
  const newest = pageOperation(schema, DOCUMENT);
  return async (ctx) => {
    const context = contextFor(services, requestInfo(ctx, config.trustProxy), null);
    const { language, log, requestId } = context;
    const { responseCache, stampReader } = services;
    const available = async <Result>(work: Promise<Result>): Promise<Result | 'unavailable'> => {
      try {
        const result = await withTimeout(work, TIMEOUT_MS);
        if (result === undefined) throw new AppError('SERVICE_UNAVAILABLE');
        return result;
      } catch (error) {
        maskError(error, log, requestId);
        return 'unavailable';
      }
    };
    const request = {
      api: 'page',
      operation: newest.operation,
      variant: variantOf(config, language),
      hasValidators: true,
      isConditional: isConditional(ctx),
      isVersionInQuery: false,
      startedMs: performance.now(),
    } as const;
    // Here, because a cached page has neither.
    setLanguage(ctx, language);
    ctx.set('Content-Security-Policy', STATIC_POLICY);
    const version = await available(readVersion(stampReader, [{ kind: 'journal', id: 0 }]));
    const miss = await responseCache.lookup(ctx, request, version);
    if (!miss) return;
    try {
      const found = version === 'unavailable' ? version : await available(readJournal(newest, context));
      const isFound = found !== 'unavailable';
      sendPage(ctx, language, frontPage(config, language, isFound ? found.journal : null));
      miss.store(isFound ? found.outcome : null);
    } finally {
      miss.end();
    }
  };
}

/** @throws the error of a resolver */
async function readJournal(newest: Executable, context: Context): Promise<{ outcome: Outcome; journal: Journal }> {
  const outcome = await execute(newest, {}, context);
  return { outcome, journal: dataOf<Journal>(outcome) };
}

/** Everything that determines the page besides the articles. */
function variantOf({ publicUrl, site, apolloSandbox, llmsTxt }: Config, language: string): string {
  return ['front', VERSION, publicUrl, site.articleUrl, apolloSandbox, llmsTxt, language].join('\n');
}
