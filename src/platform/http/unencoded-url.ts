/** Requests whose URL contains UTF-8 that is not percent-encoded, which curl and other clients send and Node's parser rejects. */
import { isUtf8 } from 'node:buffer';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { AppError } from '../errors.js';
import { createMessage } from '../messages/message.js';
import { peerAddress } from './client-address.js';
import { closeLingering } from './lingering-close.js';

/** An error of Node's HTTP parser. */
export type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number };

/** Without a body, since the parser does not read on after an error. In latin1. */
const HEAD = /^((?:GET|HEAD) )([\x21-\x7e\x80-\xff]+)( HTTP\/1\.[01]\r\n(?:[^\r\n]+\r\n)*\r\n)$/;

/**
 * @returns the request with a percent-encoded URL; null if the error has another cause
 * @throws AppError BAD_REQUEST if the URL is not UTF-8, or the packet is not exactly one request without a body
 */
export function encodeUrl({ code, rawPacket, bytesParsed }: ParserError): Buffer | null {
  if (code !== 'HPE_INVALID_URL' || !rawPacket) return null;
  const text = rawPacket.toString('latin1');
  const first = text.search(/[\x80-\xff]/);
  if (first < 0 || first !== bytesParsed) return null;
  const [, method = '', url = '', rest = ''] = HEAD.exec(text) ?? [];
  // With the position of the error in the URL, the packet begins with a request, and not with the rest of another one.
  if (first < method.length || first >= method.length + url.length) throw invalid('urlNotEncoded');
  if (!isUtf8(Buffer.from(url, 'latin1'))) throw invalid('urlNotUtf8');
  const encoded = url.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  return Buffer.from(method + encoded + rest, 'latin1');
}

function invalid(key: 'urlNotEncoded' | 'urlNotUtf8'): AppError {
  return new AppError('BAD_REQUEST', { message: createMessage(key) });
}

/** Parses requests of connections whose own parser has failed. Each response closes its connection. */
export class SecondParser {
  readonly #server: Server;

  /** @param maxHeaderBytes of the request line and the headers */
  constructor(maxHeaderBytes: number, listener: RequestListener, fail: (error: ParserError, socket: Socket) => void) {
    this.#server = createServer({ maxHeaderSize: maxHeaderBytes, requireHostHeader: false }, (request, response) => {
      response.shouldKeepAlive = false;
      listener(request, response);
    });
    this.#server.on('clientError', (error, stream) => fail(error, (stream as RequestStream).socket));
  }

  parse(request: Buffer, socket: Socket): void {
    this.#server.emit('connection', new RequestStream(request, socket));
  }
}

/** The stream of one request to the second parser, whose response is written to the socket. */
export class RequestStream extends Duplex {
  readonly remoteAddress: string;

  constructor(
    request: Buffer,
    readonly socket: Socket,
  ) {
    super();
    this.remoteAddress = peerAddress(socket);
    this.push(request);
    socket.once('close', () => this.destroy());
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.socket.write(chunk)) done();
    else this.socket.once('drain', done);
  }

  override _final(done: () => void): void {
    closeLingering(this.socket);
    done();
  }
}
