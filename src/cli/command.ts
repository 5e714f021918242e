/** What each command tells the program about itself. */
import type { Command } from 'commander';
import type { Terminal } from './terminal.js';

/** How a command enters the program. */
export interface Commands {
  terminal: Terminal;
  add(name: string, about: About): Command;
  /** Makes the exit code of `work` that of the program. */
  ending<Given extends unknown[]>(work: (...given: Given) => Promise<number>): (...given: Given) => Promise<void>;
}

export interface About {
  /** What it does, without a full stop: begins the description too. */
  summary: string;
  /** Paragraphs with an empty line between. */
  description: string;
  examples: Example[];
}

/** What is typed, and what it does. */
export type Example = readonly [typed: string, does: string];
