/**
 * Root hooks that report to the main process of mocha what it does not know: the file of a root hook, and the processor time of each file. An
 * unhandled rejection fails the test or hook that is executed.
 */
import { readFileSync } from 'node:fs';
import type { Context, Hook } from 'mocha';

/** Of the times in /proc. */
const MS_PER_TICK = 10;

/** A hook whose worker process also sends this field, which `Hook` does not have. */
export type MeasuredHook = Hook & { processorMs?: number };

interface WithInternals {
  getHooks(name: string): Hook[];
  serialize(): object;
}

let reportedMs = 0;

// Mocha does this in its main process only: in the others, it ignores unhandled rejections.
if (process.env.MOCHA_WORKER_ID !== undefined) {
  process.on('unhandledRejection', (reason) => {
    throw reason;
  });
}

export const mochaHooks = {
  /** The failure of a root hook belongs to the file that is executed. */
  beforeAll(this: Context): void {
    const root = this.test?.parent;
    const [first] = root?.suites ?? [];
    for (const name of ['beforeAll', 'beforeEach', 'afterEach', 'afterAll']) {
      for (const hook of (root as unknown as WithInternals).getHooks(name)) Object.assign(hook, { file: first?.file });
    }
  },
  afterAll(this: Context): void {
    const hook = this.test as MeasuredHook & WithInternals;
    const { serialize } = hook;
    const totalMs = processorMs();
    const processorMsOfFile = totalMs - reportedMs;
    reportedMs = totalMs;
    Object.assign(hook, {
      processorMs: processorMsOfFile,
      serialize: () => ({ ...serialize.call(hook), processorMs: processorMsOfFile }),
    });
  },
};

/** Of this process and, on Linux, of its processes that have ended. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + ticksOfChildren() * MS_PER_TICK;
}

function ticksOfChildren(): number {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15);
  return Number(user) + Number(system);
}
