/** The parts of a multipart body, held in memory and bounded: no temporary file that could stay behind. */

import type Koa from 'koa';
import { type HttpMethodEnum, koaBody } from 'koa-body';
import { AppError } from '../errors.js';

export interface Part {
  name: string;
  /** As the client sent it; null for a plain field. Never used as a path. */
  filename: string | null;
  bytes: Buffer;
}

/** What formidable hands over: a stream of the part's bytes. */
interface IncomingPart extends NodeJS.EventEmitter {
  name: string | null;
  originalFilename: string | null;
}

export const MAX_FILE_BYTES = 10 * 1024 * 1024;
export const MAX_JSON_BYTES = 1024 * 1024;
/** One file, one JSON part, and what stands between them. */
const MAX_BODY_BYTES = MAX_FILE_BYTES + MAX_JSON_BYTES + 64 * 1024;
const MAX_PARTS = 20;

/** @throws AppError BAD_REQUEST where the body is not what RFC 7578 describes, PAYLOAD_TOO_LARGE past the bounds. */
export async function readParts(ctx: Koa.Context): Promise<Part[]> {
  const parts: Part[] = [];
  boundBody(ctx.req);
  const parse = koaBody({
    multipart: true,
    json: false,
    text: false,
    urlencoded: false,
    parsedMethods: [ctx.method as HttpMethodEnum],
    formidable: { onPart: (part: unknown) => collect(part as IncomingPart, parts) } as object,
  });
  try {
    await parse(ctx as never, async () => {});
  } catch (error) {
    throw explain(error);
  }
  return parts;
}

function collect(part: IncomingPart, parts: Part[]): void {
  if (parts.length === MAX_PARTS)
    throw new AppError('BAD_REQUEST', { message: `At most ${MAX_PARTS} parts are taken.` });
  const chunks: Buffer[] = [];
  let size = 0;
  const collected: Part = { name: part.name ?? '', filename: part.originalFilename, bytes: Buffer.alloc(0) };
  parts.push(collected);
  part.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_FILE_BYTES) throw tooLarge(`A part may have ${MAX_FILE_BYTES} bytes.`);
    chunks.push(chunk);
  });
  part.on('end', () => {
    collected.bytes = Buffer.concat(chunks);
  });
}

/** The parser bounds parts; this bounds their headers and what lies between them. */
function boundBody(request: Koa.Context['req']): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > MAX_BODY_BYTES) throw tooLarge(`The whole body may have ${MAX_BODY_BYTES} bytes, got ${announced}.`);
  let received = 0;
  const count = (chunk: Buffer) => {
    received += chunk.length;
    if (received > MAX_BODY_BYTES) request.emit('error', tooLarge(`The whole body may have ${MAX_BODY_BYTES} bytes.`));
  };
  // Listening for data starts the flow, so it must not begin before the parser listens.
  request.on('newListener', function start(event) {
    if (event !== 'data') return;
    request.off('newListener', start);
    request.on('data', count);
  });
}

function tooLarge(message: string): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', { message });
}

function explain(error: unknown): unknown {
  if (error instanceof AppError) return error;
  // Formidable's errors carry httpCode, not status.
  const { httpCode } = error as { httpCode?: number };
  if (httpCode === undefined && !(error instanceof Error && error.name === 'FormidableError')) return malformed(error);
  return httpCode === 413 ? tooLarge('The body is too large.') : malformed(error);
}

function malformed(cause: unknown): AppError {
  return new AppError('BAD_REQUEST', {
    message: 'The multipart body is broken: expected parts between the boundaries that Content-Type names (RFC 7578).',
    cause,
  });
}
