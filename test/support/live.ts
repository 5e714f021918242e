/** Clients of the live notifications: what comes over a stream, as it comes. */
import { EventSource } from 'eventsource';
import type { Notified } from './notifications.js';

export const STREAM = '/api/notifications/stream';

/** Waits until `look` gives something; the time-out of the test is the limit. */
export async function until<Found>(look: () => Found | Promise<Found>): Promise<Exclude<Found, false | undefined>> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found as Exclude<Found, false | undefined>;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

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

export interface RawStream {
  response: Response;
  /** Everything that came so far. */
  text: string;
  /** Whether the server has ended it. */
  isEnded: boolean;
  close(): void;
}

/** The bytes themselves. Resolves once the headers are there. */
export async function readEvents(url: string, token: string, headers: Record<string, string> = {}): Promise<RawStream> {
  const controller = new AbortController();
  const response = await fetch(url + STREAM, {
    headers: { Authorization: `Bearer ${token}`, ...headers },
    signal: controller.signal,
  });
  const stream = { response, text: '', isEnded: false, close: () => controller.abort() };
  keep([], stream.close);
  void follow(stream);
  return stream;
}

async function follow(stream: RawStream): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of stream.response.body ?? []) stream.text += decoder.decode(chunk, { stream: true });
  } catch {
    // Closed from here, or cut off.
  }
  stream.isEnded = true;
}

/** The events of an SSE text, each as its fields by name. */
export function eventsIn(text: string): Record<string, string>[] {
  return text.split('\n\n').flatMap((block) => {
    const fields = block.split('\n').map((line) => line.split(/: ?(.*)/s).slice(0, 2));
    return block.startsWith('event:') ? [Object.fromEntries(fields)] : [];
  });
}

/** Opens a stream for as long as the server lets it. @returns tells why it ended; undefined while it is open */
export async function holdEvents(url: string, token: string): Promise<() => string | undefined> {
  const stream = await readEvents(url, token);
  return () => (stream.isEnded ? stream.text.match(/: (.*)\n\n$/)?.[1] : undefined);
}
