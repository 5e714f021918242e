/** The worker processes of a primary: starts them, replaces those that exit, restarts them one after another, and stops them. */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import ms from 'ms';
import { backoffMs } from '../../platform/concurrency/backoff.js';
import { withTimeout } from '../../platform/concurrency/timeout.js';
import type { Log } from '../../platform/observability/log.js';
import { ClusterMetrics } from '../../platform/observability/metrics/cluster.js';
import { Connections } from './connections.js';
import type { ToPrimary, ToWorker } from './worker.js';

export interface WorkerSupervisorOptions {
  /** Number of workers. */
  count: number;
  /** The port on which all of them listen; not 0, since each binding of it would select another port. */
  port: number;
  /** SHUTDOWN_DELAY, which is added to the time in which a worker must stop. */
  shutdownDelayMs: number;
  log: Log;
}

/** Time from the fork of a worker, or from the message `serve`, until it is ready: much longer than on a busy machine. */
const START_TIMEOUT_MS = 180_000;
/** A worker that exits earlier after it was ready counts as a failure. */
const STABLE_MS = 10_000;
/** Number of failures in succession after which the first start fails. */
const MAX_START_FAILURES = 3;
/** Before a worker that failed is replaced. */
const BACKOFF = { firstMs: 500, maxMs: 30_000 };
/** Above the time that a worker needs to stop by itself. */
const STOP_TIMEOUT_MS = 8_000;
const REPLACED_STOP_TIMEOUT_MS = ms('1m');

interface Member {
  readonly worker: Worker;
  readonly pid: number | undefined;
  isLoaded: boolean;
  /** Resolves to false if the worker exits before it is ready. */
  readonly ready: Promise<boolean>;
  readonly exited: Promise<void>;
  /** `performance.now()`; null while it is not ready. */
  readyAt: number | null;
  /** The reason for which it failed to start, as far as it is known. */
  failure: string | null;
  /** Set when the primary stops the worker. */
  isStopping: boolean;
  /** Set while a rolling restart waits for it to become ready. */
  isCandidate: boolean;
  startTimer: NodeJS.Timeout | undefined;
}

export class WorkerSupervisor {
  readonly #options: WorkerSupervisorOptions;
  readonly #members = new Set<Member>();
  readonly #metrics = new ClusterMetrics();
  readonly #connections = new Connections();
  readonly #replacements = new Set<NodeJS.Timeout>();
  /** Null until the database is available. */
  #databaseUrl: string | null = null;
  /** Number of failures in succession. */
  #failures = 0;
  #hasStarted = false;
  #isStopping = false;
  #isRestarting = false;
  #isRestartRequested = false;
  readonly #allReady: Promise<void>;
  readonly #failed: Promise<never>;
  #resolveAllReady = () => {};
  #reject: (error: Error) => void = () => {};

