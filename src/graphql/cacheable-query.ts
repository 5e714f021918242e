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
export const MAX_ACCEPT = 200;

/** The parameters of a GraphQL request (GraphQL over HTTP §5), not validated. */
interface Query {
  readonly text: string;
  readonly operationName: unknown;
  readonly variables: unknown;
  readonly extensions: unknown;
}

/** Parameters of the right types, without extensions. */
export interface ValidQuery {
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown>;
}

/** @returns null if the request has no document, or Apollo rejects its form */
export function readQuery(ctx: Koa.Context, body: unknown): Query | null {
  if (body !== undefined) return toQuery(Object(body));
  const parameters = new URLSearchParams(ctx.search);
  const names = [...parameters.keys()];
  const of = (name: string) => parameters.get(name) ?? undefined;
  // Apollo rejects repeated parameters and a Content-Type; the document is still checked first.
  const isRejected = new Set(names).size < names.length || ctx.get('Content-Type') !== '';
  const extensions = isRejected ? '' : parseJson(of('extensions'));
  return toQuery({
    query: of('query'),
    operationName: of('operationName'),
    variables: parseJson(of('variables')),
    extensions,
  });
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

/** @returns null if a parameter has another type */
export function toValidQuery({ operationName, variables, extensions }: Query): ValidQuery | null {
  const name = operationName ?? undefined;
  const given = variables ?? {};
  if ((name !== undefined && typeof name !== 'string') || extensions != null) return null;
  if (typeof given !== 'object' || Array.isArray(given)) return null;
  return { operationName: name, variables: given as Record<string, unknown> };
}

/** @returns null if the response must not be cached */
export function cacheableRequest(
  ctx: Koa.Context,
  { config, language, stampReader }: Context,
  documents: Documents,
  document: CachedDocument,
  { operationName, variables }: ValidQuery,
): CacheableRequest | null {
  const accept = ctx.get('Accept');
  const stamps = accept.length <= MAX_ACCEPT ? documents.stampsOf(document, operationName) : null;
  const keys = stamps && stampKeys(stamps, variables);
  const json = keys && JSON.stringify(variables);
  if (!stamps || !keys || !json || json.length > MAX_VARIABLES) return null;
  const isRead = ctx.method !== 'POST';
  return {
    api: 'graphql',
    variant: [VERSION, document.hash, operationName, isRead, language, config.publicUrl, accept, json].join('\n'),
    hasValidators: isRead,
    isVersionInQuery: stamps.length === 1 && stamps.every(({ isInQuery }) => isInQuery),
    readVersion: () => readVersion(stampReader, keys),
    // The client has a tag from a successful response to the same request. A date or `*` does not show that there was one.
    isValid: () => ctx.get('If-None-Match').includes('"'),
  };
}
