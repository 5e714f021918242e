/** Complete comparison of two databases: definitions, rows, sequences and jobs, without the rows that backups omit. */
import pg from 'pg';
import { OMITTED } from '../../src/cli/backup/snapshot.js';
import { runDaybook } from './cli.js';
import { emptyDatabase, execute } from './database.js';

export interface DatabaseState {
  definitions: string[];
  /** A digest of all rows by table. */
  rows: Record<string, string>;
  sequences: unknown[];
  jobs: unknown[];
}

const DEFINITIONS = `
select concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated,
  a.attstattarget, pg_get_expr(d.adbin, d.adrelid)) as text
from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on (d.adrelid, d.adnum) = (c.oid, a.attnum)
where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'i')
union all select concat_ws(' ', conname, conrelid::regclass, pg_get_constraintdef(oid), convalidated)
from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'
union all select concat_ws(' ', pg_get_triggerdef(t.oid), tgenabled) from pg_trigger t where not tgisinternal
union all select pg_get_indexdef(indexrelid) from pg_index join pg_class c on c.oid = indexrelid
where c.relnamespace = 'public'::regnamespace
union all select concat_ws(' ', viewname, definition) from pg_views where schemaname = 'public'
union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
order by 1`;

const JOBS = `
select t.identifier, j.payload::text, q.queue_name, j.run_at, j.attempts, j.max_attempts, j.key, j.priority, j.flags,
  case when j.attempts >= j.max_attempts then j.last_error end as failure
from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
  left join graphile_worker._private_job_queues q on q.id = j.job_queue_id order by j.id`;

export async function stateOf(url: string): Promise<DatabaseState> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const select = async (sql: string) => (await client.query(sql)).rows;
    const tables = await select(`select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`);
    const rows: Record<string, string> = {};
    for (const { name } of tables) {
      // A restore renews the generation of the feed of changes.
      if (OMITTED.has(name) || name === 'change_feed') continue;
      const [{ digest }] = await select(
        `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest from ${name} t`,
      );
      rows[name] = digest;
    }
    const hasJobs = (await select(`select to_regclass('graphile_worker.jobs') is not null as yes`))[0].yes;
    return {
      definitions: (await select(DEFINITIONS)).map(({ text }) => text),
      rows,
      sequences: await select(
        `select sequencename, last_value from pg_sequences where schemaname = 'public' order by 1`,
      ),
      jobs: hasJobs ? await select(JOBS) : [],
    };
  } finally {
    await client.end();
  }
}

/** The number of rows in the tables whose rows are not part of backups. */
export async function omittedRowsIn(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const counts = [...OMITTED].map((name) => `(select count(*)::int from ${name})`);
    return (await client.query(`select ${counts.join(' + ')} as rows`)).rows[0].rows;
  } finally {
    await client.end();
  }
}

/** An empty database whose owner is not a superuser. @returns the URL with which the owner connects */
export async function ownedDatabase(name: string): Promise<string> {
  const url = new URL(await emptyDatabase(name));
  const role = `${name}_owner`;
  await execute([
    `do $$ begin if not exists (select from pg_roles where rolname = '${role}') then
       create role ${role} login password 'of-the-tests'; end if; end $$`,
    `alter database ${name} owner to ${role}`,
  ]);
  url.username = role;
  url.password = 'of-the-tests';
  return url.href;
}

/** The names of all tables and schemas, without those of PostgreSQL. */
export async function objectsIn(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`select n.nspname || '.' || c.relname as name from pg_class c
    join pg_namespace n on n.oid = c.relnamespace where n.nspname !~ '^(pg_|information_schema)'
    union all select nspname from pg_namespace where nspname !~ '^(pg_|information_schema|public)' order by 1`);
  await client.end();
  return rows.map(({ name }) => name);
}

/** The public export of a database. */
export async function publicExport(DATABASE_URL: string): Promise<string> {
  const { stdout, code, stderr } = await runDaybook(['export'], { DATABASE_URL, PUBLIC_URL: 'https://journal.test' });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}
