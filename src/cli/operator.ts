/** What the commands for operators share: the connection, the confirmation, and the audit trail. */
import { createInterface } from 'node:readline/promises';
import { type EventSource, recordEvent, type SecurityEvent } from '../auth/audit.js';
import { type Config, loadConfig } from '../config/index.js';
import type { Database } from '../database/pool.js';
import { connectToExisting } from '../models/connect.js';
import { ADMINISTERED_MEMBER, type AdministeredMember } from '../models/member/administration.js';
import { CliError, DONE } from './subcommand.js';
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

  /** Writes a line to standard output. */
  readonly print = (line: string): void => {
    this.#terminal.stdout.write(`${line}\n`);
  };

  /** @param question what is done, without a question mark. @throws {CliError} unless the operator types `yes` */
  async confirm(question: string): Promise<void> {
    if (this.#isConfirmed) return;
    const { stdin, stderr } = this.#terminal;
    if (!stdin?.isTTY) throw new CliError(`${question}: confirm it with --yes`);
    const dialog = createInterface({ input: stdin, output: stderr });
    const reply = await dialog.question(`${question}. Type "yes" to continue: `);
    dialog.close();
    if (reply.trim().toLowerCase() !== 'yes') throw new CliError('Nothing was changed');
  }

  /** The source of events: no network address, and the command in place of a device. */
  get source(): EventSource {
    const client = { address: '', device: `npx daybook ${this.#command}` };
    return { config: { mail: null }, database: this.database, client, viewer: null };
  }

  /** The source for a command whose transaction then ends with this event. */
  recording(event: SecurityEvent): EventSource {
    const { database } = this;
    const inTransaction: Database['inTransaction'] = (work) =>
      database.inTransaction(async (transaction) => {
        const result = await work(transaction);
        await recordEvent(this.source, event, transaction);
        return result;
      });
    return { ...this.source, database: { ...database, inTransaction } };
  }

  /** @throws {CliError} if there is no such member */
  async member(idOrEmail: string): Promise<AdministeredMember> {
    const isId = /^[1-9]\d{0,17}$/.test(idOrEmail);
    const [found] = await this.database.query(ADMINISTERED_MEMBER, isId ? [idOrEmail, null] : [null, idOrEmail]);
    if (!found) throw new CliError(`No member has the ${isId ? 'ID' : 'email'} ${JSON.stringify(idOrEmail)}`);
    return found;
  }
}

/** Runs a command for operators, whether or not the service is running. @param command its name, for the audit trail */
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
