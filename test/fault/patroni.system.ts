/** Failovers of a cluster with Patroni, etcd and HAProxy, in synchronous mode, while two processes read and write. */
import { expect } from 'chai';
import { readPage } from '../support/changes.js';
import { call, expectStatus } from '../support/client.js';
import {
  type Cluster,
  hasClusterPrograms,
  isPatroniSafeAfterPause,
  POLL_MS,
  startCluster,
} from '../support/cluster.js';
import { describeFault, type Measured, pause, seconds } from '../support/faults.js';
import { closeLiveClients } from '../support/live.js';
import { inProgress, type Load, startLoad } from '../support/load.js';
import { slowdown } from '../support/time-limits.js';
import { until } from '../support/until.js';

const STATEMENT_TIMEOUT_MS = 30_000;
/** The time after `statement_timeout` in which a connection to a silent server is given up. */
const MARGIN_MS = 4_000;
/** Five seconds after the promotion, which may be noticed late. */
const RECOVERY_MS = 5_000 - POLL_MS;
const WARM_UP_MS = 2_000;
/** Many times the longest response of /readyz, for busy machines. */
const PROBE_TIMEOUT_MS = 30_000;
/** Time after the promotion in which the first 200 of /readyz must be sent, so that a process that never becomes ready does not end in a timeout. */
const MAX_UNREADY_MS = 200_000;

let cluster: Cluster;

describe('A Patroni cluster', () => {
  before(async function () {
    this.timeout(180_000);
    if (!hasClusterPrograms())
      throw new Error('Needs the Debian packages patroni, etcd-server, haproxy and postgresql');
    cluster = await startCluster({ LIMIT_WRITES: '1000000/1h', RESPONSE_CACHE_MB: '0', LOG_LEVEL: 'warn' });
  });
  after(async function () {
    this.timeout(60_000);
    closeLiveClients();
    await cluster?.stop();
  });

  describeFault(
    'switchover',
    failoverTests((leader) => cluster.switchOver(leader), undefined, { isPlanned: true }),
  );

  describeFault(
    'primary-killed',
    failoverTests((leader) => cluster.signal(leader, 'SIGKILL')),
  );

  describeFault(
    'primary-paused',
    failoverTests(
      (leader) => cluster.signal(leader, 'SIGSTOP'),
      // Before 3.0.3, Patroni may take the lock from the new primary when it continues (docs/scaling.md): a watchdog must reset the machine.
      (leader) => cluster.signal(leader, isPatroniSafeAfterPause() ? 'SIGCONT' : 'SIGKILL'),
    ),
  );

  describeFault(
    'primary-partitioned',
    failoverTests(
      async (leader) => {
        for (const relay of cluster.relaysOf(leader)) relay.silence();
      },
      async (leader) => {
        for (const relay of cluster.relaysOf(leader)) relay.forward();
      },
    ),
  );

  describeFault('standby-paused', function (measured) {
    this.timeout(240_000);

    it('stops writes for a short time only', async () => {
      const load = await startLoad(cluster.urls, { maxMs: STATEMENT_TIMEOUT_MS + MARGIN_MS });
      await pause(WARM_UP_MS);
      const standby = await until(() => cluster.find('sync_standby'));
      const startedAt = performance.now();
      await cluster.signal(standby, 'SIGSTOP');
      await until(() => cluster.find('sync_standby', standby), undefined, POLL_MS);
      const recoveredAt = await load.recovered();
      expect(recoveredAt - startedAt).to.be.below(20_000 * slowdown());
      await cluster.signal(standby, 'SIGCONT');
      await cluster.complete();
      await load.stop();
      measured(`writes continue after ${seconds(recoveredAt - startedAt)}, ${load.rejected.length} requests 503`);
      measured(inProgress(await load.verify(cluster.databaseUrl)));
    });
  });
});

