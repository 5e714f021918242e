/** One step of the schema. */
export interface Migration {
  name: string;
  /** SQL, run in order. Statements that cannot run in a transaction do not belong here. */
  up: readonly string[];
}
