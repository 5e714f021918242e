/**
 * What the roles of members permit. Everything that is not listed is denied. What authors may do with their own content and with comments on
 * their articles is in policy.ts.
 */
import { ROLE_NAMES, type Role, type RoleOfMember } from '../../models/moderation/role.js';
import { AppError } from '../../platform/errors.js';
import { createMessage } from '../../platform/messages/message.js';

interface Permission {
  /** Such as "change the role of". */
  readonly about: string;
  /** For each role that permits the action, the roles of the members whom it permits it for. */
  readonly targets: Readonly<Partial<Record<Role, readonly Role[]>>>;
}

export const ACTIONS = {
  CHANGE_ROLE: { about: 'Change the role of', targets: { ADMIN: ROLE_NAMES } },
} as const satisfies Readonly<Record<string, Permission>>;

export type Action = keyof typeof ACTIONS;

/** Nobody acts on themselves. */
export function isPermitted(action: Action, actor: RoleOfMember, target: RoleOfMember): boolean {
  return actor.id !== target.id && targetsOf(action, actor.role).includes(target.role);
}

/**
 * In the transaction of the action, with the roles that it has locked.
 * @throws AppError ROLE_MISSING
 */
export function requirePermission(action: Action, actor: RoleOfMember, target: RoleOfMember): void {
  if (isPermitted(action, actor, target)) return;
  if (targetsOf(action, actor.role).length === 0) {
    const roles = ROLE_NAMES.filter((role) => targetsOf(action, role).length > 0);
    throw new AppError('ROLE_MISSING', { message: createMessage('roleRequired', roles) });
  }
  const message = actor.id === target.id ? createMessage('notOnYourself') : createMessage('roleTooHigh', target.role);
  throw new AppError('ROLE_MISSING', { message });
}

function targetsOf(action: Action, role: Role): readonly Role[] {
  const { targets }: Permission = ACTIONS[action];
  return targets[role] ?? [];
}
