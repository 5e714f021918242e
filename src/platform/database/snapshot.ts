/** Reads of one response in one state of the data: a read-only transaction with isolation level REPEATABLE READ. */
import { setImmediate } from 'node:timers/promises';
import type { Database, SnapshotTransaction } from './pool.js';
import type { PreparedText } from './statement.js';

/** Begins with its first statement. Its statements run one after another. */
export class Snapshot {
  /** For statements that only read. Changes do not take part in the snapshot. */
  readonly database: Database;
  readonly #base: Database;
  #transaction: Promise<SnapshotTransaction> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  readonly #waits: Promise<unknown>[] = [];
  #hasEnded = false;

  constructor(base: Database) {
    this.#base = base;
    this.database = { ...base, snapshot: this, query: (statement, values) => this.#query(statement, values) };
  }

  beginAfter<Result>(wait: Promise<Result>): Promise<Result> {
    this.#waits.push(wait);
    return wait;
  }

  /** Statements that run then are the last ones. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#last;
    const transaction = await this.#transaction?.catch(() => null);
    await transaction?.end();
  }

  #query<Row>(statement: PreparedText, values: readonly unknown[]): Promise<Row[]> {
    // A field whose result is no longer used, since another one has failed.
    if (this.#hasEnded) return Promise.reject(new Error('The snapshot has ended'));
    this.#transaction ??= this.#beginAfterWaits();
    const rows = Promise.all([this.#transaction, this.#last]).then(([transaction]) =>
      transaction.query<Row>(statement, values),
    );
    this.#last = rows.catch(() => {});
    return rows;
  }

  async #beginAfterWaits(): Promise<SnapshotTransaction> {
    // All root fields are called in the same turn of the event loop.
    await setImmediate();
    await Promise.allSettled(this.#waits);
    return this.#base.beginSnapshot();
  }
}
