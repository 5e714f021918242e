/** Compresses response bodies (RFC 9110 §8.4, §12.5.3), except those with a secret: their length would reveal it (BREACH). */
import { promisify } from 'node:util';
import { brotliCompress, constants, gunzipSync, gzip, gzipSync } from 'node:zlib';
import type Koa from 'koa';

/** Responses that are compressed at the same time in each process. Further ones are sent uncompressed. */
const MAX_COMPRESSIONS = 16;

/** Bytes from which compression saves more than it costs. */
const MIN_BYTES = 1024;

const COMPRESSIBLE_TYPES = /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?(?:json|xml|javascript)|image\/svg)/;

/** Responses below it contain tokens. */
const AUTH_PATH = '/api/auth/';

const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Elements of Accept-Encoding that are read. negotiator has the same result, but no limit: a header of 16 kB takes it 2 ms. */
const MAX_CODINGS = 20;

/** Other levels save a few percent more, and block the event loop for up to twice as long for large bodies. */
const FAST_GZIP = { level: constants.Z_BEST_SPEED };

/** A body that is sent repeatedly, with its compressed forms, each created once. */
export class StoredBody {
  readonly #encoded = new Map<Encoding, Promise<Buffer>>();
  #plain: Buffer | null;
  /** Once it was created. */
  #gzip: Buffer | null = null;
  #bytes: number;
  /** Called after `bytes` has grown. */
  onGrowth = () => {};

  constructor(plain: Buffer) {
    this.#plain = plain;
    this.#bytes = plain.length;
  }

  /** After `retainGzip`, each call decompresses it. */
  get plain(): Buffer {
    return this.#plain ?? gunzipSync(this.#gzip as Buffer);
  }

  /** Size of all forms. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Removes all other forms, unless compression saves nothing. */
  retainGzip(): void {
    if (!this.#plain || this.#plain.length < MIN_BYTES) return;
    this.#gzip ??= withOwnMemory(gzipSync(this.#plain, FAST_GZIP));
    this.#plain = null;
    this.#bytes = this.#gzip.length;
    this.#encoded.clear();
    this.#encoded.set('gzip', Promise.resolve(this.#gzip));
  }

  /** Restores the uncompressed form after `retainGzip`. */
  restorePlain(): void {
    if (this.#plain) return;
    this.#plain = this.plain;
    this.#bytes += this.#plain.length;
  }

  /** The form for gzip if it is the only one, and accepted; otherwise null. @param accept the value of Accept-Encoding */
  onlyGzip(accept: string): Buffer | null {
    return !this.#plain && acceptedEncodings(accept).includes('gzip') ? this.#gzip : null;
  }

  encode(encoding: Encoding): Promise<Buffer> {
    const cached = this.#encoded.get(encoding);
    if (cached) return cached;
    const encoded = compress(this.plain, encoding).then(withOwnMemory);
    this.#encoded.set(encoding, encoded);
    const isRetained = () => this.#encoded.get(encoding) === encoded;
    encoded.then(
      (form) => {
        if (!isRetained()) return;
        if (encoding === 'gzip') this.#gzip = form;
        this.#bytes += form.length;
        this.onGrowth();
      },
      () => isRetained() && this.#encoded.delete(encoding),
    );
    return encoded;
  }

  has(encoding: Encoding): boolean {
    return this.#encoded.has(encoding);
  }
}

/** What a handler may put into the state of a request. */
export interface CompressionState {
  /** Has the bytes of the body. */
  storedBody?: StoredBody;
  /** The response contains a token or another secret. */
  hasSecret?: boolean | undefined;
}

/** Responds with a stored body, which `compressResponses` compresses where it is stored uncompressed. */
export function sendStored(ctx: Koa.ParameterizedContext<CompressionState>, body: StoredBody): void {
  ctx.state.storedBody = body;
  const gzipped = body.onlyGzip(ctx.get('Accept-Encoding'));
  ctx.body = gzipped ?? body.plain;
  if (!gzipped) return;
  ctx.vary('Accept-Encoding');
  ctx.set('Content-Encoding', 'gzip');
}

export function compressResponses(): Koa.Middleware<CompressionState> {
  let running = 0;
  return async (ctx, next) => {
    await next();
    const { body } = ctx;
    if ((typeof body !== 'string' && !Buffer.isBuffer(body)) || ctx.length < MIN_BYTES || !isCompressible(ctx)) return;
    ctx.vary('Accept-Encoding');
    const [encoding] = acceptedEncodings(ctx.get('Accept-Encoding'));
    if (!encoding) return;
    const { storedBody } = ctx.state;
    if (running >= MAX_COMPRESSIONS && !storedBody?.has(encoding)) return;
    running++;
    try {
      ctx.body = await (storedBody ? storedBody.encode(encoding) : compress(body, encoding));
      ctx.set('Content-Encoding', encoding);
    } finally {
      running--;
    }
  };
}

function isCompressible(ctx: Koa.ParameterizedContext<CompressionState>): boolean {
  return (
    !ctx.state.hasSecret &&
    !ctx.path.startsWith(AUTH_PATH) &&
    !ctx.response.get('Content-Encoding') &&
    COMPRESSIBLE_TYPES.test(ctx.response.get('Content-Type'))
  );
}

/**
 * The accepted encodings, the highest quality first (RFC 9110 §12.5.3), and br before an equal gzip: Koa prefers the first in the header, which
 * in browsers is gzip.
 */
function acceptedEncodings(accept: string): readonly Encoding[] {
  if (accept === '') return [];
  const qualities = new Map(
    accept.split(',', MAX_CODINGS).map((item) => {
      const [coding = '', quality = '1'] = item.split(/;\s*q=/i);
      return [coding.trim().toLowerCase(), Number(quality)];
    }),
  );
  const qualityOf = (coding: Encoding) => qualities.get(coding) ?? qualities.get('*') ?? 0;
  const min = qualities.get('identity') ?? 0;
  const accepted = ENCODINGS.filter((coding) => qualityOf(coding) > 0 && qualityOf(coding) >= min);
  return accepted.sort((a, b) => qualityOf(b) - qualityOf(a));
}

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** A window of 256 KiB bounds the memory of each compression. */
const BROTLI_OPTIONS = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
};

function compress(body: string | Buffer, encoding: Encoding): Promise<Buffer> {
  return encoding === 'br' ? brotli(body, BROTLI_OPTIONS) : deflate(body);
}

/** A copy: zlib returns a part of a buffer of 16 KiB, all of which would stay in memory. */
function withOwnMemory(buffer: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(buffer.length);
  buffer.copy(copy);
  return copy;
}