/** Runs the fault under load, and checks what all faults of the primary guarantee. */
async function failover(
  measured: Measured,
  begin: (leader: string) => Promise<void>,
  end: (leader: string) => Promise<void>,
  isPlanned: boolean,
) {
  const load = await startLoad(cluster.urls, { maxMs: STATEMENT_TIMEOUT_MS + MARGIN_MS });
  await pause(WARM_UP_MS);
  const [url = ''] = cluster.urls;
  const { cursor } = await readPage(url, { since: 'latest' });
  const leader = await until(() => cluster.find('leader'));
  const startedAt = performance.now();
  const readiness = cluster.urls.map(observeReadiness);
  await begin(leader);
  const replacedAt = await cluster.replaced(leader);
  await load.recovered();
  const observed = await Promise.all(readiness.map(({ readyAgain }) => readyAgain(replacedAt)));
  await pause(RECOVERY_MS);
  await end(leader);
  await load.recovered();
  await cluster.complete();
  await load.recovered();
  await load.stop();
  // The new primary may have lost numbers that were read: copies begin again.
  await expectStatus(call(url, `GET /api/changes?since=${cursor}`), 410, 'CURSOR_EXPIRED');
  expect((await readPage(url)).changes).to.not.deep.equal([]);
  measured(`new primary after ${seconds(replacedAt - startedAt)}`);
  measured(recoveryOf(load, replacedAt));
  if (!isPlanned) expect(Math.min(...observed.map(({ unready }) => unready)), '503 of /readyz').to.be.above(0);
  const readyMs = Math.max(...observed.map(({ readyMs }) => readyMs));
  expect(readyMs, 'time from the promotion to 200 of /readyz').to.be.below(RECOVERY_MS * slowdown());
  measured(`/readyz 200 ${seconds(readyMs)} after it`);
  measured(
    `slowest response ${seconds(load.slowestMs())}, ${load.rejected.length} of ${load.rejected.length + load.succeeded()} requests 503`,
  );
  measured(inProgress(await load.verify(cluster.databaseUrl)));
  return load;
}

/** Requests /readyz continuously. */
function observeReadiness(url: string) {
  let unready = 0;
  /** When the last response with a status other than 200 arrived. */
  let unreadyAt = 0;
  let readySentAt = 0;
  let promotedAt = Number.POSITIVE_INFINITY;
  const ended = (async () => {
    while (readySentAt <= promotedAt) {
      const sentAt = performance.now();
      const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
      const body = await response.text();
      if (response.status === 200) readySentAt = sentAt;
      else {
        unready++;
        unreadyAt = performance.now();
        if (unreadyAt - promotedAt > MAX_UNREADY_MS) throw new Error(`${url}/readyz: ${response.status} ${body}`);
      }
      await pause(50);
    }
  })();
  // An error before `readyAgain` is called is reported by it.
  ended.catch(() => {});
  return {
    /** Ends the requests after the first 200 that was sent after this time. */
    readyAgain: async (sinceMs: number) => {
      promotedAt = sinceMs;
      await ended;
      return { unready, readyMs: Math.max(0, unreadyAt - sinceMs) };
    },
  };
}

/** Of the requests that were sent after the promotion. Those that wait for a silent server since before it are limited by `maxMs`. */
function recoveryOf(load: Load, replacedAt: number): string {
  const rejected = load.rejected.filter(({ sentAt }) => sentAt > replacedAt);
  const last = Math.max(replacedAt, ...rejected.map(({ respondedAt }) => respondedAt));
  expect(last - replacedAt, 'time from the promotion to the last 503').to.be.below(RECOVERY_MS * slowdown());
  return `last 503 ${seconds(last - replacedAt)} after it`;
}

/** The tests of a fault of the primary, which `begin` causes and `end` ends. */
function failoverTests(
  begin: (leader: string) => Promise<void>,
  end: (leader: string) => Promise<void> = async () => {},
  { isPlanned } = { isPlanned: false },
): (this: Mocha.Suite, measured: Measured) => void {
  return function (measured) {
    this.timeout(240_000);
    it('loses no acknowledged write, and ends within five seconds after the promotion', async () => {
      await failover(measured, begin, end, isPlanned);
    });
  };
}
