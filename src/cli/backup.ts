/** `daybook backup`: the complete journal in one file, once or regularly. */
import { InvalidArgumentError } from 'commander';
import ms from 'ms';
import type { BackupOptions } from './backup/run.js';
import type { About, Subcommands } from './subcommand.js';

const ABOUT: About = {
  summary: 'back up the database, the images and the secrets',
  description: `
Writes all tables, waiting jobs, all images and the secret of access tokens into one file, a tar archive compressed with gzip.
It is a consistent snapshot, even while the service runs, and appears only when it is complete. A file that exists is replaced
only with --overwrite. Other settings (environment
variables) are not included. The schema may be older than this version of Daybook.

The file is readable by its owner only. It contains emails and password hashes. With a passphrase of at least 12 characters,
in a file or in BACKUP_PASSPHRASE, the secret of access tokens is encrypted; the rest is not.

In a folder, the file is named after the time in UTC. With --every, the command runs until SIGINT (Ctrl-C) or SIGTERM and
makes a backup regularly, the next one when the newest in the folder is old enough; after a failure it tries again within ten
minutes.`.trim(),
  examples: [
    ['npx daybook backup journal.tar.gz', 'into a file'],
    ['npx daybook backup journal.tar.gz --verify --passphrase-file ~/passphrase', 'with encrypted secrets, verified'],
    ['npx daybook backup - | ssh host "cat > journal.tar.gz"', 'to standard output'],
    ['npx daybook backup /var/backups/daybook --every 1d --keep 7', 'every day, and the last seven of them'],
  ],
};

export function addBackup({ add, withExitCode, terminal }: Subcommands): void {
  add('backup', ABOUT)
    .argument('<file>', 'the file to write, a folder, or - for standard output')
    .option('--every <duration>', 'make a backup into the folder regularly, such as 12h or 1d', toMilliseconds)
    .option('--keep <number>', 'number of backups to keep in the folder: older ones are deleted', toCount)
    .option('--verify', 'read the archive again, and compare its checksums')
    .option('--passphrase-file <file>', 'encrypt the secrets with the first line of this file')
    .option('--without-secrets', 'do not include the secrets')
    .option('--overwrite', 'replace the file if it exists')
    .option('--postgres <folder>', 'programs of another major version of PostgreSQL, which the data folder needs')
    .action(
      withExitCode(async (file: string, options: BackupOptions) => {
        const { runBackup } = await import('./backup/run.js');
        return runBackup(file, options, terminal);
      }),
    );
}

const UNIT_MS: Record<string, number> = { m: ms('1m'), h: ms('1h'), d: ms('1d'), w: ms('1w') };

function toMilliseconds(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,3})([mhdw])$/.exec(text) ?? [];
  const durationMs = Number(count) * (UNIT_MS[unit] ?? 0);
  if (durationMs > 0 && durationMs <= ms('366d')) return durationMs;
  throw new InvalidArgumentError('Expected a duration from 1m to 366d, such as 12h or 1d.');
}

function toCount(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a number from 1 to 9999.');
}
