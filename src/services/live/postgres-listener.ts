/** The Postgres listener of a process (LISTEN on one connection). NOTIFY payloads are member ids, separated by commas, without the data that changed. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { backoffMs } from '../../platform/concurrency/backoff.js';
import { closeConnection, openConnection } from '../../platform/database/dedicated-connection.js';
import { sqlState } from '../../platform/database/pool.js';
import type { Log } from '../../platform/observability/log.js';
import { DATABASE_BACKOFF } from './coalescing-queue.js';

/** Channels that the database triggers NOTIFY; the payload has ids of members. */
const CHANNELS = { notifications: 'daybook_notifications', sessions: 'daybook_sessions' } as const;

export interface PostgresListeners {
  /** This member has a new notification. */
  onNotification(memberId: number): void;
  /** Sessions of this member ended. */
  onSessionEnd(memberId: number): void;
  /** LISTEN is active on a new connection; NOTIFYs sent before may have been lost. */
  onListening(): void;
}

/** Query timeout. */
const TIMEOUT_MS = 5_000;
/** Interval of the connection check: a connection that a firewall dropped silently emits no event. */
const CHECK_INTERVAL_MS = 15_000;

/** Listens and reconnects with backoff until `signal` is aborted. */
export async function listenToPostgres(
  url: string,
  log: Log,
  listeners: PostgresListeners,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      const client = await listen(url, listeners);
      failures = 0;
      listeners.onListening();
      await untilEnd(client, signal);
      if (!signal.aborted) log.warn('Postgres listener: connection lost');
    } catch (error) {
      if (failures === 1) log.warn({ code: sqlState(error) }, 'Postgres listener: cannot connect, retrying');
    }
    await delay(backoffMs(Math.max(1, failures), DATABASE_BACKOFF), undefined, { signal, ref: false }).catch(() => {});
  }
}

function listen(url: string, { onNotification, onSessionEnd }: PostgresListeners): Promise<pg.Client> {
  const config = {
    connectionString: url,
    application_name: 'daybook-notifications',
    query_timeout: TIMEOUT_MS,
  };
  return openConnection(config, async (client) => {
    client.on('notification', ({ channel, payload }) => {
      const ids = (payload ?? '').split(',').map(Number);
      if (channel === CHANNELS.notifications) for (const id of ids) onNotification(id);
      if (channel === CHANNELS.sessions) for (const id of ids) onSessionEnd(id);
    });
    for (const channel of Object.values(CHANNELS)) await client.query(`listen ${channel}`);
  });
}

/** Resolves when the connection has ended, a check has failed, or the signal is aborted; closes the client. */
function untilEnd(client: pg.Client, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      clearInterval(timer);
      signal.removeEventListener('abort', stop);
      closeConnection(client);
      resolve();
    };
    const timer = setInterval(() => client.query('select 1').catch(stop), CHECK_INTERVAL_MS).unref();
    client.once('end', stop);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
}