  constructor(options: WorkerSupervisorOptions) {
    this.#options = options;
    this.#allReady = new Promise((resolve) => {
      this.#resolveAllReady = resolve;
    });
    this.#failed = new Promise((_resolve, reject) => {
      this.#reject = reject;
    });
    this.#failed.catch(() => {});
    cluster.setupPrimary({
      exec: fileURLToPath(new URL('../server.js', import.meta.url)),
      execArgv: ['--enable-source-maps', ...process.execArgv],
      args: [],
    });
    // A primary that exits in any way leaves no workers.
    process.once('exit', () => this.kill());
  }

  /** Starts the workers, which load their modules. */
  start(): void {
    for (let started = 0; started < this.#options.count; started++) this.#fork();
  }

  /** Resolves when all workers are ready. @throws Error with the reason if they cannot start */
  async serve(databaseUrl: string): Promise<void> {
    this.#databaseUrl = databaseUrl;
    for (const member of this.#members) if (member.isLoaded) this.#serve(member, databaseUrl);
    await Promise.race([this.#allReady, this.#failed]);
    this.#hasStarted = true;
  }

  /** Replaces each worker by a new one, without a failed request. Calls during a restart cause one further restart. */
  async restart(): Promise<void> {
    const { log } = this.#options;
    if (!this.#hasStarted || this.#isStopping) {
      log.warn('rolling restart ignored: the service is starting or stopping');
      return;
    }
    this.#isRestartRequested = true;
    if (this.#isRestarting) {
      log.info('rolling restart requested again: it follows the current one');
      return;
    }
    this.#isRestarting = true;
    while (this.#isRestartRequested && !this.#isStopping) {
      this.#isRestartRequested = false;
      await this.#restartAll();
    }
    this.#isRestarting = false;
  }

  /** Stops all workers, without waiting for idle connections. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#replacements) clearTimeout(timer);
    const { shutdownDelayMs } = this.#options;
    const members = [...this.#members];
    const stopped = members.map((member) => this.#stopMember(member, false, shutdownDelayMs + STOP_TIMEOUT_MS));
    // Before the workers serve, no client knows them.
    if (this.#databaseUrl !== null && shutdownDelayMs > 0) {
      await delay(shutdownDelayMs);
      await this.#connections.end();
      for (const { worker } of members) send(worker, { type: 'allPassed' });
    }
    await Promise.all(stopped);
  }

  kill(): void {
    for (const { worker } of this.#members) worker.process.kill('SIGKILL');
  }

  async #restartAll(): Promise<void> {
    const { log } = this.#options;
    const previous = [...this.#members].filter(({ isStopping }) => !isStopping);
    log.info({ workers: previous.length }, 'rolling restart started');
    for (const member of previous) {
      // The replacement of a worker that has exited meanwhile is new.
      if (!this.#members.has(member)) continue;
      const candidate = this.#fork(true);
      const isReady = await candidate.ready;
      candidate.isCandidate = false;
      if (this.#isStopping) return;
      if (!isReady) {
        log.error(
          { worker: candidate.pid, reason: candidate.failure },
          'rolling restart aborted: a new worker did not start',
        );
        return;
      }
      await this.#stopMember(member, true, REPLACED_STOP_TIMEOUT_MS);
    }
    log.info({ workers: previous.length }, 'rolling restart finished');
  }

  #fork(isCandidate = false): Member {
    const worker = cluster.fork({ PORT: String(this.#options.port) });
    const member: Member = {
      worker,
      pid: worker.process.pid,
      ready: new Promise((resolve) => {
        worker.on('message', ({ type }: ToPrimary) => {
          if (type === 'ready') resolve(true);
        });
        worker.once('exit', () => resolve(false));
      }),
      exited: new Promise((resolve) => worker.once('exit', () => resolve())),
      isLoaded: false,
      readyAt: null,
      failure: null,
      isStopping: false,
      isCandidate,
      startTimer: undefined,
    };
    this.#members.add(member);
    this.#connections.observe(worker);
    this.#options.log.info({ worker: member.pid }, 'worker started');
    // A message to a worker that has just exited fails; its exit is reported by the event `exit`.
    worker.on('error', () => {});
    worker.on('message', (message: ToPrimary) => this.#receive(member, message));
    worker.once('exit', (code: number | null, signal: string | null) => this.#onExit(member, code, signal));
    this.#limitStart(member);
    return member;
  }

  #serve(member: Member, databaseUrl: string): void {
    this.#limitStart(member);
    send(member.worker, { type: 'serve', databaseUrl });
  }

  #limitStart(member: Member): void {
    clearTimeout(member.startTimer);
    member.startTimer = setTimeout(() => {
      member.failure = `It was not ready within ${START_TIMEOUT_MS / 1000} seconds.`;
      member.worker.process.kill('SIGKILL');
    }, START_TIMEOUT_MS).unref();
  }

  #receive(member: Member, message: ToPrimary): void {
    if (message.type === 'loaded') {
      member.isLoaded = true;
      // Without a limit, since the creation and the migration of the database may take long.
      if (this.#databaseUrl === null) clearTimeout(member.startTimer);
      else this.#serve(member, this.#databaseUrl);
    } else if (message.type === 'failed') {
      member.failure = message.message;
    } else if (message.type === 'ready') {
      clearTimeout(member.startTimer);
      member.readyAt = performance.now();
      this.#metrics.add(member.worker);
      this.#options.log.info({ worker: member.pid }, 'worker ready');
      const ready = [...this.#members].filter(({ readyAt }) => readyAt !== null);
      if (ready.length === this.#options.count) this.#resolveAllReady();
    }
  }

  #onExit(member: Member, code: number | null, signal: string | null): void {
    const { log } = this.#options;
    const { pid, failure, readyAt } = member;
    clearTimeout(member.startTimer);
    this.#members.delete(member);
    void this.#metrics.remove(member.worker);
    const exit = { worker: pid, code, signal, reason: failure ?? undefined };
    if (member.isStopping || this.#isStopping) {
      log.info(exit, 'worker stopped');
      return;
    }
    if (member.isCandidate) {
      log.warn(exit, 'worker exited');
      return;
    }
    const isFailure = readyAt === null || performance.now() - readyAt < STABLE_MS;
    this.#failures = isFailure ? this.#failures + 1 : 0;
    const delayMs = isFailure ? backoffMs(this.#failures, BACKOFF) : 0;
    if (!this.#hasStarted && this.#failures === MAX_START_FAILURES) {
      const how = failure ?? `It ended with ${signal ?? `exit code ${code}`}.`;
      this.#reject(new Error(`A worker failed to start ${this.#failures} times. ${how}`));
      return;
    }
    log.warn({ ...exit, replacedInMs: delayMs }, 'worker exited');
    const timer = setTimeout(() => {
      this.#replacements.delete(timer);
      this.#fork();
    }, delayMs);
    this.#replacements.add(timer);
  }

  async #stopMember(member: Member, isReplaced: boolean, timeoutMs: number): Promise<void> {
    member.isStopping = true;
    // Before it is loaded it has nothing to finish, and would not receive the message.
    if (member.isLoaded) send(member.worker, { type: 'stop', isReplaced });
    else member.worker.process.kill('SIGKILL');
    const exited = member.exited.then(() => true);
    if (await withTimeout(exited, timeoutMs)) return;
    this.#options.log.warn({ worker: member.pid, timeoutMs }, 'worker did not stop and is killed');
    member.worker.process.kill('SIGKILL');
    await member.exited;
  }
}

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}
