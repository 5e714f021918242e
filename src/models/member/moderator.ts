/** Who moderates, for the conditions of statements: a role that was removed, or whose member is suspended, has no effect at once. */

/**
 * A condition: the member is a moderator or an admin, and not suspended. 0 or null: false. A scalar subquery, which PostgreSQL evaluates with one
 * lookup; instead of `exists`, it could read the whole table.
 */
export const isModerator = (memberId: string): string =>
  `coalesce((select o.role <> 'MEMBER' and coalesce(o.suspended_until <= now(), true) from members o where o.id = ${memberId}), false)`;
