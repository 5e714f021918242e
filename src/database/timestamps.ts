/** Rows that tell of something older than themselves: with the dates that it had. */

/** The columns of a new row; none where it is of now. */
export function dates(createdAt: Date | undefined) {
  return createdAt && { createdAt, updatedAt: createdAt };
}

/** The options to create it with: Sequelize keeps a date of change that it is given only where it is to be silent. */
export function keeping(createdAt: Date | undefined) {
  return { silent: createdAt !== undefined };
}
