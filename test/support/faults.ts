/** All faults of the fault-injection suite with their guarantees. The tests are in the `describeFault` of each. */
import { appendFileSync } from 'node:fs';
import type { Suite } from 'mocha';

export interface Fault {
  readonly fault: string;
  readonly guarantee: string;
}

export const FAULTS = {
  'primary-killed': {
    fault: 'The machine of the primary is lost: PostgreSQL and Patroni end with `kill -9`',
    guarantee:
      'Responses are successful or 503 with `Retry-After`. Each acknowledged write exists once, counters match the rows, ' +
      'streams and jobs continue. All processes read and write within 5 s after the new primary is up.',
  },
  'primary-paused': {
    fault: 'PostgreSQL and Patroni of the primary are paused for longer than the TTL, then continue',
    guarantee: 'As above; the paused server accepts no write after it continues.',
  },
  'primary-partitioned': {
    fault: 'The network between the primary and all others drops everything, and works again after the failover',
    guarantee: 'As above; no response takes longer than `DATABASE_STATEMENT_TIMEOUT` plus four seconds.',
  },
  switchover: {
    fault: 'Planned switchover to a standby',
    guarantee: 'As above.',
  },
  'standby-paused': {
    fault: 'The synchronous standby is paused',
    guarantee:
      'Writes continue within 15 s with the other standby; reads continue meanwhile. No acknowledged write is lost.',
  },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

/** Adds a measured value to the row of the fault in docs/reliability.md. */
export type Measured = (text: string) => void;

/** The tests of a fault, in any file of `test`. Tests that take long are in files `*.slow.ts`, which only `npm run faults` runs. */
export function describeFault(name: FaultName, body: (this: Suite, measured: Measured) => void): void {
  const { FAULT_RESULTS: file } = process.env;
  const measured = (text: string) => {
    if (file) appendFileSync(file, `${JSON.stringify([name, text])}\n`);
  };
  describe(FAULTS[name].fault, function () {
    body.call(this, measured);
  });
}

/** Such as `3.2 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
