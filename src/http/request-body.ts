/** Reads the body of a request in chunks: within a time and a number of bytes, and within the memory for all bodies. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type Koa from 'koa';
import type { Config } from '../config/index.js';
import { AppError } from '../errors.js';
import { say } from '../messages/message.js';
import { reachedLimits } from '../observability/metrics/refusal.js';
import type { BufferedBytes, Reservation } from './buffered-bytes.js';
import { networkOf } from './client-address.js';

export interface RequestBody {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly timeoutMs: number;
  /** Grows with the bytes that are received. */
  readonly reservation: Reservation;
}

/** Whose body is read, and what limits it. */
export interface BodySender {
  readonly config: Pick<Config, 'http'>;
  readonly client: { readonly address: string };
  readonly limits: { readonly bufferedBytes: BufferedBytes };
}

/** Nothing is read yet: that begins with the first chunk. */
export function bodyOf(
  { req: request, res: response }: Koa.Context,
  { config, client, limits }: BodySender,
): RequestBody {
  const reservation = limits.bufferedBytes.reserve(networkOf(client.address), response);
  return { request, response, timeoutMs: config.http.bodyTimeoutMs, reservation };
}

/** Smaller chunks are collected into ones of this size, since each would use far more memory than its bytes. */
const CHUNK_BYTES = 16 * 1024;
/** Bytes beside those of the body, such as the sizes of chunks (RFC 9112 §7.1), before they are compared with the body. */
const FRAMING_BYTES = 64 * 1024;
/** The event loop serves other requests after this time. */
const SLICE_MS = 10;

/**
 * @param maxBytes as sent; a body that announces more is not read at all
 * @throws AppError PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, BAD_REQUEST where the body ends early or in too small chunks,
 *   RATE_LIMITED and SERVICE_UNAVAILABLE where there is no memory for it
 */
export async function* readChunks(body: RequestBody, maxBytes: number): AsyncGenerator<Buffer, void> {
  const small = new SmallChunks();
  let sliceEnd = performance.now() + SLICE_MS;
  for await (const chunk of receive(body, maxBytes)) {
    if (chunk.length >= CHUNK_BYTES) {
      yield* small.take();
      yield chunk;
    } else {
      yield* small.add(chunk);
    }
    if (performance.now() < sliceEnd) continue;
    await nextIteration();
    sliceEnd = performance.now() + SLICE_MS;
  }
  yield* small.take();
}

/** What arrives, as it arrives. */
async function* receive(body: RequestBody, maxBytes: number): AsyncGenerator<Buffer, void> {
  const { request, reservation, timeoutMs } = body;
  requireLength(request, maxBytes);
  acceptExpectation(body);
  let isLate = false;
  let wake = () => {};
  const onChange = () => wake();
  const deadline = setTimeout(() => {
    isLate = true;
    wake();
  }, timeoutMs);
  for (const event of CHANGES) request.on(event, onChange);
  const { socket } = request;
  const before = socket.bytesRead;
  let received = 0;
  try {
    for (;;) {
      if (isLate) throw tooSlow(timeoutMs);
      const chunk = request.read() as Buffer | null;
      if (chunk) {
        received += chunk.length;
        if (received > maxBytes) throw bodyTooLarge(maxBytes);
        if (socket.bytesRead - before > 2 * received + FRAMING_BYTES) throw unreadable('chunksTooSmall');
        reservation.add(chunk.length);
        yield chunk;
      } else if (request.readableEnded) {
        return;
      } else if (request.destroyed) {
        throw unreadable('bodyEndsEarly');
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    clearTimeout(deadline);
    for (const event of CHANGES) request.off(event, onChange);
    // An aborted request emits it when it is destroyed.
    request.on('error', () => {});
  }
}

const CHANGES = ['readable', 'end', 'error', 'close'] as const;

class SmallChunks {
  #buffer: Buffer | null = null;
  #length = 0;

  *add(chunk: Buffer): Generator<Buffer, void> {
    if (this.#length + chunk.length > CHUNK_BYTES) yield* this.take();
    this.#buffer ??= Buffer.allocUnsafeSlow(CHUNK_BYTES);
    this.#length += chunk.copy(this.#buffer, this.#length);
  }

  *take(): Generator<Buffer, void> {
    if (this.#buffer) yield this.#buffer.subarray(0, this.#length);
    this.#buffer = null;
    this.#length = 0;
  }
}

export function bodyTooLarge(maxBytes: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', { message: say('bodyTooLarge', maxBytes) });
}

export function unreadable(key: 'bodyEndsEarly' | 'bodyUnreadable' | 'chunksTooSmall', cause?: unknown): AppError {
  return new AppError('BAD_REQUEST', { message: say(key), cause });
}

function requireLength({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
}

/** RFC 9110 §10.1.1: only now is it known that the body will be read. */
function acceptExpectation({ request, response }: RequestBody): void {
  if (request.httpVersion !== '1.0' && /\b100-continue\b/i.test(request.headers.expect ?? '')) response.writeContinue();
}

function tooSlow(timeoutMs: number): AppError {
  reachedLimits.inc({ counted: 'time for a body' });
  return new AppError('REQUEST_TIMEOUT', { message: say('bodyTooSlow', Math.ceil(timeoutMs / 1000)) });
}
