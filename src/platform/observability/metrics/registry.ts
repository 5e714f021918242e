/** The Prometheus registry of this process: that of prom-client, on which every metric registers itself. */
import { collectDefaultMetrics, Gauge, register } from 'prom-client';
import { VERSION } from '../../version.js';

/**
 * One per process, even with several instances of the service. Metrics are declared next to the code that they measure, with a name
 * that begins with `daybook_`, and labels with few, fixed values.
 */
export const registry = register;

/** Histogram buckets in seconds, for work that waits for the network or a database. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

let isStarted = false;

/** Registers the default metrics of the process: memory, garbage collection, event loop. Further calls have no effect. */
export function watchProcess(): void {
  if (isStarted) return;
  isStarted = true;
  collectDefaultMetrics();
  for (const metric of registry.getMetricsAsArray()) setAggregator(metric);
  new Gauge({
    name: 'daybook_build_info',
    help: 'Always 1. The labels are the versions of the service and of Node.',
    labelNames: ['version', 'node'],
    aggregator: 'first',
  }).set({ version: VERSION, node: process.version }, 1);
}

/** How the values of several workers are combined, where the default of prom-client would hide the one near its limit. */
function setAggregator(metric: object & { name?: string; aggregator?: string }): void {
  const { name = '' } = metric;
  if (/^nodejs_(?:eventloop_lag|heap_size)_(?!min)/.test(name)) metric.aggregator = 'max';
  else if (name === 'process_start_time_seconds') metric.aggregator = 'min';
}
