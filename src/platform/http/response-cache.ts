/**
 * Responses in memory, by everything that determines their bytes. A cached response is sent only if the version of its data, read from the
 * database after the request arrived, is the version it was built from: no response is ever stale.
 */
import type { OperationDefinitionNode } from 'graphql';
import type Koa from 'koa';
import { type Api, observeCachedOperation } from '../observability/metrics/latency.js';
import { type CacheResult, cacheRequests } from '../observability/metrics/response-cache.js';
import { StoredBody, sendStored } from './compression.js';
import { isKnownTag, isUnchanged, type Representation, setValidators, type Version } from './conditional.js';
import { type CachedResponse, ResponseStore } from './response-store.js';

/** Size up to which a response is cached. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** A request that waits longer for the response to an equal one is executed itself. */
const MAX_WAIT_MS = 5_000;

export interface ResponseCacheOptions {
  /** Maximum memory; 0 disables the cache. */
  maxBytes: number;
  /** Time since its last validation for which a response is sent if the database fails (RFC 5861 §4); 0: never. */
  staleIfErrorMs: number;
}

export interface CacheableRequest {
  readonly api: Api;
  readonly operation: OperationDefinitionNode;
  /** Everything that determines the bytes of the response besides the version of the data. */
  readonly variant: string;
  /** Whether the response has ETag and Last-Modified. */
  readonly hasValidators: boolean;
  /**
   * Whether the request has conditions that apply (RFC 9110 §13): they are ignored where the operation would not accept its arguments
   * (§13.2.1).
   */
  readonly isConditional: boolean;
  /** Whether the operation reads the version together with the data; otherwise it is read before. */
  readonly isVersionInQuery: boolean;
  /** By `performance.now()`. */
  readonly startedMs: number;
}

/** A response that is being built, which equal requests wait for. */
interface Building {
  /** Null if it has failed or takes longer than MAX_WAIT_MS. */
  readonly response: Promise<CachedResponse | null>;
  readonly resolve: (response: CachedResponse | null) => void;
  timer?: NodeJS.Timeout;
}

/** What is known about a response that was built. */
interface Built {
  /** The version that was read with the data; null if none was. */
  readonly version: Version | null;
  readonly errors?: readonly unknown[] | undefined;
  /** Whether something is missing in it. */
  readonly isProvisional: boolean;
}

/** To be called with the response that was built; null if it has failed or must not be cached. */
type Finish = (response: CachedResponse | null) => void;

export class ResponseCache {
  readonly #responses: ResponseStore | null;
  /** At most one for each request in progress. */
  readonly #building = new Map<string, Building>();

  constructor(private readonly options: ResponseCacheOptions) {
    this.#responses = options.maxBytes === 0 ? null : new ResponseStore(options.maxBytes);
  }

  get isEnabled(): boolean {
    return this.#responses !== null;
  }

  /** Whether `lookup` needs the current version. Its read must start after the request has arrived. */
  isVersionNeeded({ variant, hasValidators, isConditional, isVersionInQuery }: CacheableRequest): boolean {
    if (!hasValidators && !this.isEnabled) return false;
    return !isVersionInQuery || isConditional || this.has(variant);
  }

  /**
   * Responds with 304 if the client's copy is current, or with the cached response if that is.
   * @param current the current version of the data; null if it does not exist, or is not needed; `unavailable` if the database has failed
   * @returns what stores the response that the caller must build then; null if there is a response
   */
  async lookup(
    ctx: Koa.Context,
    request: CacheableRequest,
    current: Version | null | 'unavailable',
  ): Promise<Miss | null> {
    const { variant, hasValidators } = request;
    if (current === 'unavailable') {
      const stale = this.findStale(variant);
      // Without one, the operation reports the failure, as without the cache.
      if (!stale) return new Miss(this, ctx, request, null, null);
      sendStale(ctx, stale);
      countCached(request, 'stale');
      return null;
    }
    const representation = current && { version: current, variant };
    if (representation && request.isConditional && isUnchanged(ctx, representation)) {
      this.setValidators(ctx, representation);
      ctx.status = 304;
      return null;
    }
    const isBuilding = this.isBuilding(variant);
    const found = current ? await this.findOrBegin(variant, current.tag) : this.begin(variant);
    if (typeof found === 'function') return new Miss(this, ctx, request, current, found);
    send(ctx, found);
    if (hasValidators && representation) this.setValidators(ctx, representation);
    if (hasValidators && isKnownTag(ctx)) ctx.status = 304;
    countCached(request, isBuilding ? 'shared' : 'hit');
    return null;
  }

  /** Whether there is a response, of any version, or one is being built. */
  has(key: string): boolean {
    return this.#building.has(key) || this.#responses?.has(key) === true;
  }

  isBuilding(key: string): boolean {
    return this.#building.has(key);
  }

