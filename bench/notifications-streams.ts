/** Minimal clients that hold a stream open and record the time of each notification. */
import { Agent, get } from 'node:http';
import { WebSocket } from 'ws';
import type { Reader } from './notifications-data.js';

export type Transport = 'sse' | 'websocket';

/** Called with the id and the arrival time of each notification. */
export type Arrived = (id: number, at: number) => void;

export type OpenStream = (url: string, reader: Reader, arrived: Arrived) => Promise<() => void>;

/** Without keep-alive: each stream uses one connection. */
const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });

const openSse: OpenStream = (url, { token }, arrived) =>
  new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}` };
    const request = get(`${url}/api/notifications/stream`, { agent, headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`A stream request returned ${response.statusCode}.`));
      response.setEncoding('utf8').on('data', (text: string) => {
        for (const [, id] of text.matchAll(/^id: (\d+)$/gm)) arrived(Number(id), performance.now());
      });
      response.on('error', () => {});
      resolve(() => request.destroy());
    });
    request.once('error', reject);
  });

const SUBSCRIBE = `subscription {
  notificationReceived(after: 0) { id type message articleId commentId actor: actorName read createdAt }
}`;

const openWebSocket: OpenStream = (url, { token }, arrived) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    socket.once('error', reject);
    socket.once('open', () => {
      socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } }));
    });
    socket.once('message', () => {
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: SUBSCRIBE } }));
      resolve(() => socket.terminate());
    });
    socket.on('message', (data) => {
      const { payload } = JSON.parse(String(data));
      if (payload?.data) arrived(Number(payload.data.notificationReceived.id), performance.now());
    });
  });

export const OPENERS: Record<Transport, OpenStream> = { sse: openSse, websocket: openWebSocket };

/** Opens the streams in batches. @returns a function that closes all of them */
export async function openAll(
  urls: readonly string[],
  readers: readonly Reader[],
  open: OpenStream,
  arrived: Arrived,
): Promise<() => void> {
  const closes: (() => void)[] = [];
  for (let at = 0; at < readers.length; at += 50) {
    const some = readers.slice(at, at + 50);
    closes.push(...(await Promise.all(some.map((one, n) => open(urls[n % urls.length] ?? '', one, arrived)))));
  }
  return () => {
    for (const close of closes) close();
  };
}
