/** The one connection on which a process listens: it hears for which members something changed, never what. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { sqlState } from '../database/pool.js';
import type { Log } from '../observability/log.js';
import { pauseAfter } from './batches.js';

/** What the triggers of the database call; each payload is a member's id. */
const CHANNELS = { notifications: 'daybook_notifications', sessions: 'daybook_sessions' } as const;

export interface WakeListeners {
  /** This member was told something. */
  onNotification(memberId: number): void;
  /** Sessions of this member ended. */
  onSessionEnd(memberId: number): void;
  /** From now on nothing goes unheard; what was called before may have. */
  onListening(): void;
}

/** Milliseconds to connect, or to answer a statement. */
const TIMEOUT = 5_000;
/** Milliseconds between looks whether the connection still lives: one that a firewall forgot says nothing by itself. */
const CHECK_INTERVAL = 15_000;

/** Listens, on one connection after another, until the signal. */
export async function listenForWakes(
  url: string,
  log: Log,
  listeners: WakeListeners,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      const client = await listen(url, listeners);
      failures = 0;
      listeners.onListening();
      await end(client, signal);
      if (!signal.aborted) log.warn('the connection that listens for notifications broke');
    } catch (error) {
      if (failures === 1) log.warn({ code: sqlState(error) }, 'cannot listen for notifications, trying again');
    }
    await delay(pauseAfter(Math.max(1, failures)), undefined, { signal, ref: false }).catch(() => {});
  }
}

async function listen(url: string, { onNotification, onSessionEnd }: WakeListeners): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'daybook-notifications',
    keepAlive: true,
    connectionTimeoutMillis: TIMEOUT,
    query_timeout: TIMEOUT,
  });
  // What breaks it also ends it; without a listener it would end the process.
  client.on('error', () => {});
  client.on('notification', ({ channel, payload }) => {
    if (channel === CHANNELS.notifications) onNotification(Number(payload));
    if (channel === CHANNELS.sessions) onSessionEnd(Number(payload));
  });
  try {
    await client.connect();
    for (const channel of Object.values(CHANNELS)) await client.query(`listen ${channel}`);
    return client;
  } catch (error) {
    hangUp(client);
    throw error;
  }
}

/** Resolves once the connection is gone, or gives it up at the signal. */
function end(client: pg.Client, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      clearInterval(timer);
      signal.removeEventListener('abort', stop);
      hangUp(client);
      resolve();
    };
    const timer = setInterval(() => client.query('select 1').catch(stop), CHECK_INTERVAL).unref();
    client.once('end', stop);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
}

/** Nobody waits for the server's farewell: it may not be there any more. */
function hangUp(client: pg.Client): void {
  client.end().catch(() => {});
}
