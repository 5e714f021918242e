/** Sends a file as the response, as fast as the client reads it. */
import { pipeline } from 'node:stream/promises';
import type { Context } from '../../context.js';
import { maskError } from '../../platform/database/mask-error.js';
import type { RouteContext } from '../../platform/http/router.js';
import type { DownloadResult } from './endpoint.js';

/**
 * Resolves when the file has been sent, or the client has disconnected: the file is destroyed then. An error after the first byte
 * closes the connection, so that the client detects that the file is incomplete.
 * @throws AppError before the first byte
 */
export async function sendDownload(ctx: RouteContext, context: Context, download: DownloadResult): Promise<void> {
  await download.authorize(context);
  const content = ctx.method === 'HEAD' ? null : await download.open(context);
  ctx.status = 200;
  ctx.type = download.mediaType;
  ctx.attachment(download.fileName);
  if (!content) return;
  // From here on Koa must not write to the response.
  ctx.respond = false;
  try {
    await pipeline(content, ctx.res);
  } catch (error) {
    const isDisconnected = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!isDisconnected) maskError(error, context.log, context.requestId);
  }
}
