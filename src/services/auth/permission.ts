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

/** Content without an author counts as that of a member. */
const MODERATION: Permission['targets'] = { MODERATOR: ['MEMBER'], ADMIN: ROLE_NAMES };

/** Those of decisions have the names of `DecisionAction`. */
export const ACTIONS = {
  CHANGE_ROLE: { about: 'Change the role of', targets: { ADMIN: ROLE_NAMES } },
  DISMISS: { about: 'Dismiss reports of, or of content of', targets: MODERATION },
  APPROVE: { about: 'Approve held comments of', targets: MODERATION },
  REMOVE: { about: 'Remove content, or delete held comments, of', targets: MODERATION },
  RESTORE: { about: 'Restore removed content of', targets: MODERATION },
  SUSPEND: { about: 'Suspend', targets: MODERATION },
  UNSUSPEND: { about: 'End the suspension of', targets: MODERATION },
  UPHOLD: { about: 'Uphold decisions on', targets: MODERATION },
} as const satisfies Readonly<Record<string, Permission>>;

export type Action = keyof typeof ACTIONS;

/** Members cannot act on themselves. */
export function isPermitted(action: Action, actor: RoleOfMember, target: RoleOfMember): boolean {
  return actor.id !== target.id && targetsOf(action, actor.role).includes(target.role);
}

/**
 * In the transaction of the action, with the roles that it has locked.
 * @throws AppError ROLE_MISSING
 */
export function requirePermission(action: Action, actor: RoleOfMember, target: RoleOfMember): void {
  if (isPermitted(action, actor, target)) return;
  requireRole(action, actor.role);
  const message = actor.id === target.id ? createMessage('notOnYourself') : createMessage('roleTooHigh', target.role);
  throw new AppError('ROLE_MISSING', { message });
}

/** Before the target is looked for, which only roles may know of. @throws AppError ROLE_MISSING if the role permits the action on no member */
export function requireRole(action: Action, role: Role): void {
  if (targetsOf(action, role).length > 0) return;
  const roles = ROLE_NAMES.filter((one) => targetsOf(action, one).length > 0);
  throw new AppError('ROLE_MISSING', { message: createMessage('roleRequired', roles) });
}

/** For what concerns the service and no member. @throws AppError ROLE_MISSING */
export function requireAdmin(role: Role): void {
  if (role !== 'ADMIN') throw new AppError('ROLE_MISSING', { message: createMessage('roleRequired', ['ADMIN']) });
}

/** The roles that permit an action for members with this role. */
export function rolesFor(action: Action, target: Role): Role[] {
  return ROLE_NAMES.filter((role) => targetsOf(action, role).includes(target));
}

function targetsOf(action: Action, role: Role): readonly Role[] {
  const { targets }: Permission = ACTIONS[action];
  return targets[role] ?? [];
}
