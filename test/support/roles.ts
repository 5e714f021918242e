/** Roles and suspensions in tests. */

import { setRoleByOperator } from '../../src/commands/change-role.js';
import { decideOnMember, NO_REASONS } from '../../src/commands/decide.js';
import type { Role } from '../../src/models/moderation/role.js';
import { AppError } from '../../src/platform/errors.js';
import type { EventSource } from '../../src/services/auth/audit.js';
import type { TestApp } from './app.js';
import { type BuiltMember, buildMember } from './build.js';

function operator({ database }: Pick<TestApp, 'database'>): EventSource {
  return { config: { mail: null }, database, client: { address: '', device: 'npx daybook' }, viewer: null };
}

export const RULE = 'No advertising';
export const STATEMENT = 'The same link in 20 comments.';

export function setRole(app: Pick<TestApp, 'database'>, memberId: number, role: Role): Promise<void> {
  return setRoleByOperator(operator(app), { memberId, role });
}

export async function buildWithRole(app: TestApp, role: Role): Promise<BuiltMember> {
  const member = await buildMember(app.url);
  await setRole(app, member.id, role);
  return member;
}

/** @param until in RFC 3339; null: without end */
export async function suspend(
  app: Pick<TestApp, 'database'>,
  memberId: number,
  until: string | null = '2099-12-31T00:00:00Z',
): Promise<void> {
  await decideOnMember(operator(app), memberId, 'SUSPEND', { ...NO_REASONS, until, rule: RULE, statement: STATEMENT });
}

/** @returns whether the member was suspended */
export async function unsuspend(app: Pick<TestApp, 'database'>, memberId: number): Promise<boolean> {
  try {
    await decideOnMember(operator(app), memberId, 'UNSUSPEND', NO_REASONS);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.key === 'ALREADY_DECIDED') return false;
    throw error;
  }
}
