/** The numbers of the feed of changes (models/change.ts), which one process at a time gives every second, and their metrics. */
import { Gauge } from 'prom-client';
import { CHANGES_OF_ROUND, NUMBER_CHANGES, STATE_OF_CHANGES } from '../models/change.js';
import { withTimeout } from '../platform/concurrency/timeout.js';
import { describeError } from '../platform/database/mask-error.js';
import type { Services } from '../services/index.js';

const INTERVAL_MS = 1_000;

/** Query timeout of the metrics in milliseconds. */
const TIMEOUT_MS = 2_000;

/** The databases whose feed is numbered by this process. */
const watched = new Set<Services['database']>();

new Gauge({
  name: 'daybook_changes_waiting',
  help: 'Changes that wait for their number in the feed of changes, which all processes share.',
  aggregator: 'max',
  async collect() {
    for (const { waiting } of await states()) this.set(waiting);
  },
});

new Gauge({
  name: 'daybook_changes_oldest_seconds',
  help: 'Age of the oldest change that waits for its number in the feed of changes; 0 if none waits.',
  aggregator: 'max',
  async collect() {
    for (const { oldestSeconds } of await states()) this.set(oldestSeconds);
  },
});

/** Without those of databases that do not respond. */
async function states() {
  const queries = [...watched].map((database) => database.query(STATE_OF_CHANGES, []).catch(() => []));
  return (await Promise.all(queries.map((query) => withTimeout(query, TIMEOUT_MS)))).flatMap((rows) => rows ?? []);
}

/** @returns ends it, after the current round */
export function startChanges({ database, log }: Pick<Services, 'database' | 'log'>): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let hasFailed = false;
  const round = async () => {
    let taken: number | null | undefined = 0;
    try {
      [{ taken } = { taken: 0 }] = await database.query(NUMBER_CHANGES, [CHANGES_OF_ROUND]);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) log.warn({ err: describeError(error) }, 'feed of changes: cannot give numbers, trying again');
      hasFailed = true;
    }
    // While more wait than one round takes, the next one follows at once.
    if (!isStopped) timer = setTimeout(start, taken === CHANGES_OF_ROUND ? 0 : INTERVAL_MS);
  };
  let running = Promise.resolve();
  const start = () => {
    running = round();
  };
  start();
  watched.add(database);
  return () => {
    isStopped = true;
    watched.delete(database);
    clearTimeout(timer);
    return running;
  };
}
