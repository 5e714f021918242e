/** Checks that a database has no journal with content, and removes the tables of one without. */
import pg from 'pg';
import { migrations } from '../../../migrations/index.js';
import { rowsOf, tablesOf, viewsOf } from '../../platform/database/catalog.js';
import { OperatorError } from '../../platform/errors.js';

/** Names of what the migrations create: other programs may have tables and functions in the same schema. */
const CREATED = new Set(
  migrations.flatMap(({ up }) =>
    up.flatMap((sql) =>
      [
        ...sql.matchAll(
          /\b(?:create (?:or replace )?(?:unlogged )?(?:table|view|function|type) (?:if not exists )?|rename to )(\w+)/gi,
        ),
      ].map(([, name = '']) => name),
    ),
  ),
).add('migrations');

/** Accepts a database in which a service was started, but never used. @throws OperatorError, or an error if objects of another program depend on a table */
export async function clearUnused(client: pg.ClientBase): Promise<void> {
  const tables = (await tablesOf(client)).map(({ name }) => name).filter((name) => CREATED.has(name));
  if (tables.length === 0) return;
  if (!(await isJournal(client, tables))) {
    const names = tables.slice(0, 5).join(', ');
    throw new OperatorError(`The database has tables of another program (${names}). Restore into an empty database`);
  }
  const [count = { members: 0, articles: 0, others: 0 }] = await rowsOf<{
    members: number;
    articles: number;
    others: number;
  }>(
    client,
    `select (select count(*) from members)::int as members, (select count(*) from all_articles)::int as articles,
       (select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
          and (application_name = 'daybook' or application_name like 'daybook-%'))::int as others`,
  );
  if (count.members > 0 || count.articles > 0) {
    const content = `${count.members} members and ${count.articles} articles`;
    throw new OperatorError(`The database is not empty: it has ${content}. Restore into an empty database`);
  }
  if (count.others > 0) throw new OperatorError('The service uses this database: stop it, and run the command again');
  // A function with a parameter of a row type depends on its table or view, and the triggers of tables depend on other functions.
  await dropFunctions(client, OF_ROWS);
  const views = (await viewsOf(client)).filter((name) => CREATED.has(name));
  if (views.length > 0) await client.query(`drop view ${views.map((name) => pg.escapeIdentifier(name)).join(', ')}`);
  await client.query(`drop table ${tables.map((name) => pg.escapeIdentifier(name)).join(', ')}`);
  await dropFunctions(client, 'true');
  const types = await rowsOf<{ name: string }>(
    client,
    `select relname as name from pg_class
     where relname = any($1) and relkind = 'c' and relnamespace = (select oid from pg_namespace where nspname = current_schema())`,
    [[...CREATED]],
  );
  for (const { name } of types) await client.query(`drop type ${pg.escapeIdentifier(name)}`);
}

const OF_ROWS = `exists (select from pg_type t join pg_class c on c.oid = t.typrelid
  where c.relkind in ('r', 'v') and t.oid = any(p.proargtypes || p.prorettype))`;

async function dropFunctions(client: pg.ClientBase, condition: string): Promise<void> {
  const functions = await rowsOf<{ signature: string }>(
    client,
    `select oid::regprocedure as signature from pg_proc p where proname = any($1) and ${condition}
       and pronamespace = (select oid from pg_namespace where nspname = current_schema())`,
    [[...CREATED]],
  );
  if (functions.length === 0) return;
  await client.query(`drop function ${functions.map(({ signature }) => signature).join(', ')}`);
}

async function isJournal(client: pg.ClientBase, tables: readonly string[]): Promise<boolean> {
  const isThere = (name: string) => tables.includes(name);
  if (!(isThere('migrations') && isThere('members') && isThere('all_articles'))) return false;
  // Not m.name, since the table of another program may have no such column.
  const sql = "select from migrations m where to_jsonb(m) ->> 'name' = $1";
  return (await rowsOf(client, sql, [migrations[0]?.name])).length > 0;
}
