/** Which responses of `/graphql` may be cached: queries without a viewer whose fields are all covered by stamps. */
import type Koa from 'koa';
import type { Context } from '../context.js';
import type { CacheableRequest } from '../http/response-cache.js';
import { readVersion } from '../models/stamp-reader.js';
import { VERSION } from '../version.js';
import { stampKeys } from './document-stamps.js';
import type { CachedDocument, Documents } from './documents.js';

/** Maximum length in characters of variables, and of the Accept header, of a cached response: both are part of its key. */
const MAX_VARIABLES = 4_000;
const MAX_ACCEPT = 200;

/** The parameters of a GraphQL request (GraphQL over HTTP §5), not validated. */
export interface Query {
  text: string;
  operationName: unknown;
  variables: unknown;
  extensions: unknown;
}

/** @returns null if the request has no document, or a parameter twice, which Apollo rejects */
export function readQuery(ctx: Koa.Context, body: unknown): Query | null {
  if (body !== undefined) return toQuery(Object(body));
  const parameters = new URLSearchParams(ctx.search);
  if (new Set(parameters.keys()).size < parameters.size) return null;
  const of = (name: string) => parameters.get(name) ?? undefined;
  const [variables, extensions] = [parseJson(of('variables')), parseJson(of('extensions'))];
  return toQuery({ query: of('query'), operationName: of('operationName'), variables, extensions });
}

function toQuery({ query, operationName, variables, extensions }: Record<string, unknown>): Query | null {
  return typeof query === 'string' && query !== '' ? { text: query, operationName, variables, extensions } : null;
}

/** A text that is not JSON stays a text, which is not valid for any of the parameters. */
function parseJson(text: string | undefined): unknown {
  try {
    return text && JSON.parse(text);
  } catch {
    return text;
  }
}

/** @returns null if the response must not be cached */
export function cacheableRequest(
  ctx: Koa.Context,
  { config, language, stampReader }: Context,
  documents: Documents,
  document: CachedDocument,
  { operationName, variables, extensions }: Query,
): CacheableRequest | null {
  const name = operationName ?? undefined;
  // As a parameter of a GET request, null is invalid.
  const given = variables ?? (variables === undefined || ctx.method === 'POST' ? {} : null);
  const accept = ctx.get('Accept');
  if ((name !== undefined && typeof name !== 'string') || extensions != null || accept.length > MAX_ACCEPT) return null;
  if (given === null || typeof given !== 'object' || Array.isArray(given)) return null;
  const stamps = documents.stampsOf(document, name);
  const keys = stamps && stampKeys(stamps, given as Record<string, unknown>);
  const json = keys && JSON.stringify(given);
  if (!stamps || !keys || !json || json.length > MAX_VARIABLES) return null;
  const isRead = ctx.method !== 'POST';
  return {
    api: 'graphql',
    variant: [VERSION, document.hash, name, isRead, language, config.publicUrl, accept, json].join('\n'),
    hasValidators: isRead,
    isVersionInQuery: stamps.length === 1 && stamps.every(({ isInQuery }) => isInQuery),
    readVersion: () => readVersion(stampReader, keys),
    // The client has a tag from a successful response to the same request. A date or `*` does not show that there was one.
    isValid: () => ctx.get('If-None-Match').includes('"'),
  };
}
