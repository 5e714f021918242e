/** Database checks of `daybook doctor`: read-only queries for version, privileges, clock skew, migrations and jobs. */
import { join } from 'node:path';
import type pg from 'pg';
import { migrations } from '../../../migrations/index.js';
import { STATE_OF_CHANGES } from '../../models/change.js';
import { STATES_OF_WEBHOOKS, type WebhookState } from '../../models/webhook/webhook.js';
import { describeDatabaseUrl } from '../../platform/config/database-url.js';
import type { Config } from '../../platform/config/index.js';
import { readSecrets } from '../../platform/config/secrets.js';
import { BoundedClient } from '../../platform/database/bounded-client.js';
import { connectionAdvice, isTransactionPooler, USE_SESSIONS } from '../../platform/database/connection-advice.js';
import { installedBinaries, majorOf } from '../../platform/database/embedded/binaries.js';
import { clusterMajor } from '../../platform/database/embedded/data-directory.js';
import { MIGRATE_MAJOR } from '../../platform/database/embedded/embedded.js';
import { readPostmaster } from '../../platform/database/embedded/server.js';
import { urlOf } from '../../platform/database/embedded/server-lock.js';
import { describeUnknown, RUN_NEWER_VERSION, withoutKnown } from '../../platform/database/migrate.js';
import { FUTURE_SCHEDULES } from '../../platform/database/queue-tables.js';
import { oneLine } from '../../platform/errors.js';
import { type Finding, failure, note, ok, warning } from './finding.js';

const DATABASE = 'Database';

interface DatabaseLocation {
  url: string;
  /** For messages; contains no user name or password. */
  name: string;
}

/** @returns a finding if there is no database to connect to */
async function findDatabase({ databaseUrl: url, dataDir }: Config): Promise<DatabaseLocation | Finding> {
  if (url !== null) return { url, name: describeDatabaseUrl(url) };
  const cluster = join(dataDir, 'postgres');
  const made = await clusterMajor(dataDir);
  const { version } = await installedBinaries();
  if (made === '')
    return note(DATABASE, `None exists yet: the first start creates one in ${dataDir}, with PostgreSQL ${version}.`);
  if (made !== majorOf(version))
    return failure(
      DATABASE,
      `${cluster} was created by PostgreSQL ${made}, but ${version} is installed.`,
      MIGRATE_MAJOR,
    );
  const running = await readPostmaster(cluster);
  if (!running?.isReady) {
    const message = 'The embedded PostgreSQL is not running: its content, such as pending migrations, was not checked.';
    return warning(DATABASE, message, 'Run the command again while the service runs.');
  }
  const { databasePassword: password } = await readSecrets(dataDir);
  return { url: urlOf({ port: running.port, password }), name: `the embedded server on port ${running.port}` };
}

/** Statement timeout. */
const TIMEOUT_MS = 5_000;

export async function checkDatabase(config: Config): Promise<Finding[]> {
  const location = await findDatabase(config);
  if ('health' in location) return [location];
  const client = new BoundedClient({
    connectionString: location.url,
    settings: { statement_timeout: TIMEOUT_MS },
    application_name: 'daybook doctor',
  });
  try {
    // First, because the parameters of `client` would remain in a session of the pooler.
    if (await isTransactionPooler(location.url))
      return [failure(DATABASE, `${location.name} is a pooler in transaction mode.`, `${USE_SESSIONS}.`)];
    await client.connect();
  } catch (error) {
    return [failure(DATABASE, `${location.name} cannot be reached: ${oneLine(error)}.`, adviceOf(error))];
  }
  try {
    return await examine(client, location, config);
  } finally {
    await client.end();
  }
}

function adviceOf(error: unknown): string {
  const otherwise = 'Check that PostgreSQL is running, and that DATABASE_URL contains its host and port.';
  return connectionAdvice(error) ?? otherwise;
}

interface State {
  version: string;
  versionNumber: number;
  encoding: string;
  locale: string;
  foldsCase: boolean;
  isReadOnly: boolean;
  mayCreate: boolean;
  /** Seconds by which the clock of the database server is ahead of the local clock. */
  ahead: number;
  freeConnections: number;
  hasMigrations: boolean;
  hasJobs: boolean;
}

