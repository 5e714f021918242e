/** `daybook seed`: fills an empty database with the sample journal. */

import type { About, Commands } from './command.js';
import type { SeedOptions } from './seed/command.js';

const ABOUT: About = {
  summary: 'fill an empty journal with a sample one',
  description: `
Eight members who write in Korean and English: forty articles with tags and categories, conversations under them, and
notifications, dated over the last months. All of it is added, or nothing; it can run beside the service.

All members get one password, which is printed at the end and nowhere else. A database that holds anything is refused,
unless --add says that the sample journal may go beside it.`.trim(),
  examples: [
    ['npx daybook seed', 'into an empty journal, with a password made up for it'],
    ['npx daybook seed --password "an owl in the attic"', 'with a password of your own'],
    ['npx daybook seed --add', 'beside what is there'],
  ],
};

export function addSeed({ add, withExitCode, terminal }: Commands): void {
  add('seed', ABOUT)
    .option('--add', 'add to a database that is not empty')
    .option('--password <text>', 'the password of all members, 8 to 128 characters')
    .action(
      withExitCode(async (options: SeedOptions) => {
        const { runSeed } = await import('./seed/command.js');
        return runSeed(options, terminal);
      }),
    );
}
