/** Reads JSON bodies: collects their chunks (with koa-body unless they are small), decompresses, decodes and parses them. */
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, unzip, type ZlibOptions } from 'node:zlib';
import type Koa from 'koa';
import { fixedLimit } from '../config/fixed-limit.js';
import { AppError } from '../errors.js';
import { createMessage, type Message } from '../messages/message.js';
import { inspectValue } from '../text.js';
import { type BodySender, bodyOf, bodyTooLarge, type RequestBody, readChunks, unreadable } from './request-body.js';

export const MAX_JSON_BYTES = fixedLimit({
  area: 'HTTP',
  error: 'PAYLOAD_TOO_LARGE',
  value: 1024 * 1024,
  unit: 'bytes',
  about: 'JSON body of a logged-in member after decompression, and each JSON part of a multipart body.',
});

export interface JsonRules {
  /** Maximum size after decompression. */
  readonly maxBytes: number;
  /** False before authentication: with a small compressed body a client can use much of the server's memory. */
  readonly mayCompress: boolean;
}

/** Bodies up to this size arrive in one or two chunks: streaming them through koa-body would dominate the time for the request. */
const SMALL_BYTES = 64 * 1024;

type Decompress = (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>;

/** Decompressors by Content-Encoding (RFC 9110 §8.4.1). */
const DECOMPRESSORS = new Map<string, Decompress>([
  ['gzip', promisify<Buffer, ZlibOptions, Buffer>(unzip)],
  ['deflate', promisify<Buffer, ZlibOptions, Buffer>(unzip)],
  ['br', promisify<Buffer, ZlibOptions, Buffer>(brotliDecompress)],
]);

/** @returns the parsed JSON value of the body. @throws AppError BAD_REQUEST, UNSUPPORTED_MEDIA_TYPE, and those of `readChunks` */
export async function readJson(ctx: Koa.Context, sender: BodySender, rules: JsonRules): Promise<unknown> {
  requireUtf8(ctx.request.charset);
  const decompress = decompressorOf(ctx, rules);
  const body = bodyOf(ctx, sender);
  const chunks = readChunks(body, rules.maxBytes);
  const received = isSmall(ctx) ? await join(chunks) : await collect(ctx, chunks);
  const bytes = decompress ? await decompressed(received, decompress, body, rules) : received;
  const text = decodeUtf8(bytes);
  body.reservation.add(sizeOfValues(bytes));
  return parseJson(text);
}

/** @throws AppError UNSUPPORTED_MEDIA_TYPE for a body in any Content-Encoding */
export function rejectEncoding(ctx: Koa.Context): void {
  if (encodingOf(ctx) === 'identity') return;
  // RFC 9110 §15.5.16
  ctx.set('Accept-Encoding', 'identity');
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', {
    message: createMessage('encodingForbidden', inspectValue(encodingOf(ctx))),
  });
}

/** RFC 8259 §8.1: JSON is UTF-8, and a byte order mark may be ignored. @throws AppError BAD_REQUEST */
export function decodeUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new AppError('BAD_REQUEST', { message: createMessage('bodyNotUtf8') });
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

/** @throws AppError BAD_REQUEST */
export function parseJson(text: string): unknown {
  if (text === '') throw new AppError('BAD_REQUEST', { message: createMessage('bodyEmpty') });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('BAD_REQUEST', { message: describeSyntaxError(text), cause });
  }
}

function describeSyntaxError(text: string): Message {
  return text.length > MAX_SEARCHED
    ? createMessage('bodyNotJson')
    : createMessage('bodyNotJsonAt', ...positionOf(text));
}

/** Longer texts are not searched for the position of an error, which takes 14 times as long as parsing. */
const MAX_SEARCHED = 10_000;

/** Line and column of the first character that makes the text invalid, both from 1. V8 reports the position of some errors only. */
function positionOf(text: string): [line: number, column: number] {
  let [valid, invalid] = [0, text.length + 1];
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (mayContinue(text.slice(0, middle))) valid = middle;
    else invalid = middle;
  }
  const before = text.slice(0, valid);
  return [before.split('\n').length, before.length - before.lastIndexOf('\n')];
}

