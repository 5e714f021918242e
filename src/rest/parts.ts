/** The parts of a multipart body (RFC 7578), held in memory and bounded: no temporary file that could stay behind. */
import { Busboy } from '@fastify/busboy';
import type Koa from 'koa';
import { AppError } from '../errors.js';
import { type Message, say } from '../messages/message.js';
import { MAX_IMAGE_BYTES } from '../storage/image.js';
import { readBytes } from './bytes.js';

export interface Part {
  name: string;
  /** As the client sent it; null for a plain field. Never used as a path. */
  filename: string | null;
  bytes: Buffer;
}

export const MAX_JSON_BYTES = 1024 * 1024;
/** One file, one JSON part, and what stands between them. */
const MAX_BODY_BYTES = MAX_IMAGE_BYTES + MAX_JSON_BYTES + 64 * 1024;
const MAX_PARTS = 20;
/** Of one part; what is longer is cut, which leaves it without a name or with one that nobody knows. */
const MAX_HEADER_BYTES = 8 * 1024;

/** @throws AppError BAD_REQUEST where the body is not what RFC 7578 describes, PAYLOAD_TOO_LARGE past the bounds. */
export async function readParts(ctx: Koa.Context): Promise<Part[]> {
  const contentType = ctx.get('Content-Type');
  if (!/;\s*boundary="?[^\s";]/i.test(contentType)) throw malformed(say('boundaryMissing'));
  const body = await readBytes(ctx, MAX_BODY_BYTES);
  const parts = await splitParts(body, contentType);
  const large = parts.find(({ bytes }) => bytes.length > MAX_IMAGE_BYTES);
  if (!large) return parts;
  throw new AppError('PAYLOAD_TOO_LARGE', {
    message: say('partTooLarge', MAX_IMAGE_BYTES, large.bytes.length, large.name.slice(0, 60)),
  });
}

/** Every part counts as a file: whether it came with a filename or a Content-Type makes no difference here. */
function splitParts(body: Buffer, contentType: string): Promise<Part[]> {
  return new Promise((resolve, reject) => {
    const parts: Part[] = [];
    const parser = new Busboy({
      headers: { 'content-type': contentType },
      limits: { parts: MAX_PARTS, headerSize: MAX_HEADER_BYTES },
      isPartAFile: () => true,
    });
    parser.on('file', (name: string | undefined, stream, filename: string | undefined) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () =>
        parts.push({ name: name ?? '', filename: filename ?? null, bytes: Buffer.concat(chunks) }),
      );
      // The parser tells the same, once for the whole body.
      stream.on('error', () => {});
    });
    parser.on('partsLimit', () => reject(malformed(say('tooManyParts', MAX_PARTS))));
    parser.on('error', (cause) => reject(malformed(say('partsEndEarly'), cause)));
    parser.on('finish', () => resolve(parts));
    parser.end(body);
  });
}

function malformed(reason: Message, cause?: unknown): AppError {
  return new AppError('BAD_REQUEST', { message: say('multipartBroken', reason), cause });
}
