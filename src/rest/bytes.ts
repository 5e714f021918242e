/** Reads the bytes of a body, unpacked and bounded, whatever they are. */
import type Koa from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { AppError } from '../errors.js';
import { say } from '../messages/message.js';

const readers = new Map<number, Koa.Middleware>();

/**
 * @param limit bytes, after unpacking
 * @throws AppError BAD_REQUEST, PAYLOAD_TOO_LARGE, or UNSUPPORTED_MEDIA_TYPE for an unknown Content-Encoding
 */
export async function readBytes(ctx: Koa.Context, limit: number): Promise<Buffer> {
  const read = readers.get(limit) ?? readerOf(limit);
  readers.set(limit, read);
  try {
    await read(ctx as never, async () => {});
  } catch (cause) {
    throw explain(cause, limit);
  }
  const { body } = ctx.request as { body?: unknown };
  return Buffer.from(typeof body === 'string' ? body : '', 'latin1');
}

/** As text in latin1, where each character is a byte: any other encoding would hide what the bytes were. */
function readerOf(limit: number): Koa.Middleware {
  const { POST, PUT, PATCH, DELETE } = HttpMethodEnum;
  return koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: ['application/json', 'multipart/form-data'],
    textLimit: limit,
    encoding: 'latin1',
    parsedMethods: [POST, PUT, PATCH, DELETE],
  });
}

function explain(cause: unknown, limit: number): AppError {
  const { status, type } = cause as { status?: number; type?: string };
  if (status === 413) return new AppError('PAYLOAD_TOO_LARGE', { message: say('bodyTooLarge', limit), cause });
  if (status === 415) {
    return new AppError('UNSUPPORTED_MEDIA_TYPE', { message: say('encodingUnknown'), cause });
  }
  const message = say(type === 'request.aborted' ? 'bodyEndsEarly' : 'bodyUnreadable');
  return new AppError('BAD_REQUEST', { message, cause });
}
