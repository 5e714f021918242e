/** The responses of the cache, within its memory: those used last as they are sent, the others compressed. */
import { LRUCache } from 'lru-cache';
import { cacheBytes, cacheEvictions } from '../observability/metrics/response-cache.js';
import type { StoredBody } from './compression.js';

export interface CachedResponse {
  readonly body: StoredBody;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** The tag of the version from which it was built. */
  readonly tag: string;
  /** Time of the last validation (`performance.now()`). */
  validatedAtMs: number;
}

/** Estimated memory of an entry besides its body and key: headers, objects. */
const ENTRY_BYTES = 1_500;

/** Share of the memory that uncompressed responses have at least. */
const PLAIN_SHARE = 1 / 4;

/**
 * Share of the new responses that a full cache stores. A response that is read often is soon stored, while a crawler that reads more
 * than the cache can hold does not replace each response before its next use.
 */
const ADMITTED_SHARE = 1 / 8;

export class ResponseStore {
  readonly #plain: LRUCache<string, CachedResponse>;
  readonly #compressed: LRUCache<string, CachedResponse>;

  constructor(private readonly maxBytes: number) {
    // `#shrink` comes before their own limit.
    const options = { maxSize: 2 * maxBytes };
    this.#plain = new LRUCache(options);
    this.#compressed = new LRUCache(options);
  }

  has(key: string): boolean {
    return this.#plain.has(key) || this.#compressed.has(key);
  }

  /** Counts as a use, of which one of eight decompresses it for the next ones. */
  get(key: string): CachedResponse | undefined {
    const plain = this.#plain.get(key);
    if (plain) return plain;
    const compressed = this.#compressed.get(key);
    if (!compressed || Math.random() > ADMITTED_SHARE) return compressed;
    compressed.body.restorePlain();
    this.store(key, compressed);
    return compressed;
  }

  /** Without a use. */
  peek(key: string): CachedResponse | undefined {
    return this.#plain.peek(key) ?? this.#compressed.peek(key);
  }

  store(key: string, response: CachedResponse): void {
    const size = sizeOf(key, response);
    const isFull =
      this.#bytes + size > this.maxBytes && this.#plain.calculatedSize < this.maxBytes * PLAIN_SHARE + size;
    if (isFull && !this.has(key) && Math.random() > ADMITTED_SHARE) return;
    this.#compressed.delete(key);
    this.#set(this.#plain, key, response);
    this.#shrink();
  }

  get #bytes(): number {
    return this.#plain.calculatedSize + this.#compressed.calculatedSize;
  }

  #set(part: LRUCache<string, CachedResponse>, key: string, response: CachedResponse): void {
    const { body } = response;
    body.onGrowth = () => {
      if (part.peek(key)?.body !== body) return;
      // lru-cache reads the size of another object only.
      this.#set(part, key, { ...response });
      this.#shrink();
    };
    part.set(key, response, { size: sizeOf(key, response) });
  }

  /** Compresses the uncompressed responses that were not used for longest, then removes compressed ones. */
  #shrink(): void {
    while (this.#bytes > this.maxBytes) {
      if (this.#plain.calculatedSize > this.maxBytes * PLAIN_SHARE) this.#compressOldest();
      else {
        this.#compressed.pop();
        cacheEvictions.inc();
      }
    }
    cacheBytes.set(this.#bytes);
  }

  #compressOldest(): void {
    const [key = ''] = this.#plain.rkeys();
    const response = this.#plain.peek(key);
    this.#plain.delete(key);
    if (!response) return;
    response.body.retainGzip();
    this.#set(this.#compressed, key, response);
  }
}

function sizeOf(key: string, { body }: CachedResponse): number {
  return body.bytes + 2 * key.length + ENTRY_BYTES;
}