const STATE = `
  select current_setting('server_version') as version, current_setting('server_version_num')::int as "versionNumber",
    pg_encoding_to_char(d.encoding) as encoding,
    coalesce(to_jsonb(d)->>'datlocale', to_jsonb(d)->>'daticulocale', d.datcollate) as locale,
    lower('ÄÖÉ') = 'äöé' as "foldsCase", current_setting('transaction_read_only')::bool as "isReadOnly",
    has_database_privilege(d.oid, 'create') and coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreate",
    extract(epoch from clock_timestamp() - $1::timestamptz)::float as ahead,
    current_setting('max_connections')::int - (select count(*) from pg_stat_activity)::int as "freeConnections",
    to_regclass('migrations') is not null as "hasMigrations",
    to_regclass('graphile_worker.jobs') is not null as "hasJobs"
  from pg_database d where d.datname = current_database()`;

async function examine(client: pg.Client, { name }: DatabaseLocation, config: Config): Promise<Finding[]> {
  const { rows } = await client.query<State>(STATE, [new Date()]);
  const [state] = rows;
  if (!state) throw new Error('pg_database has no row for the current database');
  return [
    checkVersion(state, name),
    ...checkUse(state, config),
    checkClock(state),
    await checkMigrations(client, state),
    ...(await checkJobs(client, state)),
    ...(await checkChanges(client)),
    ...(await checkWebhooks(client)),
  ];
}

const MIN_VERSION = 140_000;

function checkVersion({ version, versionNumber }: State, name: string): Finding {
  if (versionNumber >= MIN_VERSION) return ok(DATABASE, `PostgreSQL ${version} responds (${name}).`);
  return failure(DATABASE, `PostgreSQL ${version} is too old (${name}).`, 'Use PostgreSQL 14 or later.');
}

/** Returns findings for problems only. */
function checkUse(state: State, { databasePoolSize, workers }: Config): Finding[] {
  const { encoding, locale, foldsCase, isReadOnly, mayCreate, freeConnections } = state;
  const findings: Finding[] = [];
  const addFailure = (message: string, advice: string) => findings.push(failure(DATABASE, message, advice));
  if (encoding !== 'UTF8')
    addFailure(`Its encoding is ${encoding}.`, 'Create a new one with "createdb -E UTF8 -T template0".');
  if (isReadOnly) addFailure('It is read-only.', 'Set DATABASE_URL to the primary server, not a standby.');
  if (!mayCreate)
    addFailure('This user cannot create schemas or tables in it.', 'Make the user the owner of the database.');
  if (!foldsCase) {
    const advice =
      'Create a new one with a locale that defines letter case, for example "createdb -l C.UTF-8 -T template0".';
    const message = `Its locale ${locale} does not fold the case of non-ASCII letters, so emails and names that differ only in case are distinct.`;
    findings.push(warning(DATABASE, message, advice));
  }
  if (freeConnections < databasePoolSize * (workers ?? 1)) {
    const each = workers === null ? '' : ` for each of ${workers} workers`;
    const message = `It has ${freeConnections} free connections, but DATABASE_POOL_SIZE is ${databasePoolSize}${each}.`;
    findings.push(warning(DATABASE, message, 'Raise max_connections of the server, or lower DATABASE_POOL_SIZE.'));
  }
  return findings;
}

/** A larger clock skew is a warning, above FAILURE_SKEW_SECONDS a failure: the times of articles come from the first clock, those of sessions from the second. */
const MAX_SKEW_SECONDS = 2;
const FAILURE_SKEW_SECONDS = 60;

function checkClock({ ahead }: State): Finding {
  const about = 'Clocks';
  const seconds = Math.abs(ahead);
  if (seconds <= MAX_SKEW_SECONDS) return ok(about, 'The clocks of this machine and the database agree.');
  const message = `The clock of the database is ${seconds.toFixed(0)} seconds ${ahead > 0 ? 'ahead of' : 'behind'} this machine.`;
  const advice =
    'Synchronize both with NTP: otherwise times of articles are wrong, and ID tokens of login providers may be rejected.';
  return seconds > FAILURE_SKEW_SECONDS ? failure(about, message, advice) : warning(about, message, advice);
}

async function checkMigrations(client: pg.Client, { hasMigrations }: State): Promise<Finding> {
  const about = 'Schema';
  if (!hasMigrations) return note(about, 'It does not exist yet: the first start or "npx daybook migrate" creates it.');
  const { rows } = await client.query<{ name: string }>(
    'select name from migrations where isfinite(applied_at) order by name',
  );
  const applied = rows.map(({ name }) => name);
  const unknown = withoutKnown(applied);
  if (unknown.length > 0) return failure(about, describeUnknown('It', unknown), RUN_NEWER_VERSION);
  const expected = migrations.map(({ name }) => name);
  const pending = expected.filter((name) => !applied.includes(name));
  if (pending.length === 0) return ok(about, `All ${expected.length} migrations are applied.`);
  return failure(about, `Pending: ${pending.join(', ')}.`, 'Run "npx daybook migrate", or start the service.');
}

