/** What the subcommands for operators share: the connection, the confirmation, and the audit trail. */
import { createInterface } from 'node:readline/promises';
import { connectToExisting } from '../models/connect-database.js';
import { knownAddress } from '../models/member/address.js';
import { ADMINISTERED_MEMBER, type AdministeredMember } from '../models/member/administration.js';
import { type Config, loadConfig } from '../platform/config/index.js';
import type { Database, Transaction } from '../platform/database/pool.js';
import { OperatorError } from '../platform/errors.js';
import { type EventSource, recordEvent, type SecurityEvent } from '../services/auth/audit.js';
import { DONE } from './subcommand.js';
import type { Terminal } from './terminal.js';

export interface OperatorOptions {
  /** Whether to change data without a confirmation. */
  yes?: boolean;
}

export class Operator {
  readonly config: Config;
  readonly database: Database;
  readonly #terminal: Terminal;
  readonly #command: string;
  readonly #isConfirmed: boolean;

  constructor(
    { config, database }: { config: Config; database: Database },
    terminal: Terminal,
    command: string,
    { yes = false }: OperatorOptions,
  ) {
    this.config = config;
    this.database = database;
    this.#terminal = terminal;
    this.#command = command;
    this.#isConfirmed = yes;
  }

  /** Writes lines to standard output. */
  readonly print = (lines: string): void => {
    this.#terminal.stdout.write(`${withoutControls(lines)}\n`);
  };

  /** @param question what is done, without a question mark. @throws {OperatorError} unless the operator types `yes` */
  async confirm(question: string): Promise<void> {
    if (this.#isConfirmed) return;
    const { stdin, stderr } = this.#terminal;
    if (!stdin?.isTTY) throw new OperatorError(`${question}: confirm it with --yes`);
    const dialog = createInterface({ input: stdin, output: stderr });
    const reply = await dialog.question(`${withoutControls(question)}. Type "yes" to continue: `);
    dialog.close();
    if (reply.trim().toLowerCase() !== 'yes') throw new OperatorError('Nothing was changed');
  }

  /** The source of events: no network address, and the subcommand in place of a device. Emails about decisions are sent by the service. */
  get source(): EventSource {
    const client = { address: '', device: `npx daybook ${this.#command}` };
    return { config: this.config, database: this.database, client, viewer: null };
  }

  /** Runs `work` in a transaction that ends with the event. */
  record(event: SecurityEvent, work: (db: Transaction) => Promise<void>): Promise<void> {
    return this.database.transaction(async (db) => {
      await work(db);
      await recordEvent(db, this.source, event);
    });
  }

  /** @throws {OperatorError} if there is no such member */
  async member(idOrEmail: string): Promise<AdministeredMember> {
    const isId = /^[1-9]\d{0,17}$/.test(idOrEmail);
    const [found] = await this.database.query(
      ADMINISTERED_MEMBER,
      isId ? [idOrEmail, null] : [null, await knownAddress(this.database, idOrEmail)],
    );
    if (!found) throw new OperatorError(`No member has the ${isId ? 'ID' : 'email'} ${JSON.stringify(idOrEmail)}`);
    return found;
  }
}

/** Characters that control a terminal or the direction of its text, which the texts of members can contain. */
const CONTROLS = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** With their escapes in JSON. */
function withoutControls(text: string): string {
  return text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Runs a subcommand for operators, whether or not the service is running. @param command its name, for the audit trail */
export async function asOperator(
  terminal: Terminal,
  command: string,
  options: OperatorOptions,
  work: (operator: Operator) => Promise<void>,
): Promise<number> {
  const config = loadConfig(terminal.env);
  const { database, close } = await connectToExisting(config, (line) => terminal.stderr.write(`${line}\n`));
  try {
    await work(new Operator({ config, database }, terminal, command, options));
    return DONE;
  } finally {
    await close();
  }
}
