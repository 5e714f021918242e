/** Check of `daybook doctor` for replicas: reachable standby servers of the same primary, and how far they are behind. */
import type pg from 'pg';
import { describeDatabaseUrl } from '../../platform/config/database-url.js';
import type { Config } from '../../platform/config/index.js';
import { BoundedClient } from '../../platform/database/bounded-client.js';
import { isTransactionPooler } from '../../platform/database/pooler-mode.js';
import { oneLine } from '../../platform/errors.js';
import { type Finding, failure, ok, warning } from './finding.js';

const REPLICA = 'Replica';
const TIMEOUT_MS = 5_000;
const BYTES_PER_MB = 1024 * 1024;
/** The lag from which few reads find the current state. */
const MAX_LAG_MB = 16;

interface State {
  isStandby: boolean;
  system: string;
  /** Position in the write-ahead log, in bytes. */
  position: number | null;
}

const STATE = `select pg_is_in_recovery() as "isStandby", (select system_identifier::text from pg_control_system()) as system,
  pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, '0/0')::float8 as position`;

export async function checkReplicas({ databaseUrl, databaseReplicaUrls: urls }: Config): Promise<Finding[]> {
  if (databaseUrl === null || urls.length === 0) return [];
  const primary = await readState(databaseUrl).catch(() => null);
  return Promise.all(urls.map((url) => checkReplica(url, primary)));
}

async function checkReplica(url: string, primary: State | null): Promise<Finding> {
  const name = describeDatabaseUrl(url);
  try {
    if (await isTransactionPooler(url)) {
      const advice = 'Set DATABASE_REPLICA_URLS to the servers themselves, or to poolers in session mode.';
      return failure(REPLICA, `${name} is a pooler in transaction mode.`, advice);
    }
    return describe(name, await readState(url), primary);
  } catch (error) {
    const advice = 'Check that the server is running with hot_standby = on, and check DATABASE_REPLICA_URLS.';
    return warning(REPLICA, `${name} cannot be reached, and is not used: ${oneLine(error)}.`, advice);
  }
}

function describe(name: string, replica: State, primary: State | null): Finding {
  const advice = 'Set DATABASE_REPLICA_URLS to standby servers (streaming replication) of DATABASE_URL.';
  if (!replica.isStandby) return warning(REPLICA, `${name} is not a standby, and is not used.`, advice);
  if (primary && primary.system !== replica.system)
    return failure(REPLICA, `${name} is a standby of another server.`, advice);
  if (primary?.position == null || replica.position === null) return ok(REPLICA, `${name} is a standby.`);
  const lagMb = Math.max(0, primary.position - replica.position) / BYTES_PER_MB;
  const message = `${name} is a standby, ${lagMb.toFixed(1)} MB of the write-ahead log behind.`;
  if (lagMb < MAX_LAG_MB) return ok(REPLICA, message);
  return warning(REPLICA, message, 'Check that the replication is running and not paused: it serves few reads.');
}

async function readState(connectionString: string): Promise<State> {
  const client: pg.Client = new BoundedClient({ connectionString, application_name: 'daybook doctor' });
  await client.connect();
  try {
    const query = { text: STATE, query_timeout: TIMEOUT_MS };
    const { rows } = await client.query<State>(query);
    if (!rows[0]) throw new Error('it returned no row');
    return rows[0];
  } finally {
    client.end().catch(() => {});
  }
}
