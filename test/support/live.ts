/** Clients of the live notifications over SSE and WebSocket. */
import { EventSource } from 'eventsource';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { NOTIFICATIONS_AFTER } from '../../src/models/notification/list.js';
import { statements } from '../../src/platform/database/observed-client.js';
import type { Notified } from './notifications.js';
import { until } from './until.js';

export const STREAM = '/api/notifications/stream';

export interface LiveClient {
  /** The notifications received so far, in order. */
  received: Notified[];
  /** Resolves when at least `least` notifications have arrived. */
  count(min: number): Promise<Notified[]>;
  close(): void;
}

const opened: LiveClient[] = [];

/** Closes all clients of a test, for `afterEach`. */
export function closeLiveClients(): void {
  for (const client of opened.splice(0)) client.close();
}

/** Registers a client that `closeLiveClients` closes. */
export function keep(received: Notified[], close: () => void): LiveClient {
  const client: LiveClient = {
    received,
    count: async (min) => {
      await until(() => received.length >= min);
      return received;
    },
    close,
  };
  opened.push(client);
  return client;
}

/** The base URL, evaluated for each connection. */
export type Address = string | (() => string);

export interface FollowOptions {
  /** The id of the last notification that the client has received. */
  after?: number;
  /** Whether the service runs in another process, where an open subscription cannot be observed. */
  isElsewhere?: boolean;
}

/** An EventSource client as in browsers, which reconnects by itself. Resolves when the stream is open. */
export async function followEvents(url: Address, token: string, { after }: FollowOptions = {}): Promise<LiveClient> {
  const address = typeof url === 'string' ? () => url : url;
  const received: Notified[] = [];
  const first: Record<string, string> = after === undefined ? {} : { 'Last-Event-ID': String(after) };
  const source = new EventSource(address() + STREAM, {
    // After the first event, the client sends Last-Event-ID itself.
    fetch: (_, init) =>
      fetch(address() + STREAM, { ...init, headers: { ...first, ...init.headers, Authorization: `Bearer ${token}` } }),
  });
  source.addEventListener('notification', ({ data }) => received.push(JSON.parse(data)));
  const client = keep(received, () => source.close());
  await new Promise((resolve) => source.addEventListener('open', resolve, { once: true }));
  return client;
}

const SUBSCRIPTION = `subscription ($after: ID) {
  notificationReceived(after: $after) { id type message articleId commentId actor: actorName read createdAt }
}`;

/** The WebSocket URL for subscriptions. */
export function socketOf(url: string): string {
  return `${url.replace('http', 'ws')}/graphql`;
}

/**
 * A client with the library of the protocol, which reconnects by itself and sends the last known id. Resolves when
 * the subscription is open, or with `isElsewhere` as soon as it is requested.
 */
async function followSubscription(
  url: Address,
  token: string,
  { after, isElsewhere = false }: FollowOptions = {},
): Promise<LiveClient> {
  const received: Notified[] = [];
  const variables = { after };
  const isOpen = isElsewhere ? undefined : untilRead();
  const client = createClient({
    url: () => socketOf(typeof url === 'string' ? url : url()),
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${token}` },
    retryAttempts: 100,
    retryWait: () => new Promise((resolve) => setTimeout(resolve, 100)),
    shouldRetry: () => true,
  });
  client.subscribe<{ notificationReceived: Notified }>(
    { query: SUBSCRIPTION, variables },
    {
      next: ({ data }) => {
        if (!data) return;
        variables.after = Number(data.notificationReceived.id);
        received.push(data.notificationReceived);
      },
      error: () => {},
      complete: () => {},
    },
  );
  await isOpen;
  return keep(received, () => void client.dispose());
}

/** Resolves at the first read for a stream, the only observable sign of an open subscription. */
export function untilRead(): Promise<void> {
  return new Promise((resolve) => {
    const listen = (message: unknown) => {
      if ((message as { text: string }).text !== NOTIFICATIONS_AFTER.text) return;
      statements.unsubscribe(listen);
      resolve();
    };
    statements.subscribe(listen);
  });
}

/** The two clients, by transport. */
export const FOLLOWERS = { 'Server-Sent Events': followEvents, 'a GraphQL subscription': followSubscription };
