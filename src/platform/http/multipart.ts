/** Reads multipart bodies into memory, with size limits: there are no temporary files to clean up. */
import type Koa from 'koa';
import type { KeyedConcurrencyLimit } from '../concurrency/keyed-concurrency-limit.js';
import { fixedLimit } from '../config/fixed-limit.js';
import { MAX_JSON_BYTES, rejectEncoding, sizeOfValues } from './json-body.js';
import { MultipartParser, type Part, type PartLimits } from './multipart-parser.js';
import { type BodySender, bodyOf, readChunks } from './request-body.js';

export const MAX_FILE_BYTES = fixedLimit({
  area: 'Images',
  error: 'PAYLOAD_TOO_LARGE',
  value: 10 * 1024 * 1024,
  unit: 'bytes',
  about: 'Image file.',
});
/** One file, one JSON part, delimiters and part headers. */
const MAX_BODY_BYTES = fixedLimit({
  area: 'HTTP',
  error: 'PAYLOAD_TOO_LARGE',
  value: MAX_FILE_BYTES + MAX_JSON_BYTES + 64 * 1024,
  unit: 'bytes',
  about: 'Multipart body.',
});

const MAX_PARTS = fixedLimit({
  area: 'HTTP',
  error: 'BAD_REQUEST',
  value: 20,
  about: 'Parts of a multipart body.',
});

const MAX_PART_HEADER_BYTES = fixedLimit({
  area: 'HTTP',
  error: 'BAD_REQUEST',
  value: 8 * 1024,
  unit: 'bytes',
  about: 'Headers of one part of a multipart body.',
});

/** @param jsonParts names of the parts that contain JSON; the others may have the size of an image */
function limitsFor(jsonParts: readonly string[]): PartLimits {
  return {
    maxParts: MAX_PARTS,
    maxHeaderBytes: MAX_PART_HEADER_BYTES,
    maxBytesOf: (name) => (jsonParts.includes(name) ? MAX_JSON_BYTES : MAX_FILE_BYTES),
  };
}

/** The member who uploads files. */
export interface UploadSender extends BodySender {
  readonly memberId: number;
  readonly limits: BodySender['limits'] & { readonly uploads: KeyedConcurrencyLimit };
}

/**
 * For members only: files are buffered in memory.
 * @param jsonParts names of the parts that contain JSON
 * @throws AppError BAD_REQUEST, UNSUPPORTED_MEDIA_TYPE, RATE_LIMITED, and those of `readChunks`
 */
export async function readParts(ctx: Koa.Context, sender: UploadSender, jsonParts: readonly string[]): Promise<Part[]> {
  rejectEncoding(ctx);
  const parser = new MultipartParser(ctx.get('Content-Type'), limitsFor(jsonParts));
  const body = bodyOf(ctx, sender);
  return sender.limits.uploads.run(String(sender.memberId), async () => {
    for await (const chunk of readChunks(body, MAX_BODY_BYTES)) parser.write(chunk);
    const parts = parser.end();
    for (const { name, bytes } of parts) {
      if (jsonParts.includes(name)) body.reservation.add(sizeOfValues(bytes));
    }
    return parts;
  });
}
