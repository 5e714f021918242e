/** Creates rows with an original creation date in the past. */

/** The date columns of a new row; undefined for the default, the current time. */
export function timestamps(createdAt: Date | undefined) {
  return createdAt && { createdAt, updatedAt: createdAt };
}

/** Sequelize create options: Sequelize overwrites a given `updatedAt` unless `silent` is true. */
export function timestampOptions(createdAt: Date | undefined) {
  return { silent: createdAt !== undefined };
}
