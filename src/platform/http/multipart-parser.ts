/** Streaming parser for multipart/form-data (RFC 7578, RFC 2046 §5.1). Throws at the first limit that is exceeded. */
import { AppError } from '../errors.js';
import { createMessage, type Message } from '../messages/message.js';
import { beginningOf } from '../text.js';

export interface Part {
  name: string;
  /** As sent by the client; null for a plain field. Never used as a path. */
  filename: string | null;
  bytes: Buffer;
}

export interface PartLimits {
  readonly maxParts: number;
  /** Maximum size of the headers of one part. */
  readonly maxHeaderBytes: number;
  /** Maximum size of the content of the part with this name. */
  maxBytesOf(name: string): number;
}

/** The part whose content is being read. */
interface OpenPart {
  readonly name: string;
  readonly filename: string | null;
  readonly maxBytes: number;
  readonly chunks: Buffer[];
  length: number;
}

/** `preamble` and `epilogue` are the text before and after the parts, which is ignored (RFC 2046 §5.1.1). */
type State = 'preamble' | 'headers' | 'content' | 'epilogue';

const HEADERS_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const [SPACE, TAB, DASH] = [0x20, 0x09, 0x2d];
/** Maximum white space between a delimiter and the end of its line. */
const MAX_PADDING_BYTES = 64;

export class MultipartParser {
  readonly #delimiter: Buffer;
  readonly #limits: PartLimits;
  readonly #parts: Part[] = [];
  #state: State = 'preamble';
  /** Unprocessed bytes. A delimiter begins with a line break, which the first one lacks: hence the initial value. */
  #rest: Buffer = LINE_END;
  #open: OpenPart | null = null;

  /** @throws AppError BAD_REQUEST if the Content-Type has no boundary */
  constructor(contentType: string, limits: PartLimits) {
    this.#delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`, 'latin1');
    this.#limits = limits;
  }

  /** Parses the next bytes. The caller must not modify the buffer afterwards. @throws AppError BAD_REQUEST, PAYLOAD_TOO_LARGE */
  write(chunk: Buffer): void {
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    while (this.#advance());
  }

  /** @returns all parts. @throws AppError BAD_REQUEST if the body is incomplete */
  end(): Part[] {
    if (this.#state !== 'epilogue') throw malformed(createMessage('multipartTruncated'));
    return this.#parts;
  }

  /** @returns whether the bytes in `#rest` can be processed further */
  #advance(): boolean {
    if (this.#state === 'headers') return this.#readHeaders();
    if (this.#state !== 'epilogue') return this.#readToDelimiter();
    this.#rest = Buffer.alloc(0);
    return false;
  }

  #readHeaders(): boolean {
    const { maxHeaderBytes } = this.#limits;
    const end = this.#rest.subarray(0, maxHeaderBytes + HEADERS_END.length).indexOf(HEADERS_END);
    if (end === -1 && this.#rest.length >= maxHeaderBytes + HEADERS_END.length) {
      throw malformed(createMessage('partHeadersTooLarge', maxHeaderBytes));
    }
    if (end === -1) return false;
    const { name, filename } = readDisposition(this.#rest.subarray(0, end).toString());
    this.#open = { name, filename, maxBytes: this.#limits.maxBytesOf(name), chunks: [], length: 0 };
    this.#rest = this.#rest.subarray(end + HEADERS_END.length);
    this.#state = 'content';
    return true;
  }

  #readToDelimiter(): boolean {
    const rest = this.#rest;
    let start = rest.indexOf(this.#delimiter);
    let kind = this.#kindAt(start);
    while (kind === 'content') {
      start = rest.indexOf(this.#delimiter, start + this.#delimiter.length);
      kind = this.#kindAt(start);
    }
    if (typeof kind === 'object') {
      this.#take(rest.subarray(0, start));
      this.#close();
      this.#begin(kind.end, kind.isLast);
      return true;
    }
    // The last bytes may be the start of a delimiter.
    const end = kind === 'incomplete' ? start : Math.max(0, rest.length - this.#delimiter.length + 1);
    this.#take(rest.subarray(0, end));
    this.#rest = rest.subarray(end);
    return false;
  }

  /** Kind of the delimiter at `start`; -1 for none. */
  #kindAt(start: number): DelimiterKind {
    return start === -1 ? 'none' : kindOf(this.#rest, start + this.#delimiter.length);
  }

  #begin(at: number, isLast: boolean): void {
    this.#rest = this.#rest.subarray(at);
    this.#state = isLast ? 'epilogue' : 'headers';
    const { maxParts } = this.#limits;
    if (!isLast && this.#parts.length === maxParts) throw malformed(createMessage('tooManyParts', maxParts));
  }

  #take(bytes: Buffer): void {
    const part = this.#open;
    if (!part || bytes.length === 0) return;
    part.length += bytes.length;
    if (part.length > part.maxBytes) {
      throw new AppError('PAYLOAD_TOO_LARGE', {
        message: createMessage('partTooLarge', part.maxBytes, beginningOf(part.name, 60)),
      });
    }
    part.chunks.push(bytes);
  }

  #close(): void {
    if (!this.#open) return;
    const { name, filename, chunks } = this.#open;
    this.#parts.push({ name, filename, bytes: Buffer.concat(chunks) });
    this.#open = null;
  }
}

/** RFC 2046 §5.1.1: 1 to 70 characters. */
function boundaryOf(contentType: string): string {
  const [, quoted, token] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s";]{1,70}))\s*(?:;|$)/i.exec(contentType) ?? [];
  const boundary = quoted ?? token;
  if (boundary === undefined) throw malformed(createMessage('boundaryMissing'));
  return boundary;
}

/** `content`: not a delimiter, although it begins like one. `incomplete`: more bytes are needed. `none`: not found. */
type DelimiterKind = { end: number; isLast: boolean } | 'content' | 'incomplete' | 'none';

/**
 * A delimiter is followed by `--`, or by white space and a line break.
 * @returns `end` is the offset of the line break: the empty line that ends the headers may follow directly
 */
function kindOf(bytes: Buffer, at: number): DelimiterKind {
  if (bytes[at] === DASH) {
    if (at + 1 === bytes.length) return 'incomplete';
    return bytes[at + 1] === DASH ? { end: at + 2, isLast: true } : 'content';
  }
  let end = at;
  while (end - at <= MAX_PADDING_BYTES && (bytes[end] === SPACE || bytes[end] === TAB)) end++;
  if (end === bytes.length || (end + 1 === bytes.length && bytes[end] === LINE_END[0])) return 'incomplete';
  return bytes[end] === LINE_END[0] && bytes[end + 1] === LINE_END[1] ? { end, isLast: false } : 'content';
}

/** RFC 7578 §4.2. Browsers encode a quotation mark in a name as %22, other clients as \"; some do not quote names. */
function readDisposition(headers: string): { name: string; filename: string | null } {
  const [, parameters = ''] = /\r\ncontent-disposition:[ \t]*form-data[ \t]*(;[^\r\n]*)/i.exec(headers) ?? [];
  const found = new Map<string, string>();
  for (const [, key = '', quoted, token = ''] of parameters.matchAll(PARAMETER)) {
    found.set(key.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? token);
  }
  const name = found.get('name');
  if (name === undefined) throw malformed(createMessage('partNameMissing'));
  return { name, filename: found.get('filename') ?? found.get('filename*') ?? null };
}

const PARAMETER = /;[ \t]*([\w*-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s";]*))/g;

function malformed(reason: Message): AppError {
  return new AppError('BAD_REQUEST', { message: createMessage('multipartInvalid', reason) });
}
