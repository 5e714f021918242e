/** Serves `GET /images/<name>.webp` from the image store, with headers that prevent the execution of scripts. */
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { AppError } from '../../platform/errors.js';
import { isKnownTag } from '../../platform/http/conditional.js';
import type { Handler, RouteContext } from '../../platform/http/router.js';
import { createMessage } from '../../platform/messages/message.js';
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
  if (isKnownTag(ctx)) {
    ctx.status = 304;
    return;
  }
  const range = rangeIn(ctx, found.size);
  if (range === 'unsatisfiable') {
    ctx.status = 416;
    ctx.set({ 'Content-Range': `bytes */${found.size}`, 'Cache-Control': 'no-store' });
    ctx.body = '';
    return;
  }
  if (range) {
    ctx.status = 206;
    ctx.set('Content-Range', `bytes ${range.first}-${range.last}/${found.size}`);
    ctx.length = range.last - range.first + 1;
    ctx.body = Readable.from(bytesIn(await found.open(), range));
    return;
  }
  ctx.length = found.size;
  if (ctx.method === 'GET') ctx.body = await found.open();
}

/** Positions of bytes, inclusive. */
interface ByteRange {
  first: number;
  last: number;
}

/** The requested range (RFC 9110 §14.2). Null for the whole file: without a range, or for several ranges or another unit, which may be ignored. */
function rangeIn(ctx: Context, size: number): ByteRange | 'unsatisfiable' | null {
  const ifRange = ctx.get('If-Range');
  if (ctx.method !== 'GET' || (ifRange !== '' && ifRange !== ctx.response.get('ETag'))) return null;
  const [, from = '', to = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(ctx.get('Range')) ?? [];
  if (from === '' && to === '') return null;
  // A range without a beginning is the number of last bytes.
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (first < size && last >= first) return { first, last };
  return from !== '' && to !== '' && Number(to) < Number(from) ? null : 'unsatisfiable';
}

async function* bytesIn(file: Readable, { first, last }: ByteRange): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of file as AsyncIterable<Buffer>) {
    if (at + chunk.length > first) yield chunk.subarray(Math.max(0, first - at), last + 1 - at);
    at += chunk.length;
    if (at > last) return;
  }
}

const HEADERS = {
  'Content-Type': IMAGE_TYPE,
  'Cache-Control': IMAGE_CACHE_CONTROL,
  'Accept-Ranges': 'bytes',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  // The images are embedded in pages of other origins.
  'Cross-Origin-Resource-Policy': 'cross-origin',
};
