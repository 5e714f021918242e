/**
 * The execution of a prepared statement on one connection. That of pg asks PostgreSQL for the columns with each execution, and creates a description of
 * the result for rows of any form.
 */
import { type Connection, type Field, prepareValue } from './internals.js';
import type { PreparedText } from './statement.js';

type Parse = (text: string) => unknown;

interface Column {
  readonly name: string;
  readonly parse: Parse;
}

/** Is called once. @param error null for success */
type Done = (error: Error | null, rows: object[]) => void;

/** The columns of the rows of statements, by their names. */
export type KnownColumns = Map<string, readonly Column[]>;

export class PreparedQuery {
  readonly name: string;
  readonly text: string;
  readonly #done: Done;
  readonly #values: readonly unknown[];
  readonly #known: KnownColumns;
  readonly #parserOf: (type: number) => Parse;
  readonly #rows: object[] = [];
  #columns: readonly Column[] = [];
  #failure: Error | null = null;

  constructor(
    { name, text }: PreparedText,
    values: readonly unknown[],
    known: KnownColumns,
    parserOf: (type: number) => Parse,
    done: Done,
    /** Commits after it in the same round trip, unless it fails. */
    private readonly commits = false,
  ) {
    this.name = name;
    this.text = text;
    this.#values = values;
    this.#known = known;
    this.#parserOf = parserOf;
    this.#done = done;
  }

  /** With one write. @returns the error if nothing was sent */
  submit(connection: Connection): Error | null {
    const { name, text } = this;
    const parsed = connection.parsedStatements[name];
    if (parsed !== undefined && parsed !== text) return new Error(`There are two statements with the name ${name}`);
    // Only now: an execution that this one has waited for may have asked for them.
    const known = this.#known.get(name);
    if (known) this.#columns = known;
    connection.stream.cork();
    try {
      if (parsed === undefined) connection.parse({ name, text });
      connection.bind({ statement: name, values: this.#values, valueMapper: prepareValue });
      if (!known) connection.describe({ type: 'P' });
      connection.execute();
      if (this.commits) {
        connection.parse({ name: '', text: 'commit' });
        connection.bind({ statement: '', values: [], valueMapper: prepareValue });
        connection.execute();
      }
    } catch (error) {
      this.#failure = error as Error;
    } finally {
      connection.sync();
      connection.stream.uncork();
    }
    return null;
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: this.#parserOf(dataTypeID) }));
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const row: Record<string, unknown> = {};
    try {
      for (let index = 0; index < fields.length; index++) {
        const { name, parse } = this.#columns[index] as Column;
        const text = fields[index];
        row[name] = text == null ? null : parse(text);
      }
      this.#rows.push(row);
    } catch (error) {
      this.#failure ??= error as Error;
    }
  }

  handleCommandComplete(): void {
    // The unnamed statement is another one each time.
    if (this.name !== '') this.#known.set(this.name, this.#columns);
  }

  handleReadyForQuery(): void {
    this.#done(this.#failure, this.#rows);
  }

  handleError(error: Error): void {
    this.#done(this.#failure ?? error, []);
  }
}
