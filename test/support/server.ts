/** HTTP and TCP servers of the tests, on free local ports. */
import { randomInt } from 'node:crypto';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Listens on a free local port. @returns the port */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Closes the server and all of its connections. */
export async function closeServer(server: HttpServer): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Below the ports of outgoing connections, one of which could have the port before a process that is started listens to it. */
const FIRST_PORT = 20_000;
const PORTS_OF_PROCESS = 3_000;
/** The processes of the tests have ports of their own, and use each of them again only after all others. */
const firstOfProcess = FIRST_PORT + (Number(process.env.MOCHA_WORKER_ID ?? 3) % 4) * PORTS_OF_PROCESS;
let next = randomInt(PORTS_OF_PROCESS);

export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstOfProcess + (next++ % PORTS_OF_PROCESS);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}
