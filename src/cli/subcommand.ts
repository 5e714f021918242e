/**
 * What the subcommands of `daybook` share: registration with the Commander program, exit codes, and error messages.
 * `<name>.ts` registers a subcommand and `<name>/run.ts` runs it. The latter is imported when the subcommand runs: with all
 * of them loaded, `--help` takes more than ten times as long.
 */
import { type Command, InvalidArgumentError } from 'commander';
import { explainDisplayName, MAX_NAME_LENGTH, MIN_DISPLAY_NAME_LENGTH } from '../platform/display-name/rules.js';
import { isEmailAddress } from '../platform/email-address.js';
import { oneLine } from '../platform/errors.js';
import type { Terminal } from './terminal.js';

/** Passed to each command to register itself. */
export interface Subcommands {
  terminal: Terminal;
  add(name: string, about: About): Command;
  /** Adds a command that has subcommands only. @returns registers these */
  addGroup(name: string, about: About): Subcommands;
  /** Wraps a Commander action: the exit code that `work` resolves to becomes that of the program. */
  withExitCode<Given extends unknown[]>(work: (...given: Given) => Promise<number>): (...given: Given) => Promise<void>;
}

export interface About {
  /** What the command does, without a period; also the first sentence of the description. */
  summary: string;
  /** Paragraphs separated by empty lines. */
  description: string;
  examples: Example[];
}

/** A command line, and a description of its effect. */
export type Example = readonly [typed: string, does: string];

export const DONE = 0;
export const FAILED = 1;
/** Invalid usage: an unknown command or option, or a bad argument. */
export const MISUSED = 2;

/** One sentence per line: a ConfigError has one for each invalid setting. */
export function sentences(error: unknown): string {
  const text = error instanceof Error && error.name === 'ConfigError' ? error.message : `${oneLine(error)}.`;
  return `${text}\n`;
}

/** The innermost `cause`: libraries wrap the error that has the useful message. */
export function rootCause(error: unknown): unknown {
  const { cause } = Object(error) as { cause?: unknown };
  return cause instanceof Error && cause !== error ? rootCause(cause) : error;
}

export function wholeNumber(text: string, min: number): number {
  const value = Number(text);
  if (text !== '' && Number.isSafeInteger(value) && value >= min) return value;
  throw new InvalidArgumentError(`Expected a whole number from ${min}.`);
}

/** What `textOf` accepts. */
export const lineOf = (maxCharacters: number): string => `1 to ${maxCharacters} characters in one line`;

/** A parser for a text that is not blank, of at most this many characters. */
export function textOf(maxCharacters: number): (text: string) => string {
  return (text) => {
    const trimmed = text.trim().normalize('NFC');
    if (trimmed !== '' && [...trimmed].length <= maxCharacters && !/\p{Cc}/u.test(trimmed)) return trimmed;
    throw new InvalidArgumentError(`Expected ${lineOf(maxCharacters)}.`);
  };
}

export function emailAddress(text: string): string {
  if (isEmailAddress(text)) return text;
  throw new InvalidArgumentError('Expected an email address.');
}

export function displayName(text: string): string {
  const name = text.trim().normalize('NFC');
  const { length } = [...name];
  if (length < MIN_DISPLAY_NAME_LENGTH || length > MAX_NAME_LENGTH)
    throw new InvalidArgumentError(`Expected ${MIN_DISPLAY_NAME_LENGTH} to ${MAX_NAME_LENGTH} characters.`);
  const wrong = explainDisplayName(name);
  if (wrong) throw new InvalidArgumentError(`The nickname ${wrong.in('en')}.`);
  return name;
}
