/** Completes a stored response whose HTML was not rendered yet when its transaction ended (rendering/deferred-html.ts). */
import { createHash } from 'node:crypto';
import { COMPLETE_RESPONSE, type StoredResponse } from '../../models/idempotency-key.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { type Caller, readerOf } from '../auth/policy.js';
import { type HtmlReader, renderForReader } from '../rendering/article-html.js';
import { DeferredHtml } from '../rendering/deferred-html.js';
import type { RequestIdentity } from './key.js';

export const MAX_STORED_BYTES = fixedLimit({
  area: 'Writing',
  value: 1024 * 1024,
  unit: 'bytes',
  error: 'QUERY_TOO_COMPLEX',
  about: 'Response to a request with an Idempotency-Key.',
});

/** The marker follows from the key, so that a retry completes what the first request did not. */
export function deferredHtmlOf({ id }: RequestIdentity): DeferredHtml {
  return new DeferredHtml(markerOf(id));
}

/**
 * Outside of the transaction of the change, which holds locks. An article that has been deleted since has no text.
 * @param deferred with the contents that the transaction has read; for a retry, the current ones are rendered
 * @throws AppError SERVICE_UNAVAILABLE, RATE_LIMITED: a later retry completes the response
 */
export async function completeResponse(
  context: HtmlReader & Pick<Caller, 'viewer'>,
  { id }: RequestIdentity,
  response: StoredResponse,
  deferred: DeferredHtml,
): Promise<StoredResponse> {
  if (response.body === null || !deferred.isIn(response.body)) return response;
  const body = await deferred.complete(
    response.body,
    async (articleId, content) => (await renderForReader(context, articleId, readerOf(context), content)) ?? '',
  );
  // Each retry completes a longer one again.
  if (Buffer.byteLength(body) > MAX_STORED_BYTES) return { ...response, body };
  const [stored] = await context.database.query(COMPLETE_RESPONSE, [id, body, markerOf(id)]);
  return { ...response, body: stored?.body ?? body };
}

function markerOf(id: Buffer): string {
  return createHash('sha256').update('deferred html\n').update(id).digest('base64url');
}
