/** The parts of a multipart body (RFC 7578), held in memory and bounded: no temporary file that could stay behind. */
import type Koa from 'koa';
import { AppError } from '../errors.js';
import { readBytes } from './bytes.js';

export interface Part {
  name: string;
  /** As the client sent it; null for a plain field. Never used as a path. */
  filename: string | null;
  bytes: Buffer;
}

export const MAX_FILE_BYTES = 10 * 1024 * 1024;
export const MAX_JSON_BYTES = 1024 * 1024;
/** One file, one JSON part, and what stands between them. */
const MAX_BODY_BYTES = MAX_FILE_BYTES + MAX_JSON_BYTES + 64 * 1024;
const MAX_PARTS = 20;
/** Of the headers of one part. */
const MAX_HEAD_BYTES = 8 * 1024;

/** @throws AppError BAD_REQUEST where the body is not what RFC 7578 describes, PAYLOAD_TOO_LARGE past the bounds. */
export async function readParts(ctx: Koa.Context): Promise<Part[]> {
  const boundary = boundaryOf(ctx.get('Content-Type'));
  return splitParts(await readBytes(ctx, MAX_BODY_BYTES), boundary);
}

/** RFC 2046 §5.1.1: 1 to 70 characters. */
function boundaryOf(contentType: string): string {
  const [, quoted, token] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s";]{1,70}))\s*(?:;|$)/i.exec(contentType) ?? [];
  const boundary = quoted ?? token;
  if (boundary === undefined) throw malformed('its Content-Type names no boundary of 1 to 70 characters');
  return boundary;
}

/** Whatever comes before the first delimiter or after the last one does not count. */
function splitParts(body: Buffer, boundary: string): Part[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const parts: Part[] = [];
  // As if a line break came before the body, since a delimiter begins with one.
  let mark = startsWith(body, 0, delimiter.subarray(2))
    ? findEnd(body, delimiter.length - 2)
    : findDelimiter(body, delimiter, 0);
  while (mark && !mark.isLast) {
    if (parts.length === MAX_PARTS) throw malformed(`it has more than ${MAX_PARTS} parts`);
    const headEnd = findHeadEnd(body, mark.end);
    const next = findDelimiter(body, delimiter, headEnd);
    if (!next) throw malformed('it ends early');
    parts.push(readPart(body.subarray(mark.end, headEnd), body.subarray(headEnd, next.start)));
    mark = next;
  }
  if (!mark) throw malformed('the boundary that its Content-Type names is not in it');
  return parts;
}

interface Mark {
  /** Where the delimiter begins, and where the headers after it do, with the line break before them. */
  start: number;
  end: number;
  isLast: boolean;
}

/** The next delimiter that is one: content may begin like it. */
function findDelimiter(body: Buffer, delimiter: Buffer, from: number): Mark | undefined {
  for (let start = body.indexOf(delimiter, from); start !== -1; start = body.indexOf(delimiter, start + 1)) {
    const mark = findEnd(body, start + delimiter.length);
    if (mark) return { ...mark, start };
  }
  return undefined;
}

const LAST = Buffer.from('--');
const LINE_END = Buffer.from('\r\n');
const [SPACE, TAB] = [0x20, 0x09];

/** After a boundary comes `--`, or white space and the end of the line. */
function findEnd(body: Buffer, from: number): Mark | undefined {
  if (startsWith(body, from, LAST)) return { start: 0, end: from + LAST.length, isLast: true };
  let end = from;
  while (body[end] === SPACE || body[end] === TAB) end++;
  return startsWith(body, end, LINE_END) ? { start: 0, end, isLast: false } : undefined;
}

function findHeadEnd(body: Buffer, from: number): number {
  const head = body.subarray(from, from + MAX_HEAD_BYTES + 4);
  const length = head.indexOf('\r\n\r\n');
  if (length !== -1) return from + length + 4;
  throw malformed(
    head.length < MAX_HEAD_BYTES ? 'it ends early' : `a part has headers of more than ${MAX_HEAD_BYTES} bytes`,
  );
}

function readPart(head: Buffer, bytes: Buffer): Part {
  const headers = readHeaders(head.toString());
  const encoding = headers.get('content-transfer-encoding') ?? 'binary';
  if (!/^(?:7bit|8bit|binary)$/i.test(encoding)) throw malformed(`Content-Transfer-Encoding ${encoding} is not taken`);
  const { name, filename = null } = readDisposition(headers.get('content-disposition') ?? '');
  if (name === undefined) throw malformed('a part has no Content-Disposition: form-data; name="…"');
  if (bytes.length > MAX_FILE_BYTES) {
    throw new AppError('PAYLOAD_TOO_LARGE', {
      message: `A part may have ${MAX_FILE_BYTES} bytes, got ${bytes.length} in ${name.slice(0, 60)}.`,
    });
  }
  return { name, filename, bytes };
}

function readHeaders(head: string): Map<string, string> {
  const lines = head.split('\r\n').map((line) => [line, line.indexOf(':')] as const);
  return new Map(
    lines.flatMap(([line, colon]) =>
      colon < 1 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const],
    ),
  );
}

/** Browsers write a quotation mark as %22, others as \"; some leave names unquoted. */
function readDisposition(value: string): { name?: string; filename?: string } {
  if (!/^form-data\s*(?:;|$)/i.test(value)) return {};
  const parameters = value.matchAll(/;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";]*))/g);
  const found = [...parameters].map(([, key = '', quoted, token]) => [key.toLowerCase(), quoted ?? token]);
  return Object.fromEntries(found.filter(([key]) => key === 'name' || key === 'filename'));
}

function startsWith(body: Buffer, from: number, bytes: Buffer): boolean {
  return body.subarray(from, from + bytes.length).equals(bytes);
}

function malformed(reason: string): AppError {
  return new AppError('BAD_REQUEST', {
    message: `The multipart body is broken: ${reason}. Expected what RFC 7578 describes.`,
  });
}
