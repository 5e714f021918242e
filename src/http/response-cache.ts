/**
 * Responses in memory, by everything that determines their bytes. A cached response is sent only if the version of its data, read from the
 * database after the request arrived, is the version it was built from: no response is ever stale.
 */
import type Koa from 'koa';
import { LRUCache } from 'lru-cache';
import { fixedLimit } from '../config/limit.js';
import {
  type CacheResult,
  cacheBytes,
  cacheEvictions,
  cacheRequests,
} from '../observability/metrics/response-cache.js';
import { isConditional, respondIfUnchanged, setValidators, type Version } from './conditional.js';

const MAX_RESPONSE_BYTES = fixedLimit({
  area: 'Response cache',
  value: 1024 * 1024,
  unit: 'bytes',
  error: null,
  about: 'Size up to which a response is cached.',
});

/** Estimated memory of an entry besides its body and its key. */
const ENTRY_BYTES = 1_500;

interface CachedResponse {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** The tag of the version from which it was built. */
  readonly tag: string;
}

export interface CacheableRequest {
  readonly api: 'rest' | 'graphql';
  /** Everything that determines the bytes of the response besides the version of the data. */
  readonly variant: string;
  /** Whether the response has ETag and Last-Modified, and conditions apply (RFC 9110 §13). */
  readonly hasValidators: boolean;
  /** Whether the operation reads the version together with the data; otherwise it is read before. */
  readonly isVersionInQuery: boolean;
  /** The current version of the data; null if it does not exist. The read must start after this call. */
  readVersion(): Promise<Version | null>;
  /** Whether the operation would accept its arguments: conditions are ignored where it would not (RFC 9110 §13.2.1). */
  isValid(): boolean;
}

export class ResponseCache {
  readonly #responses: LRUCache<string, CachedResponse> | null;
  /** Responses that are being built. */
  readonly #building = new Map<string, Promise<CachedResponse | null>>();

  /** @param maxBytes 0 disables the cache */
  constructor(maxBytes: number) {
    this.#responses =
      maxBytes === 0
        ? null
        : new LRUCache({
            maxSize: maxBytes,
            dispose: (_response, _key, reason) => void (reason === 'evict' && cacheEvictions.inc()),
          });
  }

  get isEnabled(): boolean {
    return this.#responses !== null;
  }

  /** The cached response, or one that is being built; undefined if there is neither. */
  find(key: string): CachedResponse | Promise<CachedResponse | null> | undefined {
    return this.#building.get(key) ?? this.#responses?.get(key);
  }

  /** Announces a response that is being built, so that concurrent requests wait for it. @returns to be called with the response; null if it failed */
  begin(key: string): (response: CachedResponse | null) => void {
    if (!this.#responses || this.#building.has(key)) return (response) => this.#store(key, response);
    let resolve: (response: CachedResponse | null) => void = () => {};
    this.#building.set(key, new Promise((done) => (resolve = done)));
    return (response) => {
      this.#building.delete(key);
      this.#store(key, response);
      resolve(response);
    };
  }

  #store(key: string, response: CachedResponse | null): void {
    if (!this.#responses || !response || response.body.length > MAX_RESPONSE_BYTES) return;
    this.#responses.set(key, response, { size: response.body.length + 2 * key.length + ENTRY_BYTES });
    cacheBytes.set(this.#responses.calculatedSize);
  }
}

/** The result of building a response. */
interface Built {
  /** The version that was read with the data; null if none was. */
  readonly version: Version | null;
  /** Whether the response is complete: without errors. */
  readonly isComplete: boolean;
}

/**
 * Responds with 304 if the client's copy is current, with the cached response if that is current, and otherwise with `respond`.
 * @param respond sets status, headers and body
 */
export async function respondCached(
  ctx: Koa.Context,
  cache: ResponseCache,
  request: CacheableRequest,
  respond: () => Promise<Built>,
): Promise<void> {
  const { api, variant, hasValidators } = request;
  const candidate = cache.find(variant);
  const isVersionNeeded = candidate !== undefined || !request.isVersionInQuery || (hasValidators && isConditional(ctx));
  const current = isVersionNeeded ? await request.readVersion() : null;
  if (current) {
    const representation = { stamp: current, variant };
    if (hasValidators && request.isValid() && respondIfUnchanged(ctx, representation)) return;
    const cached = await findCurrent(cache, variant, candidate, current);
    if (cached) {
      send(ctx, cached);
      if (hasValidators) setValidators(ctx, representation);
      return count(api, candidate === cached ? 'hit' : 'shared');
    }
  }
  const finish = cache.begin(variant);
  const earlier = new Set(Object.keys(ctx.response.headers));
  let built: CachedResponse | null = null;
  try {
    const { version: own, isComplete } = await respond();
    const version = current ?? own;
    if (version && isComplete) {
      built = cache.isEnabled ? capture(ctx, earlier, version.tag) : null;
      if (hasValidators) setValidators(ctx, { stamp: version, variant });
    }
  } finally {
    finish(built);
  }
  if (cache.isEnabled) count(api, built ? 'miss' : 'uncacheable');
}

/** The candidate, or a response that was announced meanwhile, if it is of this version. */
async function findCurrent(
  cache: ResponseCache,
  key: string,
  candidate: ReturnType<ResponseCache['find']>,
  { tag }: Version,
): Promise<CachedResponse | null> {
  const first = (await candidate) ?? null;
  if (first?.tag === tag) return first;
  const second = cache.find(key);
  const found = second === candidate ? null : ((await second) ?? null);
  return found?.tag === tag ? found : null;
}

function send(ctx: Koa.Context, { headers, body }: CachedResponse): void {
  ctx.status = 200;
  ctx.set(headers as Record<string, string>);
  ctx.body = body;
}

/** @returns null if the response is not a complete, successful one */
function capture(ctx: Koa.Context, earlier: ReadonlySet<string>, tag: string): CachedResponse | null {
  if (ctx.status !== 200 || typeof ctx.body !== 'string') return null;
  const body = Buffer.from(ctx.body);
  ctx.body = body;
  const own = Object.entries(ctx.response.headers).filter(([name]) => name === 'vary' || !earlier.has(name));
  const headers = Object.fromEntries(own.map(([name, value]) => [name, value as string | string[]]));
  return { body, headers, tag };
}

function count(api: CacheableRequest['api'], result: CacheResult): void {
  cacheRequests.inc({ api, result });
}
