/** Changes the role of a member, by an admin or an operator. */
import { LOCK_ROLES, SET_ROLE } from '../models/member/administration.js';
import type { Role, RoleOfMember } from '../models/moderation/role.js';
import type { Transaction } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { type EventSource, recordEvent } from '../services/auth/audit.js';
import { requirePermission } from '../services/auth/permission.js';
import type { Caller, Viewer } from '../services/auth/policy.js';
import { lockAccount } from './login-methods.js';

interface RoleChange {
  memberId: number;
  role: Role;
}

/**
 * By an admin, whose own role is read again under the lock.
 * @param passwordHash from requireProof
 * @throws AppError MEMBER_NOT_FOUND, ROLE_MISSING, and the errors of `lockAccount`
 */
export function setRole(
  caller: Caller,
  viewer: Viewer,
  change: RoleChange,
  passwordHash: string | null,
): Promise<void> {
  const { database } = caller;
  return database.transaction(async (db) => {
    const roles = await db.query(LOCK_ROLES, [[viewer.memberId, change.memberId]]);
    await lockAccount(db, viewer, passwordHash);
    const target = requireIn(roles, change.memberId);
    requirePermission('CHANGE_ROLE', requireIn(roles, viewer.memberId), target);
    // The address and the device of the admin are not those of the member.
    const source = { ...caller, viewer: null, client: { ...caller.client, address: '', device: 'by an admin' } };
    const isChanged = await apply(db, source, roles, target, change.role);
    if (isChanged) await recordEvent(db, caller, { kind: 'ROLE_ASSIGNED', memberId: viewer.memberId });
  });
}

/** By an operator. @throws AppError MEMBER_NOT_FOUND, ROLE_MISSING for the last admin */
export function setRoleByOperator(source: EventSource, { memberId, role }: RoleChange): Promise<void> {
  const { database } = source;
  return database.transaction(async (db) => {
    const roles = await db.query(LOCK_ROLES, [[memberId]]);
    await apply(db, source, roles, requireIn(roles, memberId), role);
  });
}

/** @throws AppError MEMBER_NOT_FOUND also for a registration that is not confirmed */
function requireIn(roles: readonly RoleOfMember[], memberId: number): RoleOfMember {
  const found = roles.find(({ id }) => id === memberId);
  if (!found) throw new AppError('MEMBER_NOT_FOUND');
  return found;
}

/** @returns whether the role was another one. @throws AppError ROLE_MISSING for the last admin */
async function apply(
  db: Transaction,
  source: EventSource,
  roles: readonly RoleOfMember[],
  { id: memberId, role: current }: RoleOfMember,
  role: Role,
): Promise<boolean> {
  if (role === current) return false;
  const hasOther = roles.some((one) => one.role === 'ADMIN' && one.id !== memberId);
  if (current === 'ADMIN' && !hasOther) throw new AppError('ROLE_MISSING', { message: createMessage('lastAdmin') });
  await db.query(SET_ROLE, [memberId, role]);
  await recordEvent(db, source, { kind: 'ROLE_CHANGED', memberId });
  return true;
}
