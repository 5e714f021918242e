/** `daybook restore`: loads a backup into an empty database. */
import type { RestoreOptions } from './restore/run.js';
import type { About, Subcommands } from './subcommand.js';

const ABOUT: About = {
  summary: 'restore a backup into an empty database, or verify it',
  description: `
Loads the tables, jobs, images and secrets of an archive that "npx daybook backup" wrote, and then applies the migrations that
are newer than the archive. The backup may come from an earlier version of Daybook, from any version of PostgreSQL, and from an
embedded database or one at DATABASE_URL. A database that contains members or articles, or that a running service uses, is
rejected. The embedded database of another major version of PostgreSQL is set aside, and a new one is created.

Drafts stay, but their schedules are removed: after a restore, it is not known which of them were published meanwhile, changed
or deleted. --keep-schedules keeps them.

The archive is verified completely before anything is changed, except from standard input. A restore that fails or is
interrupted leaves the database, the images and the secrets unchanged.

Restore only archives that you trust: their rows become the content of your journal.`.trim(),
  examples: [
    ['npx daybook restore journal.tar.gz', 'into the configured database'],
    ['npx daybook restore journal.tar.gz --verify', 'verifies the archive, and needs no database'],
    ['npx daybook restore - < journal.tar.gz', 'from standard input'],
  ],
};

export function addRestore({ add, withExitCode, terminal }: Subcommands): void {
  add('restore', ABOUT)
    .argument('<file>', 'the archive, or - for standard input')
    .option('--verify', 'only verify the archive, and print what it contains')
    .option('--passphrase-file <file>', 'decrypt the secrets with the first line of this file')
    .option('--without-secrets', 'keep the current secrets: all members have to log in again')
    .option(
      '--keep-schedules',
      'keep the schedules of drafts: those whose time has passed are published at the next start',
    )
    .action(
      withExitCode(async (file: string, options: RestoreOptions) => {
        const { runRestore } = await import('./restore/run.js');
        return runRestore(file, options, terminal);
      }),
    );
}
