/** One transaction for all changes of a request. It ends when the response is complete, so that the response can be stored in it. */
import type { Transaction } from 'sequelize';
import type { Database, TransactionOptions } from '../../platform/database/pool.js';
import { wrapDatabase } from '../../platform/database/wrapped-database.js';
import { AppError } from '../../platform/errors.js';

type InTransaction = (transaction: Transaction) => Promise<void>;

interface Ending {
  readonly commit: (last: InTransaction) => void;
  readonly rollBack: (reason: Error) => void;
}

/**
 * Begins with the first change: what precedes it, such as hashing a password or reading an image, holds no connection. From then on, all
 * statements of `database` run in the transaction, one after another.
 */
export class RequestTransaction {
  /** The database for the request. */
  readonly database: Database;
  #open: Transaction | null = null;
  /** Settles when the transaction has ended. */
  #ended: Promise<void> = Promise.resolve();
  #ending: Ending | null = null;
  #lastStatement: Promise<unknown> = Promise.resolve();

  /** @param begin runs first in the transaction; if it fails, so does the change */
  constructor(
    private readonly base: Database,
    private readonly begin: InTransaction,
  ) {
    this.database = wrapDatabase(base, {
      query: (statement, values) =>
        this.#open
          ? this.#queued((open) => base.query(statement, values, open), this.#open)
          : base.query(statement, values),
      change: (statement, values) => this.#inTransaction((open) => base.query(statement, values, open)),
      inTransaction: (work, options) => this.#inTransaction(work, options),
    });
  }

  /** Commits after `last`. Without a change, the transaction consists of `begin` and `last`. */
  async commit(last: InTransaction): Promise<void> {
    if (!this.#open) await this.#inTransaction(async () => {});
    this.#ending?.commit(last);
    await this.#ended;
  }

  /** No effect if there is no transaction, or it has ended. */
  async rollBack(): Promise<void> {
    this.#ending?.rollBack(new Error('The request has failed'));
    await this.#ended.catch(() => {});
  }

  #inTransaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result> {
    if (this.#open) return work(this.#open);
    return new Promise((resolve, reject) => {
      this.#ended = this.base.inTransaction(async (transaction) => {
        // PostgreSQL rolled the transaction back when it ended, because of a deadlock: the response was built from its rows.
        if (this.#ending) throw new AppError('SERVICE_UNAVAILABLE');
        await this.begin(transaction);
        const result = await work(transaction);
        this.#open = transaction;
        const last = await new Promise<InTransaction>((commit, rollBack) => {
          this.#ending = { commit, rollBack };
          resolve(result);
        });
        await last(transaction);
      }, options);
      this.#ended.catch(reject).finally(() => {
        this.#open = null;
      });
    });
  }

  /** Statements of one connection run one after another. */
  #queued<Result>(work: (transaction: Transaction) => Promise<Result>, open: Transaction): Promise<Result> {
    const result = this.#lastStatement.then(() => work(open));
    this.#lastStatement = result.catch(() => {});
    return result;
  }
}
