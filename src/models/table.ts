/** Single rows of a table that a Sequelize model describes: statements that lock, add, change and delete one row. */
import type { InferAttributes, Model, ModelStatic } from 'sequelize';
import { getAttributes, getOptions } from 'sequelize-typescript';
import { columnOf } from '../platform/database/columns.js';
import type { Transaction } from '../platform/database/pool.js';
import { type Statement, statement } from '../platform/database/statement.js';
import { type ErrorKey } from '../platform/error-keys.js';
import { AppError } from '../platform/errors.js';
import { hasAccessSql } from './session/access.js';

/** Throws if this row must not be changed. */
export type Check<Of extends Model> = (row: InferAttributes<Of>) => void;

/** As Check, with statements in the transaction that has locked the row. */
export type CheckUnderLock<Of extends Model> = (row: InferAttributes<Of>, db: Transaction) => void | Promise<void>;

/** What a change of a row by a request requires. */
export interface Guard<Of extends Model> {
  /** Of the session or API token. */
  readonly credentialId: string;
  readonly check: Check<Of>;
}

/** Undefined: the column keeps its value, or has its default in a new row. */
type Values<Row> = { readonly [Name in keyof Row]?: Row[Name] | undefined };

/** What the database sets in a new row. */
type Generated<Row> = Pick<Row, Extract<keyof Row, 'id' | 'createdAt' | 'updatedAt'>>;

/** An input for some columns. Null and undefined both mean no value. */
type Inputs<Row, Name extends keyof Row> = { readonly [Key in Name]?: Row[Key] | null | undefined };

type WithoutNull<Of> = { [Name in keyof Of]: Exclude<Of[Name], null> };

/** The part of an input that is written into the columns of a table. */
export type InputFor<Table> = Table extends RowTable<infer Of, infer Name> ? Inputs<InferAttributes<Of>, Name> : never;

export class RowTable<Of extends Model, Input extends keyof InferAttributes<Of> = never> {
  readonly #name: string;
  /** The columns of the model, by their names in a row. Statements contain no other. */
  readonly #names: readonly string[];
  readonly #lock: Statement<[id: number, credentialId: string | null], InferAttributes<Of> & { hasAccess: boolean }>;
  readonly #delete: Statement<[id: number], never>;

