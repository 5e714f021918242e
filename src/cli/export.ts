/** `daybook export`: all public data as JSON Lines, or one member's own data as a ZIP. */
import { InvalidArgumentError } from 'commander';
import type { ExportOptions } from './export/run.js';
import type { About, Subcommands } from './subcommand.js';
import type { Terminal } from './terminal.js';

const ABOUT: About = {
  summary: 'export the public content, or the data of a member',
  description: `
Without --member: all public content as JSON Lines. One line for each member (public profile), article (with tags, category
and author) and comment (with its position), sorted by ID, in the form of the REST API. The first line describes the format,
the last line contains the counts. Emails, passwords, sessions and settings are not exported.

With --member: all data of one member as a ZIP of JSON files and images, with a README.txt that describes them, as Articles
15 and 20 of the GDPR require. Give it only to that member.

Both are a consistent snapshot, even while the service runs. The output file appears only when it is complete.`.trim(),
  examples: [
    ['npx daybook export --output journal.ndjson', 'all public content'],
    ['npx daybook export | gzip > journal.ndjson.gz', 'the same, compressed through a pipe'],
    ['npx daybook export --member mina@example.org --output mina.zip', 'the data of one member'],
  ],
};

export function addExport({ add, withExitCode, terminal }: Subcommands): void {
  add('export', ABOUT)
    .option('-o, --output <file>', 'output file (default: standard output)', nonEmpty)
    .option('-m, --member <id or email>', 'export the data of this member', nonEmpty)
    .action(withExitCode((options: ExportOptions) => write(options, terminal)));
}

async function write(options: ExportOptions, terminal: Terminal): Promise<number> {
  const { runExport } = await import('./export/run.js');
  return runExport(options, terminal);
}

/** Rejects the empty string, which usually comes from an unset shell variable. */
function nonEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected a value, got an empty string.');
  return text;
}
