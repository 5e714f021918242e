/** The numbers of the feed of changes (models/change.ts), which one process at a time gives every second. */
import { CHANGES_OF_ROUND, NUMBER_CHANGES } from '../models/change.js';
import { describeError } from '../platform/database/mask-error.js';
import type { Services } from '../services/index.js';
import { WebhookDeliveries } from './webhooks.js';

const INTERVAL_MS = 1_000;

/** The process that gives numbers starts the deliveries of webhooks, too. @returns ends it, after the current round */
export function startChanges(
  services: Pick<Services, 'config' | 'database' | 'jwtSecret' | 'log'>,
): () => Promise<void> {
  const { database, log } = services;
  const webhooks = new WebhookDeliveries(services);
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let hasFailed = false;
  const round = async () => {
    let taken: number | null | undefined = 0;
    try {
      [{ taken } = { taken: 0 }] = await database.query(NUMBER_CHANGES, [CHANGES_OF_ROUND]);
      if (taken !== null) await webhooks.startDue();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed)
        log.warn(
          { err: describeError(error) },
          'feed of changes: cannot give numbers or start deliveries, trying again',
        );
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
    return running.then(() => webhooks.stop());
  };
}
