/** Attack types and their execution over HTTP, WebSocket and bare connections. */
import { setMaxListeners } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { slowdown } from '../support/time-limits.js';
import { type HttpRequest, labelOf, type Outcome, send } from './http.js';
import type { Journal } from './journal.js';
import type { OrdinaryRequest } from './other-client.js';

interface AttackBase {
  /** Accepted outcomes, in addition to REJECTED_BY_LOAD. */
  readonly expected: readonly string[];
  /** An outcome that must occur, for limits that count. */
  readonly required?: string;
  /** Maximum number of occurrences per outcome. */
  readonly atMost?: Readonly<Record<string, number>>;
  /** Additional requests of the other client: work of the kind that is attacked. */
  readonly others?: (journal: Journal) => OrdinaryRequest[];
  /** Checks the effects that remain after the attack. */
  readonly examine?: (journal: Journal) => Promise<Examination>;
}

/** @returns called after the attack; fails where the attack had an effect that it must not have */
export type Examination = () => Promise<void>;

/** HTTP requests; each connection waits for a response before its next request. */
export interface HttpAttack extends AttackBase {
  readonly parallel: number;
  readonly requests: (journal: Journal) => Iterable<HttpRequest>;
}

/** Messages over WebSocket: text frames, ping frames, and ACKNOWLEDGED to wait for the acknowledgment of `connection_init`. */
export interface SocketAttack extends AttackBase {
  readonly sockets: number;
  readonly messages: (journal: Journal, socket: number) => Iterable<string | typeof PING | typeof ACKNOWLEDGED>;
  /** Milliseconds for which connections stay open after the last message. Default: none. */
  readonly keepOpenMs?: number;
}

/** Bytes over bare connections. */
export interface ConnectionAttack extends AttackBase {
  readonly connections: number;
  readonly bytes: (journal: Journal, connection: number) => Iterable<string | Uint8Array>;
  /** Milliseconds for which connections stay open after the last byte, multiplied by the slowdown of the machine. Default: 1,000. */
  readonly keepOpenMs?: number;
  /** Whether responses are read before the end. Default: true. */
  readonly reads?: boolean;
}

/** Its key in a list of attacks ends the sentence "The service withstands …". */
export type Attack = HttpAttack | SocketAttack | ConnectionAttack;

export const PING = Symbol('ping');
export const ACKNOWLEDGED = Symbol('acknowledged');

/** The service may reject any request of an attack because of its number, or close the connection. */
export const REJECTED_BY_LOAD = [
  ...['429 RATE_LIMITED', '503 SERVICE_UNAVAILABLE'],
  // A field of a GraphQL operation, and a subscription.
  ...['200 RATE_LIMITED', '200 SERVICE_UNAVAILABLE', 'error RATE_LIMITED', 'error SERVICE_UNAVAILABLE'],
  'closed',
];

export function carryOut(attack: Attack, url: string, journal: Journal, signal: AbortSignal): Promise<Outcome[]> {
  setMaxListeners(0, signal);
  if ('requests' in attack) return overHttp(attack, url, journal, signal);
  if ('messages' in attack) return overSockets(attack, url, journal, signal);
  const keepOpenMs = (attack.keepOpenMs ?? 1_000) * slowdown();
  return overConnections({ ...attack, keepOpenMs }, url, journal, signal);
}

async function overHttp(attack: HttpAttack, url: string, journal: Journal, signal: AbortSignal): Promise<Outcome[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: attack.parallel });
  const outcomes: Outcome[] = [];
  const requests = attack.requests(journal)[Symbol.iterator]();
  const sendAll = async () => {
    for (let next = requests.next(); !next.done; next = requests.next()) {
      outcomes.push(await send(url, next.value, agent, signal));
    }
  };
  await Promise.all(Array.from({ length: attack.parallel }, sendAll));
  agent.destroy();
  return outcomes;
}

async function overSockets(attack: SocketAttack, url: string, journal: Journal, signal: AbortSignal) {
  const numbers = Array.from({ length: attack.sockets }, (_, number) => number);
  return (await Promise.all(numbers.map((number) => overSocket(attack, url, journal, number, signal)))).flat();
}

/** Close codes of a service that fails (RFC 6455 §7.4.1, graphql-transport-ws). */
const FAILED = [1011, 4500];

