/** The headers Idempotency-Key and If-Match of a GraphQL request. They apply to documents with exactly one mutation field. */
import type Koa from 'koa';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { readKey } from '../services/idempotency/key.js';
import type { OperationAnalysis } from './operation-analysis.js';

export interface MutationHeaders {
  readonly key: string | null;
  readonly ifMatch: string | null;
}

const NONE: MutationHeaders = { key: null, ifMatch: null };

/**
 * Both headers are ignored by queries, and the key also by mutations that do not declare it (schema/idempotency.ts).
 * @throws AppError BAD_REQUEST, VALIDATION_FAILED
 */
export function readMutationHeaders(ctx: Koa.Context, { mutations, acceptsKey }: OperationAnalysis): MutationHeaders {
  const { 'idempotency-key': sentKey, 'if-match': ifMatch = null } = ctx.headers;
  if (sentKey === undefined && ifMatch === null) return NONE;
  if (mutations === 0) return NONE;
  if (mutations > 1) {
    const header = sentKey === undefined ? 'If-Match' : 'Idempotency-Key';
    throw new AppError('BAD_REQUEST', { message: createMessage('headerNeedsOneMutation', header, mutations) });
  }
  return { key: acceptsKey ? readKey(ctx) : null, ifMatch };
}