  /**
   * @param missing the error key if there is no such row
   * @param inputs the columns that take the value of the field with the same name in an input: no other field of an input is written
   */
  constructor(
    model: ModelStatic<Of>,
    private readonly missing: ErrorKey,
    private readonly inputs: readonly Input[] = [],
  ) {
    this.#name = getOptions(model.prototype)?.tableName ?? '';
    this.#names = Object.keys(getAttributes(model.prototype));
    this.#lock = statement(
      `lock_row_of_${this.#name}`,
      `select ${this.select('t')}, ${hasAccessSql('$2')} as "hasAccess" from ${this.#name} t where id = $1 for update`,
    );
    this.#delete = statement(`delete_row_of_${this.#name}`, `delete from ${this.#name} where id = $1`);
  }

  /** An SQL select list: the columns with these names, if they exist. @param alias of the table */
  select(alias = this.#name, names = this.#names): string {
    const existing = names.filter((name) => this.#names.includes(name));
    return existing.map((name) => `${alias}.${columnOf(name)} as "${name}"`).join(', ');
  }

  /** The values of an input for the columns of this table. */
  valuesOf<Given extends Inputs<InferAttributes<Of>, Input>>(
    input: Given,
  ): WithoutNull<Pick<Given, Input & keyof Given>> {
    const given = this.inputs.filter((name) => input[name] != null).map((name) => [name, input[name]]);
    return Object.fromEntries(given);
  }

  /** The values of a row for the columns that another table has too. */
  shared<Other extends Model, OtherInput extends keyof InferAttributes<Other>>(
    other: RowTable<Other, OtherInput>,
    row: InferAttributes<Of>,
  ): Pick<InferAttributes<Of>, keyof InferAttributes<Of> & keyof InferAttributes<Other>> {
    const shared = Object.entries(row).filter(([name]) => other.#names.includes(name));
    return Object.fromEntries(shared) as Pick<InferAttributes<Of>, keyof InferAttributes<Of>>;
  }

  /**
   * Locks the row (FOR UPDATE), and checks it under the lock, before the transaction changes it.
   * @param credentialId the UUID of the session or API token, if the request may have waited since its check
   * @throws AppError UNAUTHENTICATED if the session or API token has ended; with the key `missing`, and the errors of `check`
   */
  async lock(
    db: Transaction,
    id: number,
    check: CheckUnderLock<Of>,
    credentialId: string | null = null,
  ): Promise<InferAttributes<Of>> {
    const [row] = await db.query(this.#lock, [id, credentialId]);
    if (!row) throw new AppError(this.missing);
    if (!row.hasAccess) throw new AppError('UNAUTHENTICATED');
    await check(row, db);
    return row;
  }

  /** A row with a `createdAt` in the past was updated then, too; with an `updatedAt` that is undefined, it is updated now. */
  async insert<Given extends Values<InferAttributes<Of>>>(
    db: Transaction,
    values: Given,
  ): Promise<Given & Generated<InferAttributes<Of>>> {
    const { createdAt } = values as { createdAt?: Date };
    const [names, parameters] = this.#given({ ...(createdAt && { updatedAt: createdAt }), ...values });
    const places = names.map((_, index) => `$${index + 1}`);
    const text = `insert into ${this.#name} (${names.map(columnOf).join(', ')}) values (${places.join(', ')})
      returning ${this.select(this.#name, ['id', 'createdAt', 'updatedAt'])}`;
    const [generated] = await db.query(this.#composed('insert', names, text), parameters);
    return { ...values, ...(generated as Generated<InferAttributes<Of>>) };
  }

  /** @param row the locked one: without a difference, no statement is executed. @returns the row after the change */
  async update<Row extends Values<InferAttributes<Of>> & { id: number }>(
    db: Transaction,
    row: Row,
    changes: Values<InferAttributes<Of>>,
  ): Promise<Row> {
    const current = row as Readonly<Record<string, unknown>>;
    const [names, parameters] = this.#given(changes, (name, value) => value !== current[name]);
    if (names.length === 0) return row;
    const set = names.map((name, index) => `${columnOf(name)} = $${index + 2}`);
    // Not the time of the beginning of the transaction, which may have waited for the lock.
    const touched = this.#names.includes('updatedAt') ? ['updated_at = clock_timestamp()'] : [];
    const text = `update ${this.#name} set ${[...set, ...touched].join(', ')} where id = $1
      returning ${this.select(this.#name, ['id', 'updatedAt'])}`;
    const [changed] = await db.query(this.#composed('update', names, text), [row.id, ...parameters]);
    return { ...row, ...changes, ...(changed as object) };
  }

  async delete(db: Transaction, id: number): Promise<void> {
    await db.query(this.#delete, [id]);
  }

  /** The names and values of the given columns, in the order of the table. */
  #given(values: object, isGiven = (_name: string, _value: unknown) => true): [names: string[], values: unknown[]] {
    const all = values as Readonly<Record<string, unknown>>;
    const names = this.#names.filter((name) => all[name] !== undefined && isGiven(name, all[name]));
    return [names, names.map((name) => all[name])];
  }

  /** The same name for the same columns, since PostgreSQL stores the statement by the first 63 characters of its name. */
  #composed(verb: string, names: readonly string[], text: string): Statement<readonly unknown[], object> {
    const bits = names.reduce((sum, name) => sum + 2 ** this.#names.indexOf(name), 0);
    return { name: `${verb}_row_of_${this.#name}_${bits}`, text, isComposed: true };
  }
}
