/** A TCP relay with a fixed port, whose target can restart on another port. */
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './server.js';

export interface Relay {
  /** `url` with the port of the relay. */
  through(url: string): string;
  /** Stops forwarding and keeps the sockets open, as when a host or a firewall between vanishes. */
  silence(): void;
  /** Forwards new connections again; those from before stay silent. */
  forward(): void;
  close(): Promise<void>;
}

/**
 * @param breaksAt whether to break the connection at this data of its client: to close it, or to forward the data and no response
 * @param ownPort default: any free port
 */
export async function startRelay(
  target: () => string,
  breaksAt = (_sent: string, _connection: object): boolean | 'silently' => false,
  ownPort?: number,
): Promise<Relay> {
  const open = new Set<Socket>();
  let isSilent = false;
  const server = createServer((socket) => {
    if (isSilent) {
      open.add(socket.on('error', () => {}).pause());
      return;
    }
    const behind = connect(Number(new URL(target()).port), '127.0.0.1');
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.once('close', () => open.delete(one));
      one.pipe(other);
    }
    socket.on('data', (sent) => {
      const isBroken = breaksAt(sent.toString('latin1'), socket);
      if (isBroken === 'silently') behind.unpipe().pause();
      else if (isBroken) socket.destroy(new Error('broken'));
    });
  });
  const port = ownPort ?? (await freePort());
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    through: (url) => Object.assign(new URL(url), { port: String(port) }).href,
    silence: () => {
      isSilent = true;
      for (const socket of open) socket.unpipe().pause();
    },
    forward: () => {
      isSilent = false;
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
