/** Metrics of the queues for expensive work in this process: waiting tasks, permits in use, rejected tasks. */
import { Counter, Gauge } from 'prom-client';
import { registry } from './registry.js';

/** What a queue reports, as `WeightedSemaphore` does. */
interface ObservedQueue {
  readonly state: {
    readonly work: string;
    readonly inUse: number;
    readonly waiting: number;
    readonly rejected: number;
  };
}

const queues: ObservedQueue[] = [];
const labelNames = ['work'] as const;
const registers = [registry];

// Declared first: metrics are collected in the order of declaration, and this one sets the others.
new Gauge({
  name: 'daybook_queue_waiting',
  help: 'Tasks that wait for a permit, by kind of work.',
  labelNames,
  registers,
  collect() {
    for (const metric of [this, inUse, rejected]) metric.reset();
    for (const { state } of queues) {
      this.inc({ work: state.work }, state.waiting);
      inUse.inc({ work: state.work }, state.inUse);
      rejected.inc({ work: state.work }, state.rejected);
    }
  },
});

const inUse = new Gauge({
  name: 'daybook_queue_in_use',
  help: 'Permits in use by running tasks, by kind of work.',
  labelNames,
  registers,
});

const rejected = new Counter({
  name: 'daybook_queue_rejected_total',
  help: 'Tasks that were rejected because the queue was full or the maximum waiting time was exceeded, by kind of work.',
  labelNames,
  registers,
});

/** Adds a queue to the metrics, for the lifetime of the process. @returns the queue */
export function observeQueue<Queue extends ObservedQueue>(queue: Queue): Queue {
  queues.push(queue);
  return queue;
}
