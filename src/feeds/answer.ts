/** Cacheable text responses with conditional requests (RFC 9110 §13). */
import type Koa from 'koa';
import { answerUnchanged, isCacheable } from '../http/condition.js';
import { type Representation, setValidators } from '../http/representation.js';
import type { Services } from '../services.js';
import { VERSION } from '../version.js';

/** Inputs of feeds and the sitemap other than articles, for the entity tag. @param path the canonical path */
export function variantOf({ config }: Services, path: string): string {
  return [VERSION, config.publicUrl, ...Object.values(config.site), path].join('\n');
}

/**
 * Responds with 304 where the client has the current representation, otherwise with the text of `write`.
 * @param representation its stamp must be read before `write` reads the data; null where the stamp is unknown
 */
export async function answerCacheable(
  ctx: Koa.Context,
  representation: Representation | null,
  contentType: string,
  write: () => Promise<string> | string,
): Promise<void> {
  const current = representation && isCacheable(ctx) ? representation : null;
  if (current && answerUnchanged(ctx, current)) return;
  const text = await write();
  ctx.type = contentType;
  ctx.body = text;
  if (current) setValidators(ctx, current);
}
