/** Creates an API token, and notifies its member. */
import { randomUUID } from 'node:crypto';
import { ADD_API_TOKEN, type ApiTokenRow, MAX_API_TOKENS, type Scope } from '../models/session/api-token.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { generateApiToken } from '../services/auth/api-token.js';
import { recordEvent } from '../services/auth/audit.js';
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
  { name, scopes, expiresAt }: NewApiToken,
  passwordHash: string | null,
): Promise<ApiTokenRow & { token: string }> {
  const { database } = caller;
  const { memberId } = viewer;
  const token = generateApiToken();
  return database.inTransaction(async (transaction) => {
    await lockAccount(database, viewer, passwordHash, transaction);
    const [row] = await database.query(
      ADD_API_TOKEN,
      [randomUUID(), memberId, hashToken(token), name, scopes, expiresAt],
      transaction,
    );
    if (!row) {
      throw new AppError('TOKEN_LIMIT_REACHED', { message: createMessage('apiTokenLimitReached', MAX_API_TOKENS) });
    }
    await recordEvent(caller, { kind: 'API_TOKEN_CREATED', memberId, name }, transaction);
    return { ...row, token };
  });
}
