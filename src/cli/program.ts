/** The Commander program `daybook` with all its subcommands: takes arguments, returns an exit code. */
import { Command, CommanderError } from 'commander';
import { VERSION } from '../platform/version.js';
import { addArticle } from './article.js';
import { addBackup } from './backup.js';
import { addChanges } from './changes.js';
import { addComment } from './comment.js';
import { addDoctor } from './doctor.js';
import { addExport } from './export.js';
import { addImport } from './import.js';
import { addInvite } from './invite.js';
import { addMember } from './member.js';
import { addMigrate } from './migrate.js';
import { addModeration } from './moderation.js';
import { addRestore } from './restore.js';
import { addSeed } from './seed.js';
import { addStart } from './start.js';
import { type About, DONE, type Example, FAILED, MISUSED, type Subcommands, sentences } from './subcommand.js';
import type { Terminal } from './terminal.js';
import { addToken } from './token.js';
import { addWebhook } from './webhook.js';

const DESCRIPTION = `The backend of a journal: GraphQL and REST APIs on PostgreSQL.

Settings are environment variables, as for "npm start" (docs/configuration.md). Commands that need the database start the
embedded PostgreSQL, or share the one of a running service.`;

const EXIT_CODES = `
Exit codes: ${DONE} success, ${FAILED} failure, with an error message on standard error,
${MISUSED} invalid arguments.

Run "npx daybook <command> --help" for details and examples of a command.`;

const COMMANDS = [
  ...[addStart, addMigrate, addImport, addExport, addBackup, addRestore, addSeed, addDoctor],
  ...[addInvite, addMember, addToken, addArticle, addComment, addModeration, addChanges, addWebhook],
];

/** Never throws. */
export async function runCommand(args: string[], terminal: Terminal): Promise<number> {
  try {
    return await parse(args.length > 0 ? args : ['--help'], terminal);
  } catch (error) {
    // Commander has already written its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : MISUSED;
    terminal.stderr.write(sentences(error));
    if (terminal.env.LOG_LEVEL === 'debug') terminal.stderr.write(`${(error as Error).stack}\n`);
    return FAILED;
  }
}

async function parse(args: string[], terminal: Terminal): Promise<number> {
  let code = DONE;
  const program = buildProgram(terminal, (exitCode) => {
    code = exitCode;
  });
  await program.parseAsync(args, { from: 'user' });
  return code;
}

/** @param end called with the exit code of the subcommand that ran */
export function buildProgram(terminal: Terminal, end: (code: number) => void): Command {
  const program = emptyProgram(terminal);
  const commandsOf = (parent: Command, path: string): Subcommands => ({
    terminal,
    add: (name, about) => addDescribed(parent, path, name, about),
    addGroup: (name, about) => {
      const group = addDescribed(parent, path, name, about).usage('<command> [options]').helpCommand(false);
      return commandsOf(group, `${path}${name} `);
    },
    withExitCode:
      (work) =>
      async (...args) =>
        end(await work(...args)),
  });
  const commands = commandsOf(program, '');
  for (const add of COMMANDS) add(commands);
  return program.hook('preAction', (_, command) => reportMisspelled(command.name(), terminal));
}

/** Before the subcommand: with a misspelled DATABASE_URL it would use another database. `doctor` has a finding instead. */
async function reportMisspelled(command: string, { env, stderr }: Terminal): Promise<void> {
  if (command === 'doctor') return;
  const { misspelledSettings } = await import('../platform/config/misspelled-settings.js');
  for (const sentence of misspelledSettings(env)) stderr.write(`${sentence}\n`);
}

function addDescribed(parent: Command, path: string, name: string, { summary, description, examples }: About): Command {
  return parent
    .command(name)
    .summary(summary)
    .description(unwrapped(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.\n\n${description}`))
    .addHelpText('after', examplesText(examples))
    .showHelpAfterError(`See "npx daybook ${path}${name} --help".`);
}

/** Columns of the help text where the output is not a terminal. */
const DEFAULT_COLUMNS = 80;

function emptyProgram({ stdout, stderr }: Terminal): Command {
  return new Command('daybook')
    .usage('<command> [options]')
    .description(unwrapped(DESCRIPTION))
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', EXIT_CODES)
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? DEFAULT_COLUMNS,
      getErrHelpWidth: () => stderr.columns ?? DEFAULT_COLUMNS,
      outputError: (text, write) => write(toSentence(text)),
    })
    .showHelpAfterError('See "npx daybook --help".')
    .exitOverride();
}

/** Rewrites Commander's "error: unknown option '--al'\n(Did you mean --all?)" as a sentence like the other messages. */
function toSentence(text: string): string {
  const [message = '', hint] = text.trim().split('\n');
  const sentence = message.replace(/^error: /, '').replace(/\.$/, '');
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.${hint ? ` ${hint.slice(1, -1)}` : ''}\n`;
}

function examplesText(examples: Example[]): string {
  return ['', 'Examples:', ...examples.map(([typed, does]) => `  $ ${typed}\n      ${does}`)].join('\n');
}

/** Joins the lines of each paragraph: Commander wraps them to the width of the terminal. */
function unwrapped(text: string): string {
  return text.replace(/(?<!\n)\n(?!\n)/g, ' ');
}
