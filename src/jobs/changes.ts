/** The numbers of the feed of changes (models/change.ts), which one process at a time gives every second. */
import { CHANGES_OF_ROUND, NUMBER_CHANGES } from '../models/change.js';
import { describeError } from '../platform/database/mask-error.js';
import type { Services } from '../services/index.js';

const INTERVAL_MS = 1_000;

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
  return () => {
    isStopped = true;
    clearTimeout(timer);
    return running;
  };
}
