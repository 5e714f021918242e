/** Locks of a migration beside a service that reads and writes the same tables. */
import { setTimeout as delay } from 'node:timers/promises';
import ms from 'ms';
import type pg from 'pg';
import { OperatorError } from '../errors.js';
import type { Migration } from './migration.js';
import { sqlState } from './pool.js';

/**
 * Time in which all locks of a migration have to be acquired. Requests that need a table wait behind the migration meanwhile, so it is
 * short at first. It stays below `deadlock_timeout` of PostgreSQL (one second): in a deadlock the migration gives up, not a request.
 */
const FIRST_TIMEOUT_MS = 100;
const MAX_TIMEOUT_MS = 800;
/** Pause between two attempts, as a multiple of the time that requests may have waited. */
const PAUSE_FACTOR = 2;
/**
 * An automatic vacuum holds a lock that conflicts with those of migrations, and ends after another transaction has waited for it for
 * `deadlock_timeout`. A request for the same lock makes it end, and blocks no reads or writes.
 */
const VACUUM_TIMEOUT_MS = 10_000;
/** A backup or an export may read a table for minutes. */
const GIVE_UP_AFTER_MS = ms('10m');
const REPORT_INTERVAL_MS = 10_000;

/**
 * The order in which the transactions of requests lock the tables, other tables come after them. In another order, a request that has
 * locked one table would wait for the next one behind the migration, which would wait for that request.
 */
const ORDER = [
  'comments',
  'articles',
  'all_articles',
  'article_tags',
  'all_article_tags',
  'tags',
  'categories',
  'members',
];

/** SQLSTATEs: deadlock_detected, lock_not_available. The transaction has been rolled back, and can be repeated. */
const RETRIABLE = new Set(['40P01', '55P03']);

export interface LockOptions {
  /** Receives a sentence while other transactions hold the locks. */
  onProgress?: (line: string) => void;
  giveUpAfterMs?: number;
  /** Ends the wait for the locks. */
  signal?: AbortSignal;
}

/**
 * Runs `work` in a transaction that has locked the tables of the migration. Repeats it until all locks are available.
 * @throws OperatorError that names the transactions that hold the locks, after `giveUpAfterMs`
 */
export async function withTableLocks(
  client: pg.Client,
  { name, locks }: Pick<Migration, 'name' | 'locks'>,
  work: () => Promise<void>,
  { onProgress = () => {}, giveUpAfterMs = GIVE_UP_AFTER_MS, signal }: LockOptions = {},
): Promise<void> {
  const startedAt = performance.now();
  let reportedAt = startedAt;
  for (let timeoutMs = FIRST_TIMEOUT_MS; ; timeoutMs = Math.min(timeoutMs * 2, MAX_TIMEOUT_MS)) {
    try {
      await client.query('begin');
      await lockTables(client, locks, timeoutMs);
      await work();
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      if (!RETRIABLE.has(sqlState(error) ?? '')) throw error;
    }
    const waiting = async () => `The migration ${name} waits for ${await holders(client, Object.keys(locks))}`;
    if (performance.now() - startedAt > giveUpAfterMs) throw new OperatorError(await waiting());
    if (performance.now() - reportedAt > REPORT_INTERVAL_MS) {
      reportedAt = performance.now();
      onProgress(`${await waiting()}.`);
    }
    await delay(timeoutMs * PAUSE_FACTOR * (1 + Math.random()), undefined, signal && { signal });
  }
}

async function lockTables(client: pg.Client, locks: Migration['locks'], timeoutMs: number): Promise<void> {
  const tables = Object.keys(locks);
  if (tables.length > 0) {
    await client.query(`set local lock_timeout = ${VACUUM_TIMEOUT_MS};
      lock table ${tables.join(', ')} in share update exclusive mode`);
  }
  const deadline = performance.now() + timeoutMs;
  const place = (table: string) => (ORDER.includes(table) ? ORDER.indexOf(table) : ORDER.length);
  for (const [table, mode] of Object.entries(locks).sort(([one], [other]) => place(one) - place(other))) {
    // 0 would mean no timeout.
    const remainingMs = Math.max(1, Math.ceil(deadline - performance.now()));
    await client.query(`set local lock_timeout = ${remainingMs}; lock table ${table} in ${mode} mode`);
  }
  await client.query(`set local lock_timeout = ${timeoutMs}`);
}

const HOLDERS = `
  select a.pid, a.application_name as program, string_agg(distinct l.relation::regclass::text, ', ') as tables,
    extract(epoch from clock_timestamp() - min(a.xact_start))::int as seconds
  from pg_locks l join pg_stat_activity a using (pid)
  where l.granted and l.relation = any($1::text[]::regclass[])
    and l.database = (select oid from pg_database where datname = current_database()) and a.pid <> pg_backend_pid()
  group by 1, 2 order by seconds desc nulls last limit 3`;

/** Describes the longest transactions that have locked one of the tables. */
async function holders(client: pg.Client, tables: readonly string[]): Promise<string> {
  const { rows } = await client.query<{ pid: number; program: string; tables: string; seconds: number | null }>(
    HOLDERS,
    [tables],
  );
  const found = rows.map(
    (row) => `process ${row.pid} of PostgreSQL (${row.program || 'unnamed'}, ${row.tables}, ${row.seconds ?? 0} s)`,
  );
  return found.length > 0 ? `other transactions: ${found.join('; ')}` : 'locks of other transactions';
}
