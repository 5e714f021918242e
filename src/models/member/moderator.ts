/** Who moderates, for the conditions of statements: a role that was removed has no effect at once. */
import { statement } from '../../platform/database/statement.js';
import type { RoleOfMember } from '../moderation/role.js';

/** A condition: the member is a moderator or an admin. 0 or null: nobody. */
export const isModerator = (memberId: string): string =>
  `exists (select from members o where o.id = ${memberId} and o.role in ('MODERATOR', 'ADMIN'))`;

/** In the transaction that needs the roles. */
export const ROLES_OF = statement<[memberIds: readonly (number | null)[]], RoleOfMember>(
  'roles_of_members',
  'select id, role from members where id = any($1::bigint[])',
);
