/** Which responses of `/graphql` may be cached: queries without a viewer whose fields are all covered by stamps. */
import type Koa from 'koa';
import type { Context } from '../context.js';
import type { CacheableRequest } from '../http/response-cache.js';
import { readVersion } from '../models/stamp-reader.js';
import { VERSION } from '../version.js';
import { isStampInQuery, stampKeys } from './document-stamps.js';
import type { CachedDocument, Documents } from './documents.js';
import type { ValidQuery } from './query-parameters.js';

/** Maximum length in characters of variables, and of the Accept header, of a cached response: both are part of its key. */
const MAX_VARIABLES = 4_000;
export const MAX_ACCEPT = 200;

/** @returns null if the response must not be cached */
export function cacheableRequest(
  ctx: Koa.Context,
  { config, language, stampReader, replicas }: Context,
  documents: Documents,
  document: CachedDocument,
  { operationName, variables }: ValidQuery,
): CacheableRequest | null {
  const accept = ctx.get('Accept');
  const stamps = accept.length <= MAX_ACCEPT ? documents.stampsOf(document, operationName) : null;
  const keys = stamps && stampKeys(stamps, variables);
  const json = keys && JSON.stringify(variables);
  if (!stamps || !keys || !json || json.length > MAX_VARIABLES) return null;
  const isVersionInQuery = isStampInQuery(stamps);
  const isRead = ctx.method !== 'POST';
  return {
    api: 'graphql',
    variant: [VERSION, document.hash, operationName, isRead, language, config.publicUrl, accept, json].join('\n'),
    hasValidators: isRead,
    isVersionInQuery,
    mayReadReplica: isVersionInQuery && (replicas?.available ?? 0) > 0,
    readVersion: () => readVersion(stampReader, keys),
    // The client has a tag from a successful response to the same request. A date or `*` does not show that there was one.
    isValid: () => ctx.get('If-None-Match').includes('"'),
  };
}
