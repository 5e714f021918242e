/** What comes over a stream as the bytes and messages themselves, for what no client library shows. */
import { WebSocket } from 'ws';
import { keep, STREAM, socketOf } from './live.js';

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

/** The same over a WebSocket. */
export async function holdSubscription(url: string, token: string): Promise<() => string | undefined> {
  const { socket, closed } = await openSocket(url);
  let ending: string | undefined;
  void closed.then((found) => {
    ending = found;
  });
  const said = new Promise((resolve) => socket.once('message', resolve));
  socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } }));
  await said;
  return () => ending;
}

export interface RawSocket {
  socket: WebSocket;
  /** Everything that came, as it came. */
  said: Record<string, unknown>[];
  /** The code and the reason of its end. */
  closed: Promise<string>;
}

/** A bare WebSocket, for what no client library says. */
export async function openSocket(url: string, protocols = ['graphql-transport-ws']): Promise<RawSocket> {
  const socket = new WebSocket(socketOf(url), protocols);
  const said: Record<string, unknown>[] = [];
  socket.on('message', (data) => said.push(JSON.parse(String(data))));
  const closed = new Promise<string>((resolve) => socket.once('close', (code, reason) => resolve(`${code} ${reason}`)));
  keep([], () => socket.terminate());
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { socket, said, closed };
}
