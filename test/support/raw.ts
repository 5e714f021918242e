/** Requests that no well-behaved client sends, over a bare connection. */
import { connect, type Socket } from 'node:net';

/** Sends the bytes and closes the connection without waiting for an answer. */
export async function sendAndLeave(url: string, bytes: string | Uint8Array): Promise<void> {
  const socket = await open(url);
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.destroy();
  });
}

/** Sends the bytes, in which `Connection: close` asks for the end. @returns what comes as text; empty where nothing came */
export async function sendRaw(url: string, bytes: string | Uint8Array): Promise<string> {
  const socket = await open(url);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(bytes);
  await closed;
  return Buffer.concat(chunks).toString('latin1');
}

function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.once('error', reject);
  });
}
