/** Requests to stop a process, by SIGTERM and SIGINT. */
import type { EventEmitter } from 'node:events';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Signals within this time after the first one are the same request: a process manager that signals a group reaches the process directly, and through
 * npm, which forwards the signal.
 */
const SAME_REQUEST_MS = 2_000;

export interface StopSignals {
  /** Called once, at the first signal. */
  stop(signal: NodeJS.Signals): void;
  /** Called at each signal of a later request. */
  force(signal: NodeJS.Signals): void;
}

/** @param now the monotonic time in milliseconds; a test sets it, and the source of the signals */
export function onStopSignals(
  { stop, force }: StopSignals,
  now: () => number = () => performance.now(),
  source: EventEmitter = process,
): void {
  let stoppedAt: number | undefined;
  const receive = (signal: NodeJS.Signals) => {
    if (stoppedAt === undefined) {
      stoppedAt = now();
      stop(signal);
    } else if (now() - stoppedAt >= SAME_REQUEST_MS) force(signal);
  };
  for (const signal of SIGNALS) source.on(signal, receive);
}
