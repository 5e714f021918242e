/** Reads a request body in chunks, limited by time, by size, and by the memory for all bodies. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type Koa from 'koa';
import type { Config } from '../config/index.js';
import { AppError } from '../errors.js';
import { createMessage } from '../messages/message.js';
import { limitError } from '../observability/metrics/error.js';
import type { BufferedBytes, Reservation } from './buffered-bytes.js';
import { networkOf } from './client-address.js';

export interface RequestBody {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly timeoutMs: number;
  /** Grows with the bytes that are received. */
  readonly reservation: Reservation;
}

/** Client address and limits for reading a body. */
export interface BodySender {
  readonly config: Pick<Config, 'http'>;
  readonly client: { readonly address: string };
  readonly limits: { readonly bufferedBytes: BufferedBytes };
}

/** Does not read yet: reading starts with `readChunks`. */
export function bodyOf(
  { req: request, res: response }: Koa.Context,
  { config, client, limits }: BodySender,
): RequestBody {
  const reservation = limits.bufferedBytes.reserve(networkOf(client.address), response);
  return { request, response, timeoutMs: config.http.bodyTimeoutMs, reservation };
}

/** Smaller chunks are merged into buffers of this size, since the overhead of each would far exceed its content. */
const CHUNK_BYTES = 16 * 1024;
/** Allowance in bytes for framing, such as chunk sizes (RFC 9112 §7.1), in addition to twice the size of the body. */
const FRAMING_BYTES = 64 * 1024;
/** Time after which reading yields to the event loop. */
const SLICE_MS = 10;

/**
 * @param maxBytes before decompression; a body with a larger Content-Length is not read at all
 * @throws AppError PAYLOAD_TOO_LARGE; REQUEST_TIMEOUT; BAD_REQUEST if the body ends early or its chunks are too small;
 *   RATE_LIMITED and SERVICE_UNAVAILABLE if the memory limits are exceeded
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

/** Chunks as they are received. */
async function* receive(body: RequestBody, maxBytes: number): AsyncGenerator<Buffer, void> {
  const { request, reservation, timeoutMs } = body;
  requireLength(request, maxBytes);
  acceptExpectation(body);
  let isLate = false;
  let resolvePendingRead = () => {};
  const onChange = () => resolvePendingRead();
  const deadline = setTimeout(() => {
    isLate = true;
    resolvePendingRead();
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
        throw unreadable('bodyTruncated');
      } else {
        await new Promise<void>((resolve) => {
          resolvePendingRead = resolve;
        });
      }
    }
  } finally {
    clearTimeout(deadline);
    for (const event of CHANGES) request.off(event, onChange);
    // An aborted request emits `error` when it is destroyed.
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
  return new AppError('PAYLOAD_TOO_LARGE', { message: createMessage('bodyTooLarge', maxBytes) });
}

export function unreadable(key: 'bodyTruncated' | 'bodyUnreadable' | 'chunksTooSmall', cause?: unknown): AppError {
  return new AppError('BAD_REQUEST', { message: createMessage(key), cause });
}

function requireLength({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
}

/** Sends 100 Continue (RFC 9110 §10.1.1) when it is certain that the body will be read. */
function acceptExpectation({ request, response }: RequestBody): void {
  if (request.httpVersion !== '1.0' && /\b100-continue\b/i.test(request.headers.expect ?? '')) response.writeContinue();
}

function tooSlow(timeoutMs: number): AppError {
  return limitError('time for a body', 'REQUEST_TIMEOUT', {
    message: createMessage('bodyTimeout', Math.ceil(timeoutMs / 1000)),
  });
}
