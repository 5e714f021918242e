/** Runs `daybook webhook listen`: sends what changes to a program on this machine. */
import { setTimeout as delay } from 'node:timers/promises';
import { parseEvents } from '../../commands/webhook.js';
import { batchMessageOf, eventOf, messageOf } from '../../jobs/webhook-message.js';
import { readChanges } from '../../models/change.js';
import { LATEST } from '../../models/change-cursor.js';
import { BATCH, typesOf, WEBHOOK_EVENTS } from '../../models/webhook/webhook.js';
import { OperatorError } from '../../platform/errors.js';
import { generateSecret } from '../../services/webhooks/secret.js';
import { type OutgoingMessage, send } from '../../services/webhooks/send.js';
import { asOperator } from '../operator.js';
import type { Terminal } from '../terminal.js';
import { checked } from './run.js';

export interface ListenOptions {
  forward: string;
  event?: string[];
  secret?: string;
}

const INTERVAL_MS = 1_000;
const PAGE_SIZE = 100;
const ANY_HOST = { hasName: () => true, hasAddress: () => true };

export function listen({ forward: url, event, secret = generateSecret() }: ListenOptions, terminal: Terminal) {
  const stop = terminal.listenForStop();
  return asOperator(terminal, 'webhook listen', {}, async ({ config, database, print }) => {
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new OperatorError(`--forward must be a URL, not ${url}`);
    if (!/^whsec_[\w+/]+=*$/.test(secret)) throw new OperatorError('--secret must begin with whsec_');
    const events = event ? checked(() => parseEvents(event)) : WEBHOOK_EVENTS.filter((name) => name !== BATCH);
    const forward = async (message: OutgoingMessage, about: string) => {
      const options = { allowedHosts: ANY_HOST, now: database.now(), signal: stop };
      const { status, error, durationMs } = await send({ url, secrets: [secret] }, message, options);
      print(`${message.event} ${about}: ${status ?? error} in ${durationMs} ms`);
    };
    const latest = () => readChanges(database, { since: LATEST, types: [], size: 1 });
    let { cursor } = await latest();
    terminal.stderr.write(`Changes are sent to ${url}, until Ctrl+C. The secret is ${secret}\n`);
    try {
      while (!stop.aborted) {
        const page = await readChanges(database, { since: cursor, types: typesOf(events), size: PAGE_SIZE });
        const [first] = page.changes;
        if (first && events.includes(BATCH)) {
          await delay(config.webhooks.batchMs, undefined, { signal: stop });
          const { cursor: end } = await latest();
          await forward(batchMessageOf(cursor, end, first.changedAt), '');
          cursor = end;
          continue;
        }
        for (const change of page.changes) {
          if (!events.includes(eventOf(change))) continue;
          await forward(messageOf(config, change, page.cursorAfter(change)), String(change.id));
        }
        cursor = page.cursor;
        if (!page.hasMore) await delay(INTERVAL_MS, undefined, { signal: stop });
      }
    } catch (error) {
      if (!stop.aborted) throw error;
    }
  });
}
