/** `daybook migrate`: migrates the database to the schema of this build, or lists every migration as applied or pending (--dry-run). */
import type { Database } from '../database/pool.js';
import { type About, type Commands, DONE } from './command.js';
import type { Output, Terminal } from './terminal.js';

const ABOUT: About = {
  summary: 'bring the database to the newest schema',
  description: `
Applies the migrations that are pending, in one transaction, and then those of the job queue. "npm start" does the
same: this is for those who want to do it before, or to look first. Several at once wait for each other.

Migrations only go forward: back up before, and to go back restore.`.trim(),
  examples: [
    ['npx daybook migrate', 'apply what is pending'],
    ['npx daybook migrate --dry-run', 'list every migration as applied or pending, and change nothing'],
  ],
};

export function addMigrate({ add, withExitCode, terminal }: Commands): void {
  add('migrate', ABOUT)
    .option('--dry-run', 'change nothing: list every migration as applied or pending')
    .action(withExitCode(({ dryRun }: { dryRun?: boolean }) => (dryRun ? list(terminal) : apply(terminal))));
}

async function apply({ env, stdout, stderr }: Terminal): Promise<number> {
  const [{ loadConfig }, { connectDatabase }] = await load();
  const { applied, close } = await connectDatabase(loadConfig(env), (line) => stderr.write(`${line}\n`));
  await close();
  stdout.write(applied.length > 0 ? `${applied.length} migrations applied.\n` : 'The database is up to date.\n');
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
  const { migrationState } = await import('../database/migrate.js');
  for (const { name, appliedAt } of await migrationState(database.sequelize)) {
    stdout.write(`${name.padEnd(24)}${appliedAt ? `applied ${appliedAt.toISOString()}` : 'pending'}\n`);
  }
}

const load = () => Promise.all([import('../config/index.js'), import('../models/connect.js')]);
