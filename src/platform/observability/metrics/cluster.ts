/**
 * Metrics of a service with several worker processes. A scrape reaches any of them, so the worker that receives it requests from
 * the primary the aggregate of all workers.
 */
import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client';
import { withTimeout } from '../../concurrency/timeout.js';
import { AppError } from '../../errors.js';
import { registry } from './registry.js';

type Family = MetricObjectWithValues<MetricValue<string>>;

/** `scrape` and `aggregate` have the id of the scrape, `collect` and `collected` the id of the collection. */
type MetricsMessage =
  | { type: 'scrape'; id: number }
  | { type: 'collect'; id: number }
  | { type: 'collected'; id: number | null; families: Family[] }
  | { type: 'aggregate'; id: number; text: string };

/** Milliseconds that the primary waits for the metrics of a worker; a worker that is late is represented by its last metrics. */
const COLLECT_TIMEOUT_MS = 2_000;
const SCRAPE_TIMEOUT_MS = 5_000;

const scrapes = new Map<number, (text: string) => void>();
let lastScrape = 0;

/**
 * The metrics of this process or, in a worker, of all workers, as Prometheus text.
 * @throws AppError SERVICE_UNAVAILABLE if the primary does not respond
 */
export async function readMetrics(): Promise<string> {
  if (!cluster.isWorker) return registry.metrics();
  const id = ++lastScrape;
  const aggregate = new Promise<string>((resolve) => scrapes.set(id, resolve));
  send({ type: 'scrape', id });
  const text = await withTimeout(aggregate, SCRAPE_TIMEOUT_MS);
  scrapes.delete(id);
  if (text === undefined) throw new AppError('SERVICE_UNAVAILABLE');
  return text;
}

/** In a worker: responds to the primary, from the start of the server on. */
export function handleCollections(): void {
  process.on('message', (message: MetricsMessage) => {
    if (message.type === 'collect') void sendMetrics(message.id);
    else if (message.type === 'aggregate') scrapes.get(message.id)?.(message.text);
  });
}

/** In a worker that is about to exit: sends its final counts. */
export function sendFinalMetrics(): Promise<void> {
  return sendMetrics(null);
}

async function sendMetrics(id: number | null): Promise<void> {
  const families = await registry.getMetricsAsJSON();
  await send({ type: 'collected', id, families });
}

function send(message: MetricsMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}

/** In the primary: collects the metrics of the workers and aggregates them. */
export class ClusterMetrics {
  readonly #workers = new Map<Worker, Family[]>();
  /** Counts of workers that have exited. Without them the sums would decrease, which Prometheus treats as a reset to zero. */
  #exited: Family[] = [];
  readonly #collections = new Map<number, (families: Family[]) => void>();
  #lastCollection = 0;
  #aggregate: Promise<string> | undefined;

  /** Includes a worker that is ready. */
  add(worker: Worker): void {
    this.#workers.set(worker, []);
    worker.on('message', (message: MetricsMessage) => {
      if (message.type === 'scrape') void this.#respond(worker, message.id);
      else if (message.type === 'collected') this.#receive(worker, message);
    });
  }

  /** Keeps the counts of a worker that has exited; those of a crashed worker are as of its last scrape. */
  async remove(worker: Worker): Promise<void> {
    const last = this.#workers.get(worker) ?? [];
    this.#workers.delete(worker);
    const counts = last.filter(({ type }) => (type as unknown as string) !== 'gauge');
    this.#exited = await aggregate([this.#exited, counts]).getMetricsAsJSON();
  }

  #receive(worker: Worker, { id, families }: Extract<MetricsMessage, { type: 'collected' }>): void {
    if (this.#workers.has(worker)) this.#workers.set(worker, families);
    if (id !== null) this.#collections.get(id)?.(families);
  }

  async #respond(worker: Worker, id: number): Promise<void> {
    // Concurrent scrapes share one collection.
    this.#aggregate ??= this.#collect().finally(() => {
      this.#aggregate = undefined;
    });
    const text = await this.#aggregate;
    if (worker.isConnected()) worker.send({ type: 'aggregate', id, text } satisfies MetricsMessage);
  }

  async #collect(): Promise<string> {
    await Promise.all([...this.#workers.keys()].map((worker) => this.#collectFrom(worker)));
    return aggregate([this.#exited, ...this.#workers.values()]).metrics();
  }

  async #collectFrom(worker: Worker): Promise<void> {
    if (!worker.isConnected()) return;
    const id = ++this.#lastCollection;
    const collected = new Promise<Family[]>((resolve) => this.#collections.set(id, resolve));
    worker.send({ type: 'collect', id } satisfies MetricsMessage);
    await withTimeout(collected, COLLECT_TIMEOUT_MS);
    this.#collections.delete(id);
  }
}

function aggregate(metrics: Family[][]): Registry {
  return AggregatorRegistry.aggregate(metrics);
}
