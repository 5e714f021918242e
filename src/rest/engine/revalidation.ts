/** Conditional GET of endpoints: whether the client's copy is current is found out before the operation runs. */
import type Koa from 'koa';
import type { Context } from '../../context.js';
import { answerUnchanged, isCacheable, isConditional } from '../../http/condition.js';
import { setLanguage } from '../../http/language.js';
import { setValidators } from '../../http/representation.js';
import { findStamp, type Stamp } from '../../models/stamp.js';
import type { CompiledEndpoint } from './compile.js';
import type { Validator } from './endpoint.js';

type RouteContext = Koa.Context & { params: Record<string, string> };

interface Asked {
  compiled: CompiledEndpoint;
  context: Context;
  ctx: RouteContext;
  /** Whether the operation would refuse its arguments: a condition counts only where the answer would be a success (RFC 9110 §13.2.1). */
  hasFaults(): boolean;
}

/** Answers 304 where the client's copy is current; otherwise as `respond` does, with validators where everybody can read it. */
export async function revalidated(asked: Asked, respond: () => Promise<void>): Promise<void> {
  const { compiled, context, ctx } = asked;
  const { validator } = compiled.endpoint;
  if (!validator || !isCacheable(ctx)) return respond();
  const variant = variantOf(compiled, context, ctx.url);
  const isWanted = !validator.comesAlong || isConditional(ctx);
  const before = isWanted ? await stampBefore(validator, context, ctx.params) : null;
  if (before && !asked.hasFaults() && answerUnchanged(ctx, { stamp: before, variant })) {
    return setLanguage(ctx, context.language);
  }
  await respond();
  const stamp = before ?? context.noted.stamp;
  if (stamp) setValidators(ctx, { stamp, variant });
}

/** What an answer is made from beside what the stamp is of; its message is in the language of the answer. */
function variantOf({ digest, opening }: CompiledEndpoint, { config, language }: Context, url: string): string {
  return [digest, config.publicUrl, config.restPageBase, opening[language], url].join('\n');
}

/** Null where there can be no such row: the operation tells the client what is wrong with it. */
async function stampBefore(
  { of, id }: Validator,
  { database }: Context,
  params: Record<string, string>,
): Promise<Stamp | null> {
  if (id === undefined) return findStamp(database, of, []);
  const number = Number(params[id]);
  return Number.isSafeInteger(number) && number > 0 ? findStamp(database, of, [number]) : null;
}
