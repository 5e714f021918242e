/** `daybook seed`: fills an empty database with the sample journal. */
import type { SeedOptions } from './seed/run.js';
import type { About, Subcommands } from './subcommand.js';

const ABOUT: About = {
  summary: 'add a sample journal to an empty database',
  description: `
Adds eight members who write in Korean and English, one of them a moderator, and two who read; forty-five articles with tags,
categories, pictures, series, translations, comments, likes and views, dated over the last months; private and scheduled texts,
drafts, comments that wait for approval, and a report. It is one transaction. The service may be running.

All members share one password, which is printed only once, at the end. A database that is not empty is rejected, unless
--add is given.`.trim(),
  examples: [
    ['npx daybook seed', 'into an empty database, with a generated password'],
    ['npx daybook seed --password "an owl in the attic"', 'with a given password'],
    ['npx daybook seed --add', 'in addition to existing content'],
  ],
};

export function addSeed({ add, withExitCode, terminal }: Subcommands): void {
  add('seed', ABOUT)
    .option('--add', 'allow a database that is not empty')
    .option('--password <text>', 'password of all members, 8 to 128 characters')
    .action(
      withExitCode(async (options: SeedOptions) => {
        const { runSeed } = await import('./seed/run.js');
        return runSeed(options, terminal);
      }),
    );
}
