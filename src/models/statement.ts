/** Prepared statements, as the models declare them. */

/** A statement that PostgreSQL parses and plans once per connection, under its name. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** Only a type: what one row looks like. */
  readonly row?: Row;
}

export function statement<Row>(name: string, text: string): Statement<Row> {
  return { name, text };
}
