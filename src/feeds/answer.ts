/** Answers with a text that may be kept and asked about. */
import type Koa from 'koa';
import { answerUnchanged, isCacheable } from '../http/condition.js';
import { type Representation, setValidators } from '../http/representation.js';
import type { Services } from '../services.js';
import { VERSION } from '../version.js';

/** What feeds and the sitemap are made from beside articles. @param path in its canonical form */
export function variantOf({ config }: Services, path: string): string {
  return [VERSION, config.publicUrl, ...Object.values(config.site), path].join('\n');
}

/**
 * 304 where the client has it; otherwise what `write` gives, which reads after the stamp was read.
 * @param representation null where nothing is known of its state
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
