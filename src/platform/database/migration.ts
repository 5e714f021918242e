/** One schema migration. CONTRIBUTING.md ("Adding a migration") describes what it may do. */

/** The lock of `create trigger` and of foreign keys, which permits reads; that of `alter table` and `drop`. */
export type TableLock = 'share row exclusive' | 'access exclusive';

export interface Migration {
  name: string;
  /**
   * The existing tables that `up` locks. They are locked before the first statement, so that the transaction does not wait for
   * another table while it blocks requests.
   */
  locks: Readonly<Record<string, TableLock>>;
  /** SQL, run in order in one transaction. */
  up: readonly string[];
  /** `create index` statements for existing tables. After `up`, they are run with `concurrently`, which blocks no requests. */
  indexes?: readonly string[];
}

/** All statements of a migration, for a database that serves no requests. */
export function statementsOf({ up, indexes = [] }: Migration): readonly string[] {
  return [...up, ...indexes];
}
