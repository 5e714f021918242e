/** What a client sent: the JSON fields and the file of a request, whichever of the accepted forms they came in. */
import type Koa from 'koa';
import { AppError, invalid } from '../errors.js';
import { say } from '../messages/message.js';
import { UploadedFile } from '../schema/scalars.js';
import { show } from '../schema/validators.js';
import { readBytes } from './bytes.js';
import { MAX_JSON_BYTES, type Part, readParts } from './parts.js';

/** What an endpoint takes. `optional`: no body at all is fine too. */
export type BodyKind = 'none' | 'json' | 'multipart' | 'optional';

export interface Body {
  fields: Record<string, unknown>;
  /** The part `file`. */
  file: UploadedFile | undefined;
}

const EMPTY: Body = { fields: {}, file: undefined };

/** @throws AppError BAD_REQUEST, VALIDATION_FAILED, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE */
export async function readBody(ctx: Koa.Context, kind: BodyKind): Promise<Body> {
  if (kind === 'none') return EMPTY;
  // null: neither a length nor chunks are announced, so there is no body.
  const type = ctx.is('application/json', 'multipart/form-data');
  if (type === null || ctx.request.length === 0) {
    if (kind === 'optional') return EMPTY;
    throw new AppError('BAD_REQUEST', { message: say('bodyEmpty') });
  }
  if (type === 'application/json') return { fields: requireObject(await readJson(ctx)), file: undefined };
  if (type === 'multipart/form-data' && kind === 'multipart') return fromParts(await readParts(ctx));
  const accepted = [...(kind === 'multipart' ? ['multipart/form-data'] : []), 'application/json'];
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', {
    message: say('typeExpected', accepted, show(ctx.get('Content-Type'))),
  });
}

/** The JSON value in the body. @throws AppError */
export async function readJson(ctx: Koa.Context): Promise<unknown> {
  requireUtf8(ctx.request.charset);
  return parseJson(await readBytes(ctx, MAX_JSON_BYTES));
}

function requireUtf8(charset: string): void {
  if (/^(?:utf-?8|us-ascii)?$/i.test(charset)) return;
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', { message: say('charsetUnknown', show(charset)) });
}

/** RFC 8259 §8.1: JSON is UTF-8. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new AppError('BAD_REQUEST', { message: say('bodyEmpty') });
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    const message = say(cause instanceof TypeError ? 'bodyNotUtf8' : 'bodyNotJson');
    throw new AppError('BAD_REQUEST', { message, cause });
  }
}

function requireObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  const message = Array.isArray(value) ? say('bodyIsArray') : say('bodyNotObject', show(value));
  throw new AppError('BAD_REQUEST', { message });
}

/**
 * The JSON part `request` counts in whichever form it came: a plain field, a part with a Content-Type, or with a
 * filename. An unnamed and empty file is what a browser sends for a file input that was left alone.
 */
function fromParts(parts: Part[]): Body {
  const sent = parts.filter(({ filename, bytes }) => filename !== '' || bytes.length > 0);
  const unknown = sent.find(({ name }) => name !== 'request' && name !== 'file');
  if (unknown) throw invalid(unknown.name, say('unknownPart'));
  const [request, ...moreRequests] = sent.filter(({ name }) => name === 'request');
  const [file, ...moreFiles] = sent.filter(({ name }) => name === 'file');
  if (moreRequests.length > 0) throw invalid('request', say('partRepeated', moreRequests.length + 1));
  if (moreFiles.length > 0) throw invalid('file', say('partRepeated', moreFiles.length + 1));
  if (!request && !file) {
    throw new AppError('BAD_REQUEST', { message: say('partsMissing') });
  }
  if (request && request.bytes.length > MAX_JSON_BYTES) {
    throw new AppError('PAYLOAD_TOO_LARGE', { message: say('requestPartTooLarge', MAX_JSON_BYTES) });
  }
  return {
    fields: request ? requireObject(parseJson(request.bytes)) : {},
    file: file && new UploadedFile(file.bytes),
  };
}
