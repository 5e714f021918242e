/** Public reads: 304 if the client's copy is current (RFC 9110 §13), the cached response if that is current, otherwise a new one. */
import { type Context, withReplica } from '../../context.js';
import { isStampInQuery, stampKeys } from '../../graphql/operation-stamps.js';
import { readVersion } from '../../models/stamp-reader.js';
import { entityTag, isCacheable, revisionTag, taggedByContent } from '../../platform/http/conditional.js';
import { setLanguage } from '../../platform/http/language.js';
import { respondCached } from '../../platform/http/response-cache.js';
import type { RouteContext } from '../../platform/http/router.js';
import type { CompiledEndpoint } from './compile.js';

interface PublicRead {
  compiled: CompiledEndpoint;
  context: Context;
  ctx: RouteContext;
  variables: Readonly<Record<string, unknown>>;
  /** Whether the operation would accept its arguments. */
  isValid(): boolean;
}

/** @param respond runs the operation and sets the response, without the validators */
export async function revalidated(
  { compiled, context, ctx, variables, isValid }: PublicRead,
  respond: (context: Context) => Promise<void>,
): Promise<void> {
  const { stamps } = compiled;
  if (!isCacheable(ctx)) return tagged({ compiled, context, ctx, variables }, respond);
  const keys = stamps && stampKeys(stamps, variables);
  if (compiled.endpoint.isTaggedByContent) return taggedByContent(ctx, () => respond(context));
  // Without keys, no row can have this id: the operation produces the error.
  if (!stamps || !keys) return respond(context);
  if (compiled.endpoint.result.kind !== 'text') setLanguage(ctx, context.language);
  const isVersionInQuery = isStampInQuery(stamps);
  const request = {
    api: 'rest',
    operation: compiled.operation,
    variant: variantOf(compiled, context, variables),
    hasValidators: true,
    isVersionInQuery,
    mayReadReplica: isVersionInQuery && (context.replicas?.available ?? 0) > 0,
    readVersion: () => readVersion(context.stampReader, keys),
    isValid,
  } as const;
  await respondCached(ctx, context.responseCache, request, async (current) => {
    await respond(withReplica(context, current));
    const { version, isProvisional } = context.responseMeta;
    return { version, isComplete: !isProvisional };
  });
}

/**
 * A read with a token: conditions are ignored, and the response is not to be stored. A resource with a revision has the same tag as
 * without a token, for If-Match.
 */
async function tagged(
  { compiled, context, ctx, variables }: Omit<PublicRead, 'isValid'>,
  respond: (context: Context) => Promise<void>,
): Promise<void> {
  await respond(context);
  const { version, revision } = context.responseMeta;
  if (compiled.endpoint.isRevisioned && revision !== null) ctx.set('ETag', revisionTag(revision, String(ctx.body)));
  if (!compiled.stamps || !isStampInQuery(compiled.stamps) || version?.revision === undefined) return;
  ctx.set('ETag', entityTag({ version, variant: variantOf(compiled, context, variables) }));
}

/** Everything that determines the response besides the stamped rows. The envelope prefix contains the localized message. */
function variantOf(
  { endpoint, digest, prefix }: CompiledEndpoint,
  { config, language }: Context,
  variables: Readonly<Record<string, unknown>>,
): string {
  const message = endpoint.result.kind === 'text' ? '' : prefix[language];
  return [
    digest,
    config.publicUrl,
    config.site.memberUrl,
    config.restPageBase,
    message,
    JSON.stringify(variables),
  ].join('\n');
}
