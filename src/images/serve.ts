/** Serves `GET /images/<name>.webp` from the image store, with headers that prevent the execution of scripts. */
import type { Context } from 'koa';
import { AppError } from '../errors.js';
import type { Handler, RouteContext } from '../http/router.js';
import { createMessage } from '../messages/message.js';
import { IMAGE_CACHE_CONTROL, IMAGE_NAME, IMAGE_TYPE, type ImageStore } from './store.js';

/** @param store contains the image with the path parameter `name` */
export function serveImage(store: ImageStore): Handler {
  return (ctx) => respond(ctx, store, ctx.params.name ?? '');
}

/** Whether the path parameter `name` may be that of an image. */
export function isImageName({ params }: RouteContext): boolean {
  return IMAGE_NAME.test(params.name ?? '');
}

async function respond(ctx: Context, store: ImageStore, name: string): Promise<void> {
  const found = await store.read(name);
  if (!found) throw new AppError('ROUTE_NOT_FOUND', { message: createMessage('imageNotFound') });
  ctx.status = 200;
  ctx.set(HEADERS);
  // A name is random and its file is written once, so the name is a strong ETag like a content hash.
  ctx.etag = name;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.length = found.size;
  if (ctx.method === 'GET') ctx.body = await found.open();
}

const HEADERS = {
  'Content-Type': IMAGE_TYPE,
  'Cache-Control': IMAGE_CACHE_CONTROL,
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  // The images are embedded in pages of other origins.
  'Cross-Origin-Resource-Policy': 'cross-origin',
};
