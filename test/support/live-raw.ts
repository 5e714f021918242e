/** Raw bytes and messages of streams, for details that client libraries hide. */
import { WebSocket } from 'ws';
import { keep, STREAM, socketOf } from './live.js';

export interface RawStream {
  response: Response;
  /** The text received so far. */
  text: string;
  /** Whether the server has ended it. */
  isEnded: boolean;
  close(): void;
}

/** Opens a stream. Resolves when the response headers have arrived. */
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
    // Closed by the test, or disconnected.
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

/** Keeps a stream open until the server ends it. @returns a function for the close reason, undefined while open */
export async function openEvents(url: string, token: string): Promise<() => string | undefined> {
  const stream = await readEvents(url, token);
  return () => (stream.isEnded ? stream.text.match(/: (.*)\n\n$/)?.[1] : undefined);
}

/** The same over a WebSocket. */
export async function openSubscription(url: string, token: string): Promise<() => string | undefined> {
  const { socket, closed } = await openSocket(url);
  let reason: string | undefined;
  void closed.then((found) => {
    reason = found;
  });
  const messages = new Promise((resolve) => socket.once('message', resolve));
  socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } }));
  await messages;
  return () => reason;
}

export interface RawSocket {
  socket: WebSocket;
  /** All received messages, in order. */
  messages: Record<string, unknown>[];
  /** The close code and reason. */
  closed: Promise<string>;
}

/** Opens a WebSocket without a client library of the protocol. */
export async function openSocket(url: string, protocols = ['graphql-transport-ws']): Promise<RawSocket> {
  const socket = new WebSocket(socketOf(url), protocols);
  const messages: Record<string, unknown>[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  const closed = new Promise<string>((resolve) => socket.once('close', (code, reason) => resolve(`${code} ${reason}`)));
  keep([], () => socket.terminate());
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { socket, messages, closed };
}
