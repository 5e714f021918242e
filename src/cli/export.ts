/** `daybook export`: all public data as JSON Lines, or one member's own data as a ZIP. */
import { InvalidArgumentError } from 'commander';
import type { About, Commands } from './command.js';
import type { ExportOptions } from './export/command.js';
import type { Terminal } from './terminal.js';

const ABOUT: About = {
  summary: "write out what is public, or a member's own data",
  description: `
Without --member: everything that is public, in JSON Lines: a line for each member (the public profile), article (with
tags, category and author) and comment (with its place), in the order of ids, as the REST interface shows them. The
first line says what this is, the last one how much it holds. No email, password, session or setting is in it.

With --member: everything about one member as a ZIP of JSON files and images, with a README.txt that describes them. This
is what a member may ask for by Articles 15 and 20 of the GDPR. Hand it to nobody else.

Both are of one moment, also while the service runs. A file is there only once it is complete.`.trim(),
  examples: [
    ['npx daybook export --output journal.ndjson', 'everything that is public'],
    ['npx daybook export | gzip > journal.ndjson.gz', 'the same, through a pipe'],
    ['npx daybook export --member mina@example.org --output mina.zip', "one member's own data"],
  ],
};

export function addExport({ add, withExitCode, terminal }: Commands): void {
  add('export', ABOUT)
    .option('-o, --output <file>', 'where to write; without it, to standard output', nonEmpty)
    .option('-m, --member <id or email>', 'the member whose own data to write', nonEmpty)
    .action(withExitCode((options: ExportOptions) => write(options, terminal)));
}

async function write(options: ExportOptions, terminal: Terminal): Promise<number> {
  const { runExport } = await import('./export/command.js');
  return runExport(options, terminal);
}

/** Rejects the empty string, which usually comes from an unset shell variable. */
function nonEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected something, got nothing.');
  return text;
}
