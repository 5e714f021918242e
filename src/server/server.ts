/** The process of one server, alone or as a worker of a primary: configuration, listening, application, and graceful shutdown. */
import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import './node-env.js';
import type { Connected } from '../models/connect-database.js';
import { withTimeout } from '../platform/concurrency/timeout.js';
import { type Config, loadConfig } from '../platform/config/index.js';
import { loadSecrets } from '../platform/config/secrets.js';
import { describeError } from '../platform/database/mask-error.js';
import { checkAddress, closeSocket, listen } from '../platform/http/listen.js';
import { socketOf } from '../platform/http/node-internals.js';
import { createHttpServer, KEEP_ALIVE_MS } from '../platform/http/server.js';
import { handleCollections, sendFinalMetrics } from '../platform/observability/metrics/cluster.js';
import { allPassed, runWorker } from './cluster/worker.js';
import { announce, exitAfterFailedStart, print, stopOnSignal } from './process.js';

/** Grace period in milliseconds for running requests after a signal; stopping the database needs a part of `STOP_TIMEOUT_MS` too. */
const CONNECTION_GRACE_MS = 4_000;
/** Time in which the requests arrive on the connections that a proxy has opened just before. */
const ARRIVAL_MS = 1_000;
/** Grace period for running requests of a worker that has been replaced. */
const REPLACED_GRACE_MS = 30_000;
/** Time in which open connections of a replaced worker send another request, or reach the keep-alive timeout. */
const IDLE_MS = KEEP_ALIVE_MS + 1_500;

/** Most modules are loaded after these checks: invalid settings and a port in use are reported at once. */
async function start(config: Config): Promise<void> {
  const server = new Server(config);
  const stopping = new AbortController();
  const { signal } = stopping;
  const serve = async () => {
    await checkAddress(config);
    const { connectDatabase } = await import('../models/connect-database.js');
    const connected = await connectDatabase(config, print, { limits: config.databaseLimits, signal });
    if (signal.aborted) await connected.close();
    else announce(config, await server.serve(connected, signal), null);
  };
  const started = serve();
  // A signal during startup takes effect between two steps of it, so that no embedded database is left running.
  stopOnSignal(config.shutdownDelayMs, async (name) => {
    print(`${name}: stopping.`);
    stopping.abort();
    await started.catch(() => {});
    await server.stop();
  });
  await started.catch((error) => {
    if (!signal.aborted) throw error;
  });
}

/** The primary owns the database and the announcement, and directs the order of the start (`cluster/worker.ts`). */
function startAsWorker(config: Config): void {
  const server = new Server(config);
  const stop = async (isReplaced: boolean) => {
    await server.stop(isReplaced);
    await sendFinalMetrics();
  };
  stopOnSignal(config.shutdownDelayMs, () => stop(false));
  handleCollections();
  runWorker({
    serve: async (databaseUrl) => {
      const { connectWorker } = await import('../models/connect-database.js');
      await server.serve(await connectWorker(config, databaseUrl));
    },
    stop,
  });
}

type Running = Awaited<ReturnType<typeof run>> & { drain: () => void };

class Server {
  readonly #config: Config;
  readonly #http: HttpServer;
  readonly #closed: Promise<unknown>;
  #running: Running | undefined;
  #stopping: Promise<void> | undefined;
  readonly #stopNow = new AbortController();

  constructor(config: Config) {
    this.#config = config;
    this.#http = createHttpServer(config.http);
    this.#closed = new Promise((resolve) => this.#http.once('close', resolve));
  }

  /**
   * Builds the application on this database, which `stop` closes, and then listens: a proxy sends requests to another process until
   * then, also writes, which it does not repeat after a response.
   * @param signal ends the start before it listens
   * @returns the port. @throws Error with the reason
   */
  async serve(connected: Connected, signal?: AbortSignal): Promise<number> {
    const running = await run(this.#config, connected);
    this.#running = { ...running, drain: running.app.attach(this.#http) };
    try {
      signal?.throwIfAborted();
      return await listen(this.#http, this.#config);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /**
   * Reports that it is not ready, and closes connections after their next response. After SHUTDOWN_DELAY, which starts only if it listens:
   * closes streams, stops accepting requests and jobs, finishes running ones, closes the pool, and stops the database.
   * @param isReplaced another process serves the port: connections are closed between two requests only. A later call
   *   without it ends the wait for them.
   */
  stop(isReplaced = false): Promise<void> {
    if (!isReplaced) this.#stopNow.abort();
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    const { drain, services, jobs } = running;
    services.announceStop();
    drain();
    const { shutdownDelayMs } = this.#config;
    if (this.#stopNow.signal.aborted && shutdownDelayMs > 0 && this.#http.listening) {
      await delay(shutdownDelayMs);
      await (cluster.isWorker ? allPassed() : closeSocket(socketOf(this.#http)));
      this.#stopListening();
      await withTimeout(this.#closed, ARRIVAL_MS);
    }
    const jobsStopped = jobs.stop();
    await this.#waitForClients(running);
    running.services.hub.stop();
    await Promise.all([this.#close(), jobsStopped]);
    await running.app.stop();
    await running.services.close();
    await running.close();
  }

  /** Serves the open connections until their clients have closed them, or are informed by `Connection: close`. */
  async #waitForClients({ services }: Running): Promise<void> {
    const { signal } = this.#stopNow;
    if (signal.aborted) return;
    const stopNow = once(signal, 'abort');
    this.#stopListening();
    await withTimeout(Promise.race([this.#closed, stopNow]), IDLE_MS);
    services.hub.stop();
    await withTimeout(Promise.race([this.#closed, stopNow]), REPLACED_GRACE_MS);
  }

  /** Unlike the method of the HTTP server, does not close idle connections, on which a request may be arriving. */
  #stopListening(): void {
    NetServer.prototype.close.call(this.#http);
  }

  /** Closes keep-alive connections as soon as their last response has been sent, and all connections after CONNECTION_GRACE_MS. */
  async #close(): Promise<void> {
    const idle = setInterval(() => this.#http.closeIdleConnections(), 50);
    const force = setTimeout(() => this.#http.closeAllConnections(), CONNECTION_GRACE_MS);
    this.#http.close();
    await this.#closed;
    clearInterval(idle);
    clearTimeout(force);
  }
}

async function run(config: Config, { database, close }: Connected) {
  try {
    // Before the modules are loaded: a worker that cannot start ends early.
    const jwtSecret = config.jwtSecret ?? (await loadSecrets(config.dataDir)).jwtSecret;
    const [{ createApp }, { startJobs }, { openServices }] = await Promise.all([
      import('../app.js'),
      import('../jobs/supervisor.js'),
      import('../services/index.js'),
    ]);
    const services = await openServices({ config, database, jwtSecret });
    const running = { services, app: await createApp(services), jobs: await startJobs(services), close };
    services.views.start();
    void services.images.check().catch((error) => services.log.error({ err: describeError(error) }, error.message));
    return running;
  } catch (error) {
    await close();
    throw error;
  }
}

// At the end of the file, after the class that it uses.
try {
  const config = loadConfig();
  if (cluster.isWorker) startAsWorker(config);
  else await start(config);
} catch (error) {
  exitAfterFailedStart(error);
}