async function overSocket(attack: SocketAttack, url: string, journal: Journal, number: number, signal: AbortSignal) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const started = performance.now();
  const outcomes: Outcome[] = [];
  const record = (label: string, violations: string[] = []) =>
    outcomes.push({ label, violations, ms: performance.now() - started });
  const acknowledged = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const { type, payload } = JSON.parse(String(data));
      if (type === 'connection_ack') resolve();
      const errors = type === 'error' ? payload : payload?.errors;
      if (type === 'next' && !errors) record('next');
      for (const error of errors ?? []) {
        const key = error.extensions?.code;
        record(`${type} ${key}`, key === 'INTERNAL_ERROR' ? [JSON.stringify(error)] : []);
      }
    });
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', (code, reason) => {
      if (!signal.aborted && code !== 1000)
        record('closed', FAILED.includes(code) ? [`closed with ${code} ${reason}`] : []);
      resolve();
    });
  });
  socket.on('error', () => {});
  const abort = () => socket.terminate();
  signal.addEventListener('abort', abort);
  await new Promise((resolve) => socket.once('open', resolve).once('close', resolve));
  for (const message of attack.messages(journal, number)) {
    if (socket.readyState !== WebSocket.OPEN) break;
    if (message === ACKNOWLEDGED) await Promise.race([closed, acknowledged]);
    else await sendMessage(socket, message);
  }
  await Promise.race([closed, sleep(attack.keepOpenMs ?? 0)]);
  if (socket.readyState === WebSocket.OPEN) await Promise.race([closed, lastIsRead(socket)]);
  socket.close(1000);
  await Promise.race([closed, sleep(2_000)]);
  socket.terminate();
  signal.removeEventListener('abort', abort);
  return outcomes;
}

function sendMessage(socket: WebSocket, message: string | typeof PING): Promise<unknown> {
  return new Promise((resolve) =>
    message === PING ? socket.ping('', true, resolve) : socket.send(message, () => resolve(undefined)),
  );
}

/** Resolves when everything that was sent before has been read by the service. */
function lastIsRead(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    socket.on('pong', (data) => {
      if (String(data) === 'last') resolve();
    });
    socket.ping('last');
  });
}

async function overConnections(attack: ConnectionAttack, url: string, journal: Journal, signal: AbortSignal) {
  const numbers = Array.from({ length: attack.connections }, (_, number) => number);
  return (await Promise.all(numbers.map((number) => overConnection(attack, url, journal, number, signal)))).flat();
}

async function overConnection(
  attack: ConnectionAttack,
  url: string,
  journal: Journal,
  number: number,
  signal: AbortSignal,
) {
  const { hostname, port } = new URL(url);
  const started = performance.now();
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  let isClosed = false;
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve())).then(() => {
    isClosed = true;
  });
  socket.on('error', () => {});
  const abort = () => socket.destroy();
  signal.addEventListener('abort', abort);
  if (attack.reads ?? true) socket.on('data', (chunk) => chunks.push(chunk));
  else socket.pause();
  // A server applies backpressure by not reading; the attack continues after 5 seconds at most.
  await Promise.race([closed, write(socket, attack.bytes(journal, number)), sleep(5_000)]);
  await Promise.race([closed, sleep(attack.keepOpenMs ?? 1_000)]);
  const byService = isClosed;
  socket.destroy();
  await closed;
  signal.removeEventListener('abort', abort);
  const ms = performance.now() - started;
  const labels = responsesIn(Buffer.concat(chunks).toString('latin1'));
  if (labels.length === 0) labels.push(byService ? 'closed' : 'open');
  return labels.map((label) => ({ label, violations: /^5(?!03)/.test(label) ? [label] : [], ms }));
}

async function write(socket: Socket, chunks: Iterable<string | Uint8Array>): Promise<void> {
  for (const chunk of chunks) {
    if (socket.destroyed) return;
    await new Promise<void>((resolve) => socket.write(chunk, () => resolve()));
  }
}

function responsesIn(text: string): string[] {
  return text
    .split(/(?=^HTTP\/1\.1 )/m)
    .filter((response) => response.startsWith('HTTP/1.1 '))
    .map((response) => {
      const [head = '', body = ''] = response.split(/\r\n\r\n(.*)/s);
      return labelOf(Number(head.slice(9, 12)), body);
    });
}
