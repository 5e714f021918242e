/** The roles of members. What they permit: services/auth/permission.ts. */

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
