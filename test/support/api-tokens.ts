/** API tokens in tests. */
import { expect } from 'chai';
import type { Scope } from '../../src/models/session/api-token.js';
import type { BuiltMember } from './build.js';
import { call } from './client.js';

export const TOKENS = '/api/members/me/tokens';

export interface BuiltApiToken {
  id: string;
  token: string;
}

/** A new API token of a member. */
export async function buildApiToken(
  url: string,
  { token, password }: Pick<BuiltMember, 'token' | 'password'>,
  scopes: readonly Scope[] = ['read'],
  overrides: Record<string, unknown> = {},
): Promise<BuiltApiToken> {
  const json = { name: scopes.join(), scopes, password, ...overrides };
  const { status, body } = await call(url, `POST ${TOKENS}`, { token, json });
  expect(status, JSON.stringify(body)).to.equal(201);
  return body?.data;
}
