/** Creates an API token, and notifies its member. */
import { randomUUID } from 'node:crypto';
import { generateApiToken } from '../auth/api-token.js';
import { recordEvent } from '../auth/audit.js';
import type { Caller, Viewer } from '../auth/policy.js';
import { hashToken } from '../auth/token.js';
import { AppError } from '../errors.js';
import {
  ADD_API_TOKEN,
  type ApiTokenRow,
  COUNT_API_TOKENS,
  MAX_API_TOKENS,
  type Scope,
} from '../models/session/api-token.js';
import { lockLoginMethods } from './login-methods.js';

export interface NewApiToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** ISO 8601, in UTC. Null: it does not expire. */
  readonly expiresAt: string | null;
}

/**
 * @param passwordHash from requireProof
 * @returns the row with the token, which is not stored
 * @throws AppError TOKEN_LIMIT_REACHED; UNAUTHENTICATED if the session has ended or the password has changed since requireProof
 */
export function createApiToken(
  caller: Caller,
  { memberId, sessionId }: Viewer,
  { name, scopes, expiresAt }: NewApiToken,
  passwordHash: string | null,
): Promise<ApiTokenRow & { token: string }> {
  const { database } = caller;
  const token = generateApiToken();
  return database.inTransaction(async (transaction) => {
    await lockLoginMethods(database, memberId, passwordHash, transaction);
    const [row] = await database.query(
      ADD_API_TOKEN,
      [randomUUID(), memberId, hashToken(token), name, scopes, expiresAt, sessionId],
      transaction,
    );
    if (!row) {
      const [counted] = await database.query(COUNT_API_TOKENS, [memberId], transaction);
      throw new AppError(Number(counted?.total) >= MAX_API_TOKENS ? 'TOKEN_LIMIT_REACHED' : 'UNAUTHENTICATED');
    }
    await recordEvent(caller, { kind: 'API_TOKEN_CREATED', memberId, name }, transaction);
    return { ...row, token };
  });
}