  /**
   * The response of this version, which may be that of an equal request in progress. Otherwise the caller must build it: equal requests
   * wait for it from then on.
   */
  async findOrBegin(key: string, tag: string): Promise<CachedResponse | Finish> {
    // The first response may be of an older version. The second was started by a request that waited for the first as well.
    for (let waits = 0; waits < 2; waits++) {
      const stored = this.#responses?.get(key);
      if (stored?.tag === tag) {
        stored.validatedAtMs = performance.now();
        return stored;
      }
      const building = this.#building.get(key);
      if (!building) break;
      building.timer ??= setTimeout(() => building.resolve(null), MAX_WAIT_MS);
      const response = await building.response;
      if (response?.tag === tag) return response;
      // It would probably fail again: each request then has its own error, and none waits for another.
      if (!response) break;
    }
    return this.begin(key);
  }

  /** The response of an unknown version, where the database has failed. */
  findStale(key: string): CachedResponse | null {
    const { staleIfErrorMs } = this.options;
    const stored = this.#responses?.peek(key);
    return stored && performance.now() - stored.validatedAtMs < staleIfErrorMs ? stored : null;
  }

  setValidators(ctx: Koa.Context, representation: Representation): void {
    setValidators(ctx, representation);
    const seconds = Math.floor(this.options.staleIfErrorMs / 1000);
    // Without no-cache, which takes precedence over stale-if-error (RFC 9111 §5.2.2.4).
    if (seconds > 0) ctx.set('Cache-Control', `public, max-age=0, stale-if-error=${seconds}`);
  }

  begin(key: string): Finish {
    const store: Finish = (response) => void (response && this.#responses?.store(key, response));
    if (!this.#responses || this.#building.has(key)) return store;
    let resolve: Building['resolve'] = () => {};
    const building: Building = { response: new Promise((done) => (resolve = done)), resolve };
    this.#building.set(key, building);
    return (response) => {
      clearTimeout(building.timer);
      this.#building.delete(key);
      store(response);
      resolve(response);
    };
  }
}

const NO_HEADERS: ReadonlySet<string> = new Set();

/** The response to a request for which the cache has none. */
export class Miss {
  /** Names of the headers that do not depend on the response. */
  readonly #earlier: ReadonlySet<string>;
  #response: CachedResponse | null = null;

  /** @param finish null if the response must not be stored */
  constructor(
    private readonly cache: ResponseCache,
    private readonly ctx: Koa.Context,
    private readonly request: CacheableRequest,
    private readonly current: Version | null,
    private readonly finish: Finish | null,
  ) {
    this.#earlier = cache.isEnabled ? new Set(Object.keys(ctx.response.headers)) : NO_HEADERS;
  }

  /** Stores the response, unless it must not be cached, and sets its validators. @param built null if it has failed */
  store(built: Built | null): void {
    const { cache, ctx, request, current } = this;
    if (!this.finish) return;
    const { api, variant, hasValidators, isVersionInQuery } = request;
    // Without a version, the operation has read nothing that is stamped, such as a field that @include excludes.
    const version = isVersionInQuery ? built?.version && (current ?? built.version) : current;
    const isComplete = built !== null && !built.errors && !built.isProvisional;
    if (version && isComplete && ctx.status === 200) {
      if (cache.isEnabled) this.#response = capture(ctx, this.#earlier, version.tag);
      if (hasValidators) cache.setValidators(ctx, { version, variant });
      if (hasValidators && isKnownTag(ctx)) ctx.status = 304;
    }
    if (cache.isEnabled) cacheRequests.inc({ api, result: this.#response ? 'miss' : 'uncacheable' });
  }

  /** Must be called in any case: equal requests wait for it. */
  end(): void {
    this.finish?.(this.#response);
  }
}

/** The current version; `unavailable` if it cannot be read. */
export function orUnavailable(version: Promise<Version | null>): Promise<Version | null | 'unavailable'> {
  return version.catch(() => 'unavailable' as const);
}

function send(ctx: Koa.Context, { headers, body }: CachedResponse): void {
  ctx.status = 200;
  ctx.set(headers as Record<string, string>);
  sendStored(ctx, body);
}

/** Shared caches must not replace a copy of a known version by it. */
function sendStale(ctx: Koa.Context, response: CachedResponse): void {
  send(ctx, response);
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Age', String(Math.ceil((performance.now() - response.validatedAtMs) / 1000)));
}

/** @returns null if the response is too large */
function capture(ctx: Koa.Context, earlier: ReadonlySet<string>, tag: string): CachedResponse | null {
  const text = ctx.body;
  if (typeof text !== 'string') return null;
  const length = Buffer.byteLength(text);
  if (length > MAX_RESPONSE_BYTES) return null;
  // Memory of its own: a small Buffer from the pool would retain the 8 KiB that it shares with others.
  const body = Buffer.allocUnsafeSlow(length);
  body.write(text);
  ctx.body = body;
  const added = Object.entries(ctx.response.headers).filter(([name]) => name === 'vary' || !earlier.has(name));
  const headers = Object.fromEntries(added.map(([name, value]) => [name, value as string | string[]]));
  return { body: new StoredBody(body), headers, tag, validatedAtMs: performance.now() };
}

function countCached({ api, operation, startedMs }: CacheableRequest, result: CacheResult): void {
  cacheRequests.inc({ api, result });
  observeCachedOperation(api, operation, (performance.now() - startedMs) / 1000);
}
