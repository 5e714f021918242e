/**
 * Time limits of tests on busy machines. The limits of mocha only end tests that hang, so they are extended; bounds of measured times are multiplied
 * by `slowdown`.
 */
import mocha from 'mocha';

/** Tests state the time that suffices on a machine without other load. */
const PATIENCE = 5;

const { timeout } = mocha.Runnable.prototype;
// Of tests and hooks, also where they inherit it from their suite.
mocha.Runnable.prototype.timeout = function (this: Mocha.Runnable, ...limit: [limit?: string | number]) {
  const [ms] = limit;
  return timeout.apply(this, (typeof ms === 'number' ? [ms * PATIENCE] : limit) as [number]);
} as typeof timeout;

/** Processor time of one measurement. */
const MEASURED_MS = 100;

/** How many times longer work takes now than it would without other processes: elapsed time by processor time, at least 1. */
export function slowdown(): number {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  let usedMs = 0;
  while (usedMs < MEASURED_MS) {
    const { user, system } = process.cpuUsage(before);
    usedMs = (user + system) / 1000;
  }
  return Math.max(1, (performance.now() - startedAt) / usedMs);
}
