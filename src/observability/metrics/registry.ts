/** What this process counts for Prometheus: one registry, on which every metric of the service registers itself. */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { VERSION } from '../../version.js';

/**
 * A process has one, whatever is built in it. Metrics are declared beside what they count, with
 * `registers: [registry]`, a name that begins with `daybook_`, and labels of which there is a small, fixed number.
 */
export const registry = new Registry();

/** Seconds, for whatever waits for the network or a database. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

let isStarted = false;

/** Begins to watch the process itself: memory, garbage collection, the event loop. Calling it again changes nothing. */
export function watchProcess(): void {
  if (isStarted) return;
  isStarted = true;
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'daybook_build_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: VERSION, node: process.version }, 1);
}
