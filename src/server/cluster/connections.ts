/** The connections that node:cluster accepts in the primary and passes to the workers. It has no interface for what is done here. */
import type { Worker } from 'node:cluster';
import { subscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { closeSocket } from '../../platform/http/listen.js';
import { type ListeningSocket, socketOf } from '../../platform/http/node-internals.js';

/** The longest time in which the workers take the connections that have been accepted. */
const PASS_TIMEOUT_MS = 500;

/** A connection that node:cluster passes to a worker, one at a time. */
interface Passed {
  readonly seq: unknown;
  readonly handle: { close(): void };
}

export class Connections {
  /** Of node:cluster, which opens another one if all workers crash. */
  #socket: ListeningSocket | null = null;
  /** By worker: the connection that it has not acknowledged. */
  readonly #passed = new Map<Worker, Passed>();

  /** Before the first worker listens. */
  constructor() {
    subscribe('tracing:net.server.listen:asyncEnd', (message) => {
      this.#socket = socketOf((message as { server: Server }).server);
    });
  }

  /**
   * If the worker exits before it has acknowledged a connection, node:cluster keeps the connection open, and its client would wait
   * until its own timeout: it is closed.
   */
  observe(worker: Worker): void {
    const { process: child } = worker;
    const send = child.send.bind(child) as (message: { seq?: unknown }, ...others: unknown[]) => boolean;
    child.send = (message: { seq?: unknown }, ...others: unknown[]) => {
      const [handle] = others as [Passed['handle'] | undefined];
      if (handle) this.#passed.set(worker, { seq: message.seq, handle });
      return send(message, ...others);
    };
    child.on('internalMessage', ({ ack }: { ack?: unknown }) => {
      if (this.#passed.get(worker)?.seq === ack) this.#passed.delete(worker);
    });
    child.once('exit', () => {
      this.#passed.get(worker)?.handle.close();
      this.#passed.delete(worker);
    });
  }

  /**
   * Refuses further connections, and resolves when the workers have the accepted ones. node:cluster itself would close the socket and
   * the queued connections when the last worker closes its listener: their clients would receive a reset.
   */
  async end(): Promise<void> {
    await closeSocket(this.#socket);
    for (const end = performance.now() + PASS_TIMEOUT_MS; this.#passed.size > 0 && performance.now() < end; )
      await delay(1);
  }
}
