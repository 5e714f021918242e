/** All faults of the fault-injection suite with their guarantees. The tests are in the `describeFault` of each. */
import { appendFileSync } from 'node:fs';
import type { Suite } from 'mocha';
import { describeWith, type Package } from './programs.js';

interface Fault {
  readonly fault: string;
  readonly guarantee: string;
  /** What its test needs besides the packages of npm. */
  readonly needs?: readonly Package[];
}

const PATRONI = ['patroni', 'etcd-server', 'haproxy', 'postgresql'] as const;

/** In the order of docs/reliability.md. */
export const FAULTS = {
  switchover: {
    fault: 'Planned switchover of a Patroni cluster to a standby',
    guarantee:
      'Responses are successful or 503 with `Retry-After`. Each acknowledged write exists once, counters match the rows, ' +
      'streams and jobs continue. All processes read and write, and are ready, within 5 s after the new primary is up.',
    needs: PATRONI,
  },
  'primary-killed': {
    fault: 'The machine of the primary is lost: PostgreSQL and Patroni end with `kill -9`',
    guarantee: 'As for a switchover.',
    needs: PATRONI,
  },
  'primary-paused': {
    fault: 'PostgreSQL and Patroni of the primary are paused for longer than the TTL, then continue',
    guarantee:
      'As for a switchover; the server that continues loses and duplicates nothing. Before Patroni 3.0.3 a watchdog must reset it (the test kills it).',
    needs: PATRONI,
  },
  'primary-partitioned': {
    fault: 'The network around the primary drops everything, and works again after the failover',
    guarantee: 'As for a switchover; no response takes longer than `DATABASE_STATEMENT_TIMEOUT` plus 4 s.',
    needs: PATRONI,
  },
  'standby-paused': {
    fault: 'The synchronous standby is paused',
    guarantee: 'Reads continue, and writes within 20 s, with the other standby. No acknowledged write is lost.',
    needs: PATRONI,
  },
  'server-restarted': {
    fault: 'PostgreSQL is restarted under load: fast, immediate, and with `kill -9`',
    guarantee:
      '503 with `Retry-After` until it accepts connections; then all processes read and write at once. No acknowledged write is lost.',
  },
  'server-frozen': {
    fault: 'PostgreSQL is frozen (`SIGSTOP`)',
    guarantee:
      '503 within the timeouts; `SIGTERM` ends the process within 10.5 s; requests succeed when the server continues.',
  },
  'host-silent': {
    fault: 'The host of the database vanishes without closing its connections',
    guarantee:
      'Statements in progress: 503 after `DATABASE_STATEMENT_TIMEOUT` plus at most 4 s; others after `DATABASE_POOL_TIMEOUT`. ' +
      'Requests, jobs and streams continue when it responds.',
  },
  'host-lost': {
    fault: 'One of several hosts of `DATABASE_URL` cannot be reached',
    guarantee: 'The next host that accepts writes is used.',
  },
  'read-only': {
    fault: 'The database accepts no writes',
    guarantee:
      'Reads continue, writes are 503, `/readyz` is 503 with `read-only`. Writes succeed at once when it accepts them.',
  },
  'table-locked': {
    fault: 'A table is locked for 30 s under load',
    guarantee:
      'Statements on it: 503 after `DATABASE_LOCK_TIMEOUT`. All requests succeed at once after the lock. `/healthz` responds.',
  },
  upgrade: {
    fault: 'The database is migrated under load, and the migration is killed and repeated',
    guarantee:
      'Nothing of a killed migration remains but its unfinished indexes. No statement of a request fails; in a deadlock the migration gives up and tries again.',
  },
  'pool-exhausted': {
    fault: 'All connections of the pool are in use',
    guarantee:
      'Up to `DATABASE_POOL_WAITING` requests wait for `DATABASE_POOL_TIMEOUT`; further ones of the client with the most are 429 or 503 immediately.',
  },
  'disk-full': {
    fault: 'The disk of the database and of the images is full',
    guarantee:
      'Responses are successful or 503 with `Retry-After`; reads are 503 too if PostgreSQL itself stops. The message and the log ' +
      'report the full disk. All succeed when there is space; no acknowledged write is lost.',
    needs: ['util-linux'],
  },
  'ai-hanging': {
    fault: 'The AI provider does not respond',
    guarantee: 'AI requests fail after `AI_TIMEOUT_MS`; reading and writing articles continue.',
  },
  'clocks-differ': {
    fault: 'The clocks of two processes differ by one hour',
    guarantee: 'Tokens, sessions and limits are the same in both.',
  },
  'commit-response': {
    fault: 'The database is lost between a commit and the response',
    guarantee: 'The write is reported as done, with its result.',
  },
  'killed-before-commit': {
    fault: 'A process is killed before its commit reaches the database',
    guarantee: 'Nothing of the write exists: no row, no job, no counter.',
  },
  'killed-after-commit': {
    fault: 'A process is killed between the commit of an article and the response',
    guarantee: 'The article exists once, and another process runs its jobs.',
  },
  'killed-in-upload': {
    fault: 'A process is killed during an upload',
    guarantee:
      'No row remains. Images of a write that was not committed are removed by a job one hour after the upload, temporary files by the ' +
      'first start when they are an hour old. The next process serves at once.',
  },
  'killed-in-job': {
    fault: 'A process is killed while it runs a job',
    guarantee:
      'A process that starts runs the job again at once, one that runs within 15 s; its result and its notification exist once.',
  },
  'publication-outage': {
    fault: 'No process runs for a day, in which 1,000 scheduled drafts become due',
    guarantee:
      'After the start all are published, in the order of their times; other jobs continue. Up to 100 that are due at one time are published within 10 s.',
  },
  'publication-killed': {
    fault: 'A process is killed while it publishes a scheduled draft',
    guarantee: 'The draft is published once, and its author is notified once.',
  },
  'publication-changed': {
    fault: 'Schedules are removed at their times, while two processes publish',
    guarantee: 'A draft whose schedule was removed is not published, each other one once.',
  },
  'publication-clock': {
    fault: 'The clock of the process that publishes is wrong by one hour',
    guarantee: 'Scheduled drafts are published at their times by the clock of the database.',
  },
  'publication-server-killed': {
    fault: 'PostgreSQL ends with `kill -9` while scheduled drafts are published',
    guarantee: 'Each is published once, in the order of their times.',
  },
  'job-connection-lost': {
    fault: 'A connection of the job queue breaks or becomes silent while a job is taken or completed',
    guarantee: 'The job is run again, and the process continues to run jobs.',
  },
  stopping: {
    fault: '`SIGTERM` while a table is locked',
    guarantee: 'The process ends within 10.5 s. During `SHUTDOWN_DELAY` it serves requests and is not ready.',
  },
  'nginx-restart': {
    fault: '`SIGTERM` under load, one process after the other, behind nginx',
    guarantee: 'No request fails.',
    needs: ['nginx-light'],
  },
  'caddy-restart': {
    fault: '`SIGTERM` under load, one process after the other, behind Caddy',
    guarantee:
      'No request fails, with the settings and pauses that [Upgrades](deploy.md#upgrades) names for Caddy up to 2.11.1.',
    needs: ['caddy'],
  },
  soak: {
    fault: 'Reads and writes on two processes for a long time',
    guarantee: 'Memory, descriptors and connections do not grow.',
  },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

/** What its test needs. */
export function packagesOf(name: FaultName): readonly Package[] {
  const { needs = [] }: Fault = FAULTS[name];
  return needs;
}

/** Adds a measured value to the row of the fault in docs/reliability.md. */
export type Measured = (text: string) => void;

/** The tests of a fault, in any file of `test`. */
export function describeFault(name: FaultName, body: (this: Suite, measured: Measured) => void): void {
  const { FAULT_RESULTS: file } = process.env;
  const measured = (text: string) => {
    if (file) appendFileSync(file, `${JSON.stringify([name, text])}\n`);
  };
  describeWith(packagesOf(name), FAULTS[name].fault, function () {
    body.call(this, measured);
    after(() => {
      const tests = this.tests.filter(({ state }) => state === 'passed').length;
      if (tests === this.tests.length) measured(tests === 1 ? 'test passed' : `${tests} tests passed`);
    });
  });
}

/** Such as `3.2 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
