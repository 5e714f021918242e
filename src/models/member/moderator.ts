/** Who moderates, for the conditions of statements: a role that was removed has no effect at once. */

/** A condition: the member is a moderator or an admin. 0 or null: nobody. */
export const isModerator = (memberId: string): string =>
  `exists (select from members o where o.id = ${memberId} and o.role in ('MODERATOR', 'ADMIN'))`;
