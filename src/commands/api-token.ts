/** Creates an API token, and notifies its member. */
import { randomUUID } from 'node:crypto';
import { LOCK_UNLOCKED_MEMBER } from '../models/member/administration.js';
import { ADD_API_TOKEN, type ApiTokenRow, MAX_API_TOKENS, type Scope } from '../models/session/api-token.js';
import type { Transaction } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { generateApiToken } from '../services/auth/api-token.js';
import { type EventSource, recordEvent } from '../services/auth/audit.js';
import type { Caller, Viewer } from '../services/auth/policy.js';
import { hashToken } from '../services/auth/token.js';
import { lockAccount } from './login-methods.js';

export interface NewApiToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** ISO 8601, in UTC. Null: it does not expire. */
  readonly expiresAt: string | null;
}

/**
 * @param passwordHash from requireProof
 * @returns the row with the token, which is not stored
 * @throws AppError TOKEN_LIMIT_REACHED, and the errors of `lockAccount`
 */
export function createApiToken(
  caller: Caller,
  viewer: Viewer,
  token: NewApiToken,
  passwordHash: string | null,
): Promise<ApiTokenRow & { token: string }> {
  const { database } = caller;
  return database.transaction(async (db) => {
    await lockAccount(db, viewer, passwordHash);
    return addApiToken(db, caller, viewer.memberId, token);
  });
}

/** By an operator. @throws AppError TOKEN_LIMIT_REACHED; MEMBER_NOT_FOUND also for a locked account */
export function createApiTokenByOperator(
  source: EventSource,
  memberId: number,
  token: NewApiToken,
): Promise<ApiTokenRow & { token: string }> {
  const { database } = source;
  return database.transaction(async (db) => {
    const [locked] = await db.query(LOCK_UNLOCKED_MEMBER, [memberId]);
    if (!locked) throw new AppError('MEMBER_NOT_FOUND');
    return addApiToken(db, source, memberId, token);
  });
}

/** The transaction must have locked the row of the member. */
async function addApiToken(
  db: Transaction,
  source: EventSource,
  memberId: number,
  { name, scopes, expiresAt }: NewApiToken,
): Promise<ApiTokenRow & { token: string }> {
  const token = generateApiToken();
  const values = [randomUUID(), memberId, hashToken(token), name, scopes, expiresAt] as const;
  const [row] = await db.query(ADD_API_TOKEN, [...values]);
  if (!row)
    throw new AppError('TOKEN_LIMIT_REACHED', { message: createMessage('apiTokenLimitReached', MAX_API_TOKENS) });
  await recordEvent(db, source, { kind: 'API_TOKEN_CREATED', memberId, name });
  return { ...row, token };
}