/** Whether the text is JSON, or the beginning of a JSON text. */
function mayContinue(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    return /Unexpected end|Unterminated/.test(message) || message.includes(`position ${text.length}`);
  }
}

const VALUE_BYTES = 48;

/** Upper bound in bytes for the parsed arrays, objects and elements, in addition to the text. `[[],[]]` counts as 4 values. */
export function sizeOfValues(json: Buffer): number {
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at);
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) values++;
  }
  return values * VALUE_BYTES;
}

const [QUOTE, COMMA, BRACKET, BRACE, BACKSLASH] = [0x22, 0x2c, 0x5b, 0x7b, 0x5c];

function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end !== -1; end = json.indexOf(QUOTE, end + 1)) {
    let before = end;
    while (json[before - 1] === BACKSLASH) before--;
    if ((end - before) % 2 === 0) return end;
  }
  return json.length;
}

function requireUtf8(charset: string): void {
  if (/^(?:utf-?8|us-ascii)?$/i.test(charset)) return;
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', { message: createMessage('charsetUnsupported', inspectValue(charset)) });
}

function encodingOf(ctx: Koa.Context): string {
  return ctx.get('Content-Encoding').trim().toLowerCase() || 'identity';
}

function decompressorOf(ctx: Koa.Context, { mayCompress }: JsonRules): Decompress | undefined {
  const encoding = encodingOf(ctx);
  if (encoding === 'identity') return undefined;
  if (!mayCompress) rejectEncoding(ctx);
  const decompress = DECOMPRESSORS.get(encoding);
  if (decompress) return decompress;
  const accepted = [...DECOMPRESSORS.keys()];
  ctx.set('Accept-Encoding', accepted.join(', '));
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', {
    message: createMessage('encodingUnsupported', accepted, inspectValue(encoding)),
  });
}

/** For a complete body: an incomplete one uses no more memory than its client has sent. */
async function decompressed(
  packed: Buffer,
  decompress: Decompress,
  { reservation }: RequestBody,
  { maxBytes }: JsonRules,
): Promise<Buffer> {
  reservation.add(maxBytes);
  try {
    const bytes = await decompress(packed, { maxOutputLength: maxBytes });
    reservation.remove(maxBytes - bytes.length);
    return bytes;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw bodyTooLarge(maxBytes);
    throw unreadable(code === 'Z_BUF_ERROR' ? 'bodyTruncated' : 'bodyUnreadable', cause);
  }
}

function isSmall({ request }: Koa.Context): boolean {
  return (request.length ?? Number.POSITIVE_INFINITY) <= SMALL_BYTES;
}

async function join(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const collected: Buffer[] = [];
  for await (const chunk of chunks) collected.push(chunk);
  return collected.length === 1 && collected[0] ? collected[0] : Buffer.concat(collected);
}

let textReader: Promise<Koa.Middleware> | undefined;

/** Loads koa-body, with a hundred modules of its dependencies, for the first body that is not small. */
async function createTextReader(): Promise<Koa.Middleware> {
  const { HttpMethodEnum, koaBody } = await import('koa-body');
  const { POST, PUT, PATCH, DELETE } = HttpMethodEnum;
  return koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: ['application/json'],
    textLimit: MAX_JSON_BYTES,
    // Without an encoding, the text is a Buffer: koa-body would replace invalid UTF-8 with U+FFFD.
    encoding: '',
    parsedMethods: [POST, PUT, PATCH, DELETE],
  });
}

/** Runs koa-body on a context whose `req` is the bounded stream. */
async function collect(ctx: Koa.Context, chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  textReader ??= createTextReader();
  const readText = await textReader;
  const req = Object.assign(Readable.from(chunks), { headers: {} });
  await readText(Object.create(ctx, { req: { value: req } }), async () => {});
  return (ctx.request as { body?: unknown }).body as Buffer;
}
