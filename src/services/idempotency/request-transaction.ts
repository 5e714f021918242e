/** One transaction for all changes of a request. It ends when the response is complete, so that the response can be stored in it. */
import { throwMapped } from '../../platform/database/constraint-violation.js';
import type { Database, OpenTransaction, Transaction, TransactionOptions } from '../../platform/database/pool.js';

type Work<Result> = (db: Transaction) => Promise<Result>;

/**
 * Begins with the first change: what precedes it, such as hashing a password or reading an image, holds no connection. From then on, all
 * statements of `database` run in the transaction.
 */
export class RequestTransaction {
  /** The database for the request. */
  readonly database: Database;
  #open: OpenTransaction | null = null;

  /** @param first runs first in the transaction; if it fails, so does the change */
  constructor(
    private readonly base: Database,
    private readonly first: Work<void>,
  ) {
    this.database = {
      ...base,
      query: (statement, values) => (this.#open?.db ?? base).query(statement, values),
      change: (statement, values) => this.#run((db) => db.query(statement, values)),
      transaction: (work, options) => this.#run(work, options),
    };
  }

  /** Commits after `last`. Without a change, the transaction consists of `first` and `last`. */
  async commit(last: Work<void>): Promise<void> {
    await this.#run(last);
    await this.#open?.commit();
    this.#open = null;
  }

  /** No effect if there is no transaction, or it has ended. */
  async rollBack(): Promise<void> {
    await this.#open?.rollBack();
    this.#open = null;
  }

  async #run<Result>(work: Work<Result>, options?: TransactionOptions): Promise<Result> {
    if (this.#open) return work(this.#open.db).catch(throwMapped);
    const { result, ...open } = await this.base.begin(async (db) => {
      await this.first(db);
      return work(db);
    }, options);
    this.#open = open;
    return result;
  }
}
