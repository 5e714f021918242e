/** Serves `GET /images/<name>.webp` from the image store, with headers that prevent the execution of scripts. */
import type { Context, Middleware } from 'koa';
import { AppError } from '../errors.js';
import { createMessage } from '../messages/message.js';
import { type ImageStore } from '../services.js';
import { IMAGE_CACHE_CONTROL, IMAGE_NAME } from './store.js';

const FOLDER = '/images/';

/** Other paths go to the next middleware. Koa does not decode `ctx.path`, so an encoded slash does not act as a path separator. */
export function serveImages(store: ImageStore): Middleware {
  return async (ctx, next) => {
    const name = ctx.path.startsWith(FOLDER) ? ctx.path.slice(FOLDER.length) : '';
    if (!IMAGE_NAME.test(name)) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.set('Allow', 'GET, HEAD');
      throw new AppError('METHOD_NOT_ALLOWED');
    }
    await answer(ctx, store, name);
  };
}

async function answer(ctx: Context, store: ImageStore, name: string): Promise<void> {
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
  'Content-Type': 'image/webp',
  'Cache-Control': IMAGE_CACHE_CONTROL,
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  // The images are embedded in pages of other origins.
  'Cross-Origin-Resource-Policy': 'cross-origin',
};
