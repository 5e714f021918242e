/** Listening on HOST and PORT, with errors that name the setting to change. */
import { once } from 'node:events';
import { type AddressInfo, createConnection, Server } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Config } from '../config/index.js';
import type { ListeningSocket } from './node-internals.js';
import { MAX_NEW_CONNECTIONS } from './server.js';

/** Duration of an iteration of the event loop without other work, and the longest time to wait for one. */
const IDLE_ITERATION_MS = 0.1;
const ACCEPT_TIMEOUT_MS = 500;

type Address = Pick<Config, 'host' | 'port'>;

/** @returns the port, which the system selects if it is 0. @throws Error with the reason */
export function listen(server: Server, { host, port }: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', async (error: NodeJS.ErrnoException) => {
      reject(new Error(await listenErrorText(error, host, port)));
    });
    server.listen({ port, host, backlog: MAX_NEW_CONNECTIONS }, () => resolve((server.address() as AddressInfo).port));
  });
}

/**
 * Listens for a moment, so that a wrong address is reported before the database is opened. With a database of its own, which several
 * processes behind a proxy may use, it does so on another port, since the proxy would send requests to this one, to which it connects instead.
 * @returns the port, or a free one if it is 0. @throws Error with the reason
 */
export async function checkAddress({ host, port, databaseUrl }: Config): Promise<number> {
  const server = new Server();
  const checkedPort = await listen(server, { host, port: databaseUrl === null ? port : 0 });
  server.close();
  await once(server, 'close');
  if (databaseUrl !== null && port !== 0 && (await isListening(host, port)))
    throw new Error(await listenErrorText({ code: 'EADDRINUSE' }, host, port));
  return port === 0 ? checkedPort : port;
}

/**
 * Closes the socket just after the event loop has accepted all waiting connections, without other work since then: the kernel resets
 * those that wait when the socket is closed, and a proxy does not repeat writes on them. The server itself remains open.
 */
export async function closeSocket(socket: ListeningSocket | null): Promise<void> {
  if (!socket) return;
  const accepted: unknown[][] = [];
  const { onconnection } = socket;
  // Their requests would be work during which further connections arrive.
  socket.onconnection = (...connection) => void accepted.push(connection);
  for (const end = performance.now() + ACCEPT_TIMEOUT_MS; performance.now() < end; ) {
    const startedAt = performance.now();
    const count = accepted.length;
    await setImmediate();
    // libuv accepts one connection in an iteration.
    if (accepted.length === count && performance.now() - startedAt < IDLE_ITERATION_MS) break;
  }
  socket.close();
  for (const connection of accepted) onconnection.apply(socket, connection);
}

/** Timeout of the request to /readyz. */
const READINESS_TIMEOUT_MS = 3_000;

/** Whether a running Daybook listens there, which is recognized by the JSON of its `/readyz`. */
export async function isDaybook(host: string, port: number): Promise<boolean> {
  const address = localAddress(host);
  const here = address.includes(':') ? `[${address}]` : address;
  try {
    const signal = AbortSignal.timeout(READINESS_TIMEOUT_MS);
    const response = await fetch(`http://${here}:${port}/readyz`, { signal });
    const { status, migrations } = (await response.json()) as { status?: unknown; migrations?: unknown };
    return typeof status === 'string' && typeof migrations === 'string';
  } catch {
    return false;
  }
}

function localAddress(host: string): string {
  return host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
}

/** Whether a program accepts connections there. */
async function isListening(host: string, port: number): Promise<boolean> {
  const socket = createConnection({ host: localAddress(host), port });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function listenErrorText(
  { code, message = '' }: Partial<NodeJS.ErrnoException>,
  host: string,
  port: number,
): Promise<string> {
  if (code === 'EADDRINUSE') {
    const program = (await isDaybook(host, port)) ? 'a running Daybook' : 'another program';
    return `Port ${port} is in use by ${program}: stop it, or set PORT to another port.`;
  }
  if (code === 'EACCES') return `This user is not permitted to listen on port ${port}: set PORT to 1024 or higher.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST must be an address of this machine, not "${host}".`;
  return message;
}
