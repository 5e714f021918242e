/** Which responses of `/graphql` may be cached: queries without a viewer whose fields are all covered by stamps. */
import type { OperationDefinitionNode } from 'graphql';
import type Koa from 'koa';
import type { Context } from '../context.js';
import type { StampKey } from '../models/stamp.js';
import { namesTag } from '../platform/http/conditional.js';
import type { CacheableRequest } from '../platform/http/response-cache.js';
import { VERSION } from '../platform/version.js';
import type { CachedDocument } from './document-cache.js';
import type { OperationAnalysis } from './operation-analysis.js';
import { isStampInQuery, stampKeys, stampsWith } from './operation-stamps.js';
import type { Query } from './query-parameters.js';

/** Maximum length in characters of variables, and of the Accept header, of a cached response: both are part of its key. */
const MAX_VARIABLES = 4_000;
export const MAX_ACCEPT = 200;

/** A request whose response may be cached, and the keys of its stamps. */
export interface CacheableQuery extends CacheableRequest {
  readonly keys: readonly StampKey[];
}

/** @returns null if the response must not be cached */
export function cacheableRequest(
  ctx: Koa.Context,
  { config, language }: Context,
  { hash }: CachedDocument,
  { operation, stamps: declared }: OperationAnalysis,
  { operationName, variables }: Query,
): CacheableQuery | null {
  const accept = ctx.get('Accept');
  const stamps = stampsWith(declared, variables);
  if (!stamps || accept.length > MAX_ACCEPT) return null;
  const keys = stampKeys(stamps, variables);
  const values = keys && valuesOf(operation, variables);
  if (!keys || values === null || values.length > MAX_VARIABLES) return null;
  const isRead = ctx.method !== 'POST';
  return {
    api: 'graphql',
    operation,
    variant: [
      VERSION,
      hash,
      operationName,
      isRead,
      language,
      config.publicUrl,
      config.site.memberUrl,
      accept,
      values,
    ].join('\n'),
    hasValidators: isRead,
    isConditional: isRead && namesTag(ctx),
    isVersionInQuery: isStampInQuery(stamps),
    startedMs: performance.now(),
    keys,
  };
}

/** The values that a response depends on, in the order of their declaration. An absent one is not null: its default applies. */
function valuesOf(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): string | null {
  const names = variableDefinitions.map(({ variable }) => variable.name.value);
  let text = '';
  try {
    for (const name of names) text += `${Object.hasOwn(variables, name) ? toJson(variables[name]) : ''}\n`;
    return text;
  } catch (error) {
    // Nested deeper than JSON.stringify supports, and than any input: the operation reports the error.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The order of the fields of an input has no meaning. */
function toJson(value: unknown): string {
  // A replacer function takes a microsecond for each value.
  return isObject(value) ? JSON.stringify(value, (_name, inner) => sorted(inner)) : JSON.stringify(value);
}

function sorted(value: unknown): unknown {
  if (!isObject(value) || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
