/** Roles and suspensions in tests. */

import { suspendMember, unsuspendMember } from '../../src/commands/administer-member.js';
import { setRoleByOperator } from '../../src/commands/change-role.js';
import type { Role } from '../../src/models/moderation/role.js';
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
export function suspend(
  app: Pick<TestApp, 'database'>,
  memberId: number,
  until: string | null = '2099-12-31T00:00:00Z',
): Promise<void> {
  return suspendMember(operator(app), memberId, { until, rule: RULE, statement: STATEMENT });
}

export function unsuspend(app: Pick<TestApp, 'database'>, memberId: number): Promise<boolean> {
  return unsuspendMember(operator(app), memberId);
}
