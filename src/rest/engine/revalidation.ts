/** Conditional GET (RFC 9110 §13) of endpoints: the validators are evaluated before the operation runs. */
import type { Context } from '../../context.js';
import { isCacheable, isConditional, respondIfUnchanged, setValidators } from '../../http/conditional.js';
import { setLanguage } from '../../http/language.js';
import type { RouteContext } from '../../http/router.js';
import { findStamp, type Stamp } from '../../models/stamp.js';
import type { CompiledEndpoint } from './compile.js';
import type { Validator } from './endpoint.js';

interface Asked {
  compiled: CompiledEndpoint;
  context: Context;
  ctx: RouteContext;
  /** Whether the operation would reject its arguments: conditions are ignored where the response would not be a success (RFC 9110 §13.2.1). */
  hasFaults(): boolean;
}

/** Responds 304 if the client's copy is current; otherwise calls `respond`, and sets ETag and Last-Modified on a public response. */
export async function revalidated(asked: Asked, respond: () => Promise<void>): Promise<void> {
  const { compiled, context, ctx } = asked;
  const { validator } = compiled.endpoint;
  if (!validator || !isCacheable(ctx)) return respond();
  const variant = variantOf(compiled, context, ctx.url);
  const isWanted = !validator.stampInQuery || isConditional(ctx);
  const before = isWanted ? await stampBefore(validator, context, ctx.params) : null;
  if (before && !asked.hasFaults() && respondIfUnchanged(ctx, { stamp: before, variant })) {
    return setLanguage(ctx, context.language);
  }
  await respond();
  const stamp = before ?? context.responseMeta.stamp;
  if (stamp) setValidators(ctx, { stamp, variant });
}

/** Everything that affects the response besides the stamped rows. The envelope prefix contains the localised message. */
function variantOf({ digest, opening }: CompiledEndpoint, { config, language }: Context, url: string): string {
  return [digest, config.publicUrl, config.restPageBase, opening[language], url].join('\n');
}

/** Null where no row can have this id: the operation then produces the error. */
async function stampBefore(
  { of, id }: Validator,
  { database }: Context,
  params: Record<string, string>,
): Promise<Stamp | null> {
  if (id === undefined) return findStamp(database, of, []);
  const number = Number(params[id]);
  return Number.isSafeInteger(number) && number > 0 ? findStamp(database, of, [number]) : null;
}
