/** The rendering time of members and networks in this process: turns alone would give a network with expensive texts half of the renderer. */
import type { TaskOptions } from '../../platform/concurrency/weighted-semaphore.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { assertNotRateLimited } from '../limits/rate-limiter.js';

/** Ordinary texts of 100,000 characters take 50 to 100 ms, also on a busy machine: turns are enough for them. */
const FREE_MS = fixedLimit({
  area: 'Queues',
  error: null,
  value: 100,
  unit: 'ms',
  about: 'Processor time to render a text that does not count for the rendering time of its member and network.',
});

const BURST_MS = fixedLimit({
  area: 'Queues',
  error: 'RATE_LIMITED',
  value: 2_000,
  unit: 'ms',
  about:
    'Processor time for rendering of one member and of one network, in each process; separately for their reads of articles without HTML, and of all jobs together. While it is used up, previews and such reads are rejected, and written articles are stored without HTML, which a job renders. A member regains a tenth of the time that passes, a network a fifth.',
});

/** Parts of the time that passes. */
const MEMBER_SHARE = 0.1;
const NETWORK_SHARE = 0.2;

/** Entries from which those without used time are removed. */
const MAX_ENTRIES = 10_000;

/** Whom rendering counts for. Without a network, it is the process's own work, such as an import, and free. */
export type Payer = Pick<TaskOptions, 'key' | 'network'>;

export class RenderingBudget {
  /** Times at which the members and networks will have regained all that they used. */
  readonly #regainedAt = new Map<string, number>();

  /** @param now in milliseconds, monotonic */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @throws AppError RATE_LIMITED while the time of the member or the network is used up */
  require(payer: Payer): void {
    const now = this.now();
    const waits = sharesOf(payer).map(([name, share]) => (this.#regainedAt.get(name) ?? 0) - now - BURST_MS / share);
    assertNotRateLimited(Math.max(0, ...waits), 'texts that take long to render');
  }

  spend(payer: Payer, ms: number): void {
    const spent = ms - FREE_MS;
    if (spent <= 0) return;
    const now = this.now();
    for (const [name, share] of sharesOf(payer)) {
      this.#regainedAt.set(name, Math.max(now, this.#regainedAt.get(name) ?? 0) + spent / share);
    }
    if (this.#regainedAt.size <= MAX_ENTRIES) return;
    for (const [name, at] of this.#regainedAt) if (at <= now) this.#regainedAt.delete(name);
  }
}

/** The names of a member and its network are never equal. */
function sharesOf({ key, network }: Payer): [name: string, share: number][] {
  if (network === undefined) return [];
  const ofNetwork: [string, number] = [network, NETWORK_SHARE];
  return key === network ? [ofNetwork] : [[key, MEMBER_SHARE], ofNetwork];
}
