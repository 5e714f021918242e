/** The query of a URL. */
import { isUtf8 } from 'node:buffer';
import type Koa from 'koa';
import { AppError } from '../errors.js';
import { createMessage } from '../messages/message.js';

/** @throws AppError BAD_REQUEST if the query is not UTF-8, which URLSearchParams would replace by other characters */
export function readQueryString({ querystring }: Pick<Koa.Context, 'querystring'>): URLSearchParams {
  if (/%[89a-f]/i.test(querystring)) {
    const bytes = querystring.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
    if (!isUtf8(Buffer.from(bytes, 'latin1'))) {
      throw new AppError('BAD_REQUEST', { message: createMessage('urlNotUtf8') });
    }
  }
  return new URLSearchParams(querystring);
}
