/** `daybook export`: all public data as JSON Lines, the journal as Markdown files, or one member's own data as a ZIP. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ExportOptions } from './export/run.js';
import type { About, Subcommands } from './subcommand.js';
import type { Terminal } from './terminal.js';

const ABOUT: About = {
  summary: 'export the public content, or the data of a member',
  description: `
Without --member and --markdown: all public content as JSON Lines. One line for each member (public profile), article (with tags, category
and author) and comment (with its position), sorted by ID, in the form of the REST API. The first line describes the format,
the last line contains the counts. Emails, passwords, sessions and settings are not exported.

With --markdown: a folder of Markdown files with YAML front matter, which Hugo, Eleventy and Obsidian read, with all images as
files, comments and public profiles as JSON. --all adds private articles, drafts and the content of hidden comments: "npx
daybook import" restores the journal from it, without logins. The folder must be new or empty.

With --member: all data of one member as a ZIP of JSON and Markdown files and images, with a README.txt that describes them, as
Articles 15 and 20 of the GDPR require. Give it only to that member.

Each is a consistent snapshot, even while the service runs. The file or folder appears only when it is complete.`.trim(),
  examples: [
    ['npx daybook export --output journal.ndjson', 'all public content'],
    ['npx daybook export | gzip > journal.ndjson.gz', 'the same, compressed through a pipe'],
    ['npx daybook export --markdown journal', 'public articles as Markdown files'],
    ['npx daybook export --markdown journal --all', 'with private articles and drafts'],
    ['npx daybook export --member mina@example.org --output mina.zip', 'the data of one member'],
  ],
};

export function addExport({ add, withExitCode, terminal }: Subcommands): void {
  add('export', ABOUT)
    .option('-o, --output <file>', 'output file (default: standard output)', nonEmpty)
    .option('-m, --member <id or email>', 'export the data of this member', nonEmpty)
    .addOption(
      new Option('--markdown <folder>', 'write Markdown files, images and comments into this folder')
        .argParser(nonEmpty)
        .conflicts(['output', 'member']),
    )
    .addOption(
      new Option('--all', 'with --markdown: include private articles, drafts and hidden comments').conflicts([
        'output',
        'member',
      ]),
    )
    .action(
      withExitCode((options: ExportOptions, command: Command) => {
        if (options.all && options.markdown === undefined) command.error("error: option '--all' needs '--markdown'");
        return write(options, terminal);
      }),
    );
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
