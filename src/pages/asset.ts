/** Static files of pages: read on the first request and cached, with an entity tag from a hash of the content. */
import { createHash } from 'node:crypto';
import type Koa from 'koa';
import { StoredBody, sendStored } from '../platform/http/compression.js';
import { isKnownTag } from '../platform/http/conditional.js';

export interface Asset {
  /** A media type. */
  readonly type: string;
  /** For pages: the value of the Content-Security-Policy header. */
  readonly policy?: string;
  read(): Promise<string | Buffer>;
}

interface PreparedAsset {
  readonly body: StoredBody;
  readonly tag: string;
}

const prepared = new WeakMap<Asset, Promise<PreparedAsset>>();

/** Responds with the file, or with 304 where the client has it (RFC 9110 §13.1.2). */
export async function sendAsset(ctx: Koa.Context, asset: Asset): Promise<void> {
  const { body, tag } = await preparedOf(asset);
  ctx.status = 200;
  ctx.type = asset.type;
  if (asset.policy) ctx.set('Content-Security-Policy', asset.policy);
  ctx.set('Cache-Control', 'no-cache');
  ctx.vary('Accept-Encoding');
  // Weak, since the compressed forms have the same tag.
  ctx.etag = `W/"${tag}"`;
  if (isKnownTag(ctx)) ctx.status = 304;
  else sendStored(ctx, body);
}

function preparedOf(asset: Asset): Promise<PreparedAsset> {
  const cached = prepared.get(asset);
  if (cached) return cached;
  const reading = prepare(asset);
  prepared.set(asset, reading);
  // A failed read is not cached: the next request retries it.
  reading.catch(() => prepared.delete(asset));
  return reading;
}

async function prepare(asset: Asset): Promise<PreparedAsset> {
  const plain = Buffer.from(await asset.read());
  const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return { body: new StoredBody(plain), tag };
}