async function checkJobs(client: pg.Client, { hasJobs }: State): Promise<Finding[]> {
  const about = 'Jobs';
  if (!hasJobs) return [];
  const { rows } = await client.query<{ waiting: number; failed: number }>(
    `select count(*) filter (where attempts < max_attempts)::int as waiting,
            count(*) filter (where attempts >= max_attempts and key is not null)::int as failed from graphile_worker.jobs`,
  );
  const { waiting = 0, failed = 0 } = rows[0] ?? {};
  const schedules = await checkSchedules(client);
  if (failed === 0) return [ok(about, `${waiting} waiting, none failed.`), ...schedules];
  const advice = 'Find the cause with "select last_error from graphile_worker.jobs" and in the log.';
  return [warning(about, `${failed} failed after the maximum number of attempts.`, advice), ...schedules];
}

/** Above it, no process gives numbers to changes: a service does every second. */
const MAX_CHANGE_SECONDS = 60;

/** A copy contains nothing that shows what was in the feed after it. */
const AFTER_A_COPY =
  'If a copy of the database or of its disk was put back, run "npx daybook changes reset" for copies of the journal and webhooks.';

/** Nothing before the tables exist. */
async function checkChanges(client: pg.Client): Promise<Finding[]> {
  const about = 'Changes';
  const { rows: tables } = await client.query<{ exists: boolean }>(
    `select to_regclass('change_log') is not null as exists`,
  );
  if (!tables[0]?.exists) return [];
  const { rows } = await client.query<{ waiting: string; oldestSeconds: number; isReady: boolean }>(
    STATE_OF_CHANGES.text,
  );
  const { waiting = '0', oldestSeconds = 0, isReady = true } = rows[0] ?? {};
  if (oldestSeconds > MAX_CHANGE_SECONDS) {
    const message = `${waiting} changes wait for their number in the feed, the oldest for ${oldestSeconds.toFixed(0)} seconds.`;
    return [
      warning(about, message, 'A running service numbers them every second: start it, or look for errors in its log.'),
    ];
  }
  if (!isReady) return [note(about, 'A running service is filling the feed of changes from the journal.')];
  return [ok(about, `${waiting} wait for their number in the feed. ${AFTER_A_COPY}`)];
}

/** Longer than the first attempts of a message take. */
const MAX_WEBHOOK_SECONDS = 3_600;

/** Returns findings for problems only; nothing before the table exists. */
async function checkWebhooks(client: pg.Client): Promise<Finding[]> {
  const about = 'Webhooks';
  const { rows: tables } = await client.query<{ exists: boolean }>(
    `select to_regclass('webhooks') is not null as exists`,
  );
  if (!tables[0]?.exists) return [];
  const { rows } = await client.query<WebhookState>(STATES_OF_WEBHOOKS.text);
  return rows.flatMap(({ id, enabled, disabledReason, failures, result, oldestSeconds }) => {
    if (!enabled) {
      const why = disabledReason === null ? 'by an admin' : `(${disabledReason})`;
      const since = disabledReason === 'expired' || disabledReason === 'restored' ? ' --since latest' : '';
      const advice = `Run "npx daybook webhook resume ${id}${since}", or "npx daybook webhook remove ${id}".`;
      return [warning(about, `Webhook ${id} was disabled ${why}.`, advice)];
    }
    const isOld = oldestSeconds > MAX_WEBHOOK_SECONDS;
    if (failures === 0 && !isOld) return [];
    const hours = isOld ? ` has not delivered a change for ${(oldestSeconds / 3_600).toFixed(0)} hours` : '';
    const failed = failures > 0 ? ` fails with ${result} (attempts that failed in a row: ${failures})` : '';
    const message = `Webhook ${id}${[failed, hours].filter(Boolean).join(', and')}.`;
    return [warning(about, message, `See its attempts: GET /api/webhooks/${id}/attempts.`)];
  });
}

/** Returns a finding for a problem only. */
async function checkSchedules(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<{ identifier: string }>(FUTURE_SCHEDULES);
  if (rows.length === 0) return [];
  const message = `According to the database, these scheduled jobs ran in the future: ${rows.map(({ identifier }) => identifier).join(', ')}.`;
  const advice =
    'The clock of a process or of the database was wrong: synchronize them with NTP. A running service corrects these times within seconds.';
  return [warning('Schedule', message, advice)];
}
