/** Clients of the live notifications: what comes over a stream, as it comes. */
import { EventSource } from 'eventsource';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { statements } from '../../src/database/observed-client.js';
import type { Notified } from './notifications.js';
import { until } from './until.js';

export const STREAM = '/api/notifications/stream';

export interface LiveClient {
  /** Everything so far, in the order in which it came. */
  received: Notified[];
  /** Resolves once so many have come. */
  count(least: number): Promise<Notified[]>;
  close(): void;
}

const opened: LiveClient[] = [];

/** Closes what a test has opened: for `afterEach`. */
export function closeLiveClients(): void {
  for (const client of opened.splice(0)) client.close();
}

/** @returns it, to be closed after the test */
export function keep(received: Notified[], close: () => void): LiveClient {
  const client: LiveClient = {
    received,
    count: async (least) => {
      await until(() => received.length >= least);
      return received;
    },
    close,
  };
  opened.push(client);
  return client;
}

/** Where a client connects to, each time that it does. */
export type Address = string | (() => string);

export interface FollowOptions {
  /** The id of the last notification that the client knows. */
  after?: number;
  /** The service runs in another process, which does not tell when a subscription is open. */
  isElsewhere?: boolean;
}

/** The client that browsers have, as a package: it comes back by itself. Resolves once the stream is open. */
export async function followEvents(url: Address, token: string, { after }: FollowOptions = {}): Promise<LiveClient> {
  const address = typeof url === 'string' ? () => url : url;
  const received: Notified[] = [];
  const first: Record<string, string> = after === undefined ? {} : { 'Last-Event-ID': String(after) };
  const source = new EventSource(address() + STREAM, {
    // It sends the id of the last event itself as soon as there is one.
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

/** Where to subscribe. */
export function socketOf(url: string): string {
  return `${url.replace('http', 'ws')}/graphql`;
}

/**
 * The client library of the protocol: it comes back by itself, and says then what it knows. Resolves once the
 * subscription is open, or elsewhere once it is asked for.
 */
export async function followSubscription(
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

/** A stream is read for as soon as it is open; nothing else tells that a subscription is. */
function untilRead(): Promise<void> {
  return new Promise((resolve) => {
    const listen = (message: unknown) => {
      if (!(message as { text: string }).text.includes('as w(member_id, known)')) return;
      statements.unsubscribe(listen);
      resolve();
    };
    statements.subscribe(listen);
  });
}

/** The two ways to follow what happens. */
export const FOLLOWERS = { 'Server-Sent Events': followEvents, 'a GraphQL subscription': followSubscription };
