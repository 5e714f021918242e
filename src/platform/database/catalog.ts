/** The tables and sequences of the schema, from the catalog of PostgreSQL: subcommands that process all of them need no list. */
import type pg from 'pg';

/** Objects of extensions belong to the extension. */
const OWN = `c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

export interface CatalogTable {
  name: string;
  /** Without generated columns, whose values PostgreSQL computes. */
  columns: string[];
}

export function tablesOf(client: pg.ClientBase): Promise<CatalogTable[]> {
  return rowsOf(
    client,
    `select c.relname as name, array(
       select a.attname from pg_attribute a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum
     )::text[] as columns
     from pg_class c where c.relkind = 'r' and ${OWN} order by c.relname collate "C"`,
  );
}

export async function viewsOf(client: pg.ClientBase): Promise<string[]> {
  const sql = `select c.relname as name from pg_class c where c.relkind = 'v' and ${OWN} order by c.relname collate "C"`;
  return (await rowsOf<{ name: string }>(client, sql)).map(({ name }) => name);
}

/** Includes those of identity columns. */
export async function sequencesOf(client: pg.ClientBase): Promise<string[]> {
  const sql = `select c.relname as name from pg_class c where c.relkind = 'S' and ${OWN} order by c.relname collate "C"`;
  return (await rowsOf<{ name: string }>(client, sql)).map(({ name }) => name);
}

export interface ForeignKey {
  table: string;
  name: string;
  /** Such as `FOREIGN KEY (article_id) REFERENCES articles(id) ON DELETE CASCADE`. */
  definition: string;
}

/** In the order of their creation, in which their triggers run. */
export function foreignKeysOf(client: pg.ClientBase): Promise<ForeignKey[]> {
  return rowsOf(
    client,
    `select c.relname as table, k.conname as name, pg_get_constraintdef(k.oid) as definition
     from pg_constraint k join pg_class c on c.oid = k.conrelid
     where k.contype = 'f' and ${OWN} order by k.oid`,
  );
}

export interface Reference {
  table: string;
  column: string;
}

/** Columns with ids of members and articles that triggers check in place of foreign keys (docs/decisions/withdrawal.md). */
export function checkedReferencesOf(client: pg.ClientBase): Promise<Reference[]> {
  return rowsOf(
    client,
    `select c.relname as table, regexp_replace(p.proname, '_required$', '') as column
     from pg_trigger t join pg_proc p on p.oid = t.tgfoid join pg_class c on c.oid = t.tgrelid
     where p.proname ~ '_id_required$' and ${OWN} order by 1, 2`,
  );
}

export interface Index {
  table: string;
  name: string;
  /** `CREATE INDEX …`. */
  definition: string;
  /** `ALTER INDEX …`, for each column with a statistics target. */
  statistics: string[];
}

/** Without those of primary keys and unique constraints. In the order of their creation. */
export function indexesOf(client: pg.ClientBase): Promise<Index[]> {
  return rowsOf(
    client,
    `select c.relname as table, i.relname as name, pg_get_indexdef(i.oid) as definition, array(
       select format('alter index %s alter column %s set statistics %s', i.oid::regclass, a.attnum, a.attstattarget)
       from pg_attribute a where a.attrelid = i.oid and a.attstattarget >= 0
     ) as statistics
     from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
     where ${OWN} and not exists (select from pg_constraint k where k.conindid = i.oid and k.contype in ('p', 'u', 'x'))
     order by i.oid`,
  );
}

export async function rowsOf<Row extends object>(
  client: pg.ClientBase,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await client.query<Row>(sql, [...values]);
  return rows;
}
