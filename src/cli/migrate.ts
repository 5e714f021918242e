/** `daybook migrate`: migrates the database to the schema of this build, or lists every migration as applied or pending (--dry-run). */
import type { Database } from '../platform/database/pool.js';
import { type About, DONE, type Subcommands } from './subcommand.js';
import { type Output, quantity, type Terminal } from './terminal.js';

const ABOUT: About = {
  summary: 'apply pending database migrations',
  description: `
Applies pending migrations, each in a transaction of its own, and then those of the job queue. "npm start" does the same; use
this command to migrate before a deployment, or to list pending migrations. Concurrent runs wait for each other. The service may
be running.

Migrations cannot be reverted: create a backup first (npx daybook backup), and restore it to go back.`.trim(),
  examples: [
    ['npx daybook migrate', 'apply pending migrations'],
    ['npx daybook migrate --dry-run', 'list all migrations as applied or pending, without changes'],
  ],
};

export function addMigrate({ add, withExitCode, terminal }: Subcommands): void {
  add('migrate', ABOUT)
    .option('--dry-run', 'list all migrations as applied or pending, without changes')
    .action(withExitCode(({ dryRun }: { dryRun?: boolean }) => (dryRun ? list(terminal) : apply(terminal))));
}

async function apply({ env, stdout, stderr }: Terminal): Promise<number> {
  const [{ loadConfig }, { connectDatabase }] = await load();
  const { applied, unknown, close } = await connectDatabase(loadConfig(env), (line) => stderr.write(`${line}\n`));
  await close();
  const isNewer = unknown.length > 0;
  const none = isNewer ? 'Nothing was changed: the schema is newer than this version.' : 'The database is up to date.';
  stdout.write(applied.length > 0 ? `${quantity(applied.length, 'migration')} applied.\n` : `${none}\n`);
  return DONE;
}

async function list({ env, stdout, stderr }: Terminal): Promise<number> {
  const [{ loadConfig }, { connectWith, requireJournal }] = await load();
  const config = loadConfig(env);
  await requireJournal(config);
  const { close } = await connectWith(
    config,
    (line) => stderr.write(`${line}\n`),
    (database) => writeState(database, stdout),
  );
  await close();
  return DONE;
}

async function writeState(database: Database, stdout: Output): Promise<void> {
  const { migrationState, unknownMigrations } = await import('../platform/database/migrate.js');
  const states = await migrationState(database.sequelize);
  const width = Math.max(...states.map(({ name }) => name.length)) + 2;
  for (const { name, appliedAt } of states) {
    stdout.write(`${name.padEnd(width)}${appliedAt ? `applied ${appliedAt.toISOString()}` : 'pending'}\n`);
  }
  if (states.every(({ appliedAt }) => appliedAt === null)) return;
  for (const name of await unknownMigrations(database)) stdout.write(`${name}  unknown to this version of Daybook\n`);
}

const load = () => Promise.all([import('../platform/config/index.js'), import('../models/connect-database.js')]);
