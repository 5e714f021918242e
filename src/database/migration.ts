/** One schema migration. */
export interface Migration {
  name: string;
  /** SQL, run in order in a transaction: statements such as `create index concurrently` are not possible. */
  up: readonly string[];
}
