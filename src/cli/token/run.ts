/** Runs the subcommands of `daybook token`. */
import ms, { type StringValue } from 'ms';
import { createApiTokenByOperator } from '../../commands/api-token.js';
import { DELETE_API_TOKEN, MEMBER_API_TOKENS, type Scope } from '../../models/session/api-token.js';
import { AppError, OperatorError } from '../../platform/errors.js';
import { MAX_API_TOKEN_DAYS } from '../../schema/api-token.js';
import { parseTime } from '../../schema/scalars.js';
import { asOperator, type OperatorOptions } from '../operator.js';
import type { Terminal } from '../terminal.js';

export interface CreateTokenOptions {
  scope: readonly Scope[];
  /** A lifetime, or a time; absent: the token does not expire. */
  expires?: string;
  name: string;
}

export function createToken(
  idOrEmail: string,
  { scope: scopes, expires, name }: CreateTokenOptions,
  terminal: Terminal,
): Promise<number> {
  return asOperator(terminal, 'token create', {}, async (operator) => {
    const { id, nickname, lockedAt } = await operator.member(idOrEmail);
    if (lockedAt) throw new OperatorError(`${nickname} (member ${id}) is locked: unlock the account first`);
    const token = { name, scopes, expiresAt: expires === undefined ? null : timeOf(expires, operator.database.now()) };
    const created = await createApiTokenByOperator(operator.source, id, token).catch((error: unknown) => {
      throw error instanceof AppError ? new OperatorError(error.message.replace(/\.$/, '')) : error;
    });
    operator.print(created.token);
  });
}

export function listTokens(idOrEmail: string, terminal: Terminal): Promise<number> {
  return asOperator(terminal, 'token list', {}, async (operator) => {
    const { id: memberId } = await operator.member(idOrEmail);
    const tokens = await operator.database.query(MEMBER_API_TOKENS, [memberId]);
    for (const { id, name, scopes, createdAt, expiresAt, lastUsedAt } of tokens) {
      const times = [
        `created ${createdAt.toISOString()}`,
        expiresAt ? `expires ${expiresAt.toISOString()}` : 'does not expire',
        lastUsedAt ? `last used ${lastUsedAt.toISOString()}` : 'never used',
      ];
      operator.print(`${id}  ${name}  ${scopes.join(',')}  ${times.join(', ')}`);
    }
  });
}

export function deleteToken(
  idOrEmail: string,
  id: string,
  options: OperatorOptions,
  terminal: Terminal,
): Promise<number> {
  return asOperator(terminal, 'token delete', options, async (operator) => {
    const { database, source } = operator;
    const { id: memberId, nickname } = await operator.member(idOrEmail);
    const tokens = await database.query(MEMBER_API_TOKENS, [memberId]);
    const token = tokens.find((one) => one.id === id.toLowerCase());
    if (!token) throw new OperatorError(`${nickname} (member ${memberId}) has no API token with the ID "${id}"`);
    await operator.confirm(`The API token "${token.name}" of ${nickname} (member ${memberId}) is deleted`);
    const { address, device } = source.client;
    await database.query(DELETE_API_TOKEN, [token.id, memberId, null, address, device]);
    operator.print(`The API token "${token.name}" was deleted.`);
  });
}

/** @returns an ISO time. @throws {OperatorError} */
function timeOf(text: string, now: number): string {
  const lifetime = /^\d+\s*[a-z]+$/i.test(text) ? ms(text as StringValue) : undefined;
  const time = lifetime === undefined ? Date.parse(parseTime(text) ?? '') : now + lifetime;
  const days = (time - now) / ms('1d');
  if (days > 0 && days <= MAX_API_TOKEN_DAYS) return new Date(time).toISOString();
  const expected = `a lifetime such as 90d, or a time in UTC such as 2099-01-31, at most ${MAX_API_TOKEN_DAYS} days ahead`;
  throw new OperatorError(`--expires must be ${expected}, not ${JSON.stringify(text)}`);
}
