/** The connection of a worker process to its primary (primary.ts): the messages in both directions, and their handling here. */
import cluster from 'node:cluster';
import { withTimeout } from '../../platform/concurrency/timeout.js';

export type ToWorker =
  /** Connects to the database, which is migrated, and listens. */
  | { type: 'serve'; databaseUrl: string }
  /** With `isReplaced`, another worker accepts connections, and requests on open connections are still served. */
  | { type: 'stop'; isReplaced: boolean }
  /** The primary has closed the socket, and has passed all connections. */
  | { type: 'allPassed' };

export type ToPrimary =
  /** Receives messages from now on; node:cluster does not keep earlier ones. */
  { type: 'loaded' } | { type: 'ready' } | { type: 'failed'; message: string };

export interface WorkerServer {
  serve(databaseUrl: string): Promise<void>;
  /** May be called again without `isReplaced`, and then stops without waiting for idle connections. */
  stop(isReplaced: boolean): Promise<void>;
}

/** Runs the server as the primary directs. The process exits when the server has stopped, or cannot start. */
export function runWorker(server: WorkerServer): void {
  const stop = async (isReplaced: boolean) => {
    await server.stop(isReplaced);
    process.exit(0);
  };
  process.on('message', (message: ToWorker) => {
    if (message.type === 'serve') server.serve(message.databaseUrl).then(() => send({ type: 'ready' }), fail);
    else if (message.type === 'stop') void stop(message.isReplaced);
    else if (message.type === 'allPassed') resolveAllPassed();
  });
  // A rolling restart concerns the primary; a terminal that is closed sends SIGHUP to all processes.
  process.on('SIGHUP', () => {});
  cluster.worker?.once('disconnect', () => {
    // The primary has exited. Without this flag, node:cluster exits at once instead of completing the requests in progress.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    void stop(false);
  });
  send({ type: 'loaded' });
}

/** Time to wait for the primary, which does not send the message if only this worker receives a signal. */
const ALL_PASSED_TIMEOUT_MS = 1_000;

let resolveAllPassed = () => {};
const passedAll = new Promise<void>((resolve) => {
  resolveAllPassed = resolve;
});

/** Resolves when the primary accepts and passes no more connections. */
export async function allPassed(): Promise<void> {
  if (process.connected) await withTimeout(passedAll, ALL_PASSED_TIMEOUT_MS);
}

/** Sends the message, unless the primary has exited. */
function send(message: ToPrimary, sent?: () => void): void {
  if (process.connected) process.send?.(message, undefined, undefined, sent);
  else sent?.();
}

function fail({ message }: Error): void {
  send({ type: 'failed', message }, () => process.exit(1));
}
