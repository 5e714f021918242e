/** Malformed or aborted requests over a TCP connection. */
import { connect, type Socket } from 'node:net';

/** Sends the bytes and closes the connection without waiting for a response. */
export async function sendAndLeave(url: string, bytes: string | Uint8Array): Promise<void> {
  const socket = await open(url);
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.destroy();
  });
}

/** Sends the bytes, which must include `Connection: close`. @returns the response as text; empty if there was none */
export async function sendRaw(url: string, bytes: string | Uint8Array): Promise<string> {
  const socket = await open(url);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(bytes);
  await closed;
  return Buffer.concat(chunks).toString('latin1');
}

/** A TCP connection for arbitrary reads and writes. */
export interface RawConnection {
  readonly socket: Socket;
  /** The text received so far. */
  received(): string;
  /** Resolves with the received text when it matches. Rejects if the connection ends first. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves when the connection is closed, with the received text and whether it was reset. */
  readonly closed: Promise<{ received: string; isReset: boolean }>;
}

export async function openRaw(url: string): Promise<RawConnection> {
  const socket = await open(url);
  const chunks: Buffer[] = [];
  const received = () => Buffer.concat(chunks).toString('latin1');
  let isReset = false;
  let check = () => {};
  socket.on('error', () => {
    isReset = true;
  });
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    check();
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve())).then(() => ({
    received: received(),
    isReset,
  }));
  const until = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      check = () => {
        if (pattern.test(received())) resolve(received());
      };
      void closed.then(() => reject(new Error(`closed before ${pattern}: ${received().slice(0, 500)}`)));
      check();
    });
  return { socket, received, until, closed };
}

export function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.once('error', reject);
  });
}
