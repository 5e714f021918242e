/** The private tables of graphile-worker are as src/platform/database/queue-tables.ts expects. */
import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { ROOT } from '../../../src/cli/generate/files.js';
import { useApp } from '../../support/app.js';

const app = useApp();

/** Adapt queue-tables.ts to a new version of graphile-worker before this list. */
const COLUMNS = [
  '_private_job_queues: id integer, queue_name text, locked_at timestamp with time zone, locked_by text, is_available boolean',
  '_private_jobs: id bigint, job_queue_id integer, task_id integer, payload json, priority smallint, run_at timestamp with time zone, ' +
    'attempts smallint, max_attempts smallint, last_error text, created_at timestamp with time zone, ' +
    'updated_at timestamp with time zone, key text, locked_at timestamp with time zone, locked_by text, revision integer, flags jsonb, ' +
    'is_available boolean',
  '_private_known_crontabs: identifier text, known_since timestamp with time zone, last_execution timestamp with time zone',
  '_private_tasks: id integer, identifier text',
];

describe('The private tables of graphile-worker', () => {
  it('have the columns that the statements of queue-tables.ts were written for', async () => {
    const [rows] = await app.database.sequelize.query(`
      select table_name || ': ' || string_agg(column_name || ' ' || data_type, ', ' order by ordinal_position) as line
      from information_schema.columns
      where table_schema = 'graphile_worker' and table_name like '\\_private%' group by table_name order by table_name`);
    expect((rows as { line: string }[]).map(({ line }) => line)).to.deep.equal(COLUMNS);
  });

  it('are mentioned in no other module', async () => {
    const names = (await readdir(new URL('src/', ROOT), { recursive: true })).filter((name) => name.endsWith('.ts'));
    const users: string[] = [];
    for (const name of names) {
      if ((await readFile(new URL(`src/${name}`, ROOT), 'utf8')).includes('graphile_worker._private_'))
        users.push(name);
    }
    expect(users).to.deep.equal(['platform/database/queue-tables.ts']);
  });
});
