/** The interface between the commands and the Commander program: registration, help texts and exit codes. */
import type { Command } from 'commander';
import type { Terminal } from './terminal.js';

/** Passed to each command to register itself. */
export interface Commands {
  terminal: Terminal;
  add(name: string, about: About): Command;
  /** Wraps a Commander action: the exit code that `work` resolves to becomes that of the program. */
  ending<Given extends unknown[]>(work: (...given: Given) => Promise<number>): (...given: Given) => Promise<void>;
}

export interface About {
  /** What the command does, without a full stop; also the first sentence of the description. */
  summary: string;
  /** Paragraphs separated by empty lines. */
  description: string;
  examples: Example[];
}

/** A command line, and a description of its effect. */
export type Example = readonly [typed: string, does: string];
