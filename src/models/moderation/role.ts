/** The roles of members, and a condition of statements on them. What they permit: services/auth/permission.ts. */

export const ROLES = {
  MEMBER: 'Reads and writes.',
  MODERATOR: 'Also decides on the content of members, and suspends members.',
  ADMIN: 'Also decides on moderators and their content, and changes roles.',
} as const;

export type Role = keyof typeof ROLES;

export const ROLE_NAMES = Object.keys(ROLES) as Role[];

export interface RoleOfMember {
  id: number;
  role: Role;
}

/**
 * A condition: the member is a moderator or an admin, and not suspended. 0 or null: false. A scalar subquery, which PostgreSQL evaluates with one
 * lookup; instead of `exists`, it could read the whole table.
 */
export const isModerator = (memberId: string): string =>
  `coalesce((select true from acting_moderators o where o.id = ${memberId}), false)`;
