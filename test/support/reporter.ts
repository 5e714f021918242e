/** The spec reporter of mocha, which also prints the ten slowest files and, alone on the last line, its counts. */
import { relative } from 'node:path';
import mocha from 'mocha';

const { EVENT_HOOK_END, EVENT_TEST_END } = mocha.Runner.constants;
const MAX_FILES = 10;

export default class CountingReporter extends mocha.reporters.Spec {
  /** Milliseconds of tests and hooks, by file. */
  readonly #durations = new Map<string, number>();

  constructor(runner: mocha.Runner, options: mocha.MochaOptions) {
    super(runner, options);
    for (const event of [EVENT_TEST_END, EVENT_HOOK_END]) runner.on(event, (ended: mocha.Runnable) => this.#add(ended));
  }

  #add({ file, duration = 0 }: mocha.Runnable): void {
    if (!file) return;
    this.#durations.set(file, (this.#durations.get(file) ?? 0) + duration);
  }

  override done(failures: number, finish?: (failures: number) => void): void {
    const slowest = [...this.#durations].sort(([, a], [, b]) => b - a).slice(0, MAX_FILES);
    const lines = slowest.map(([file, ms]) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${relative('', file)}\n`);
    const { passes, pending } = this.stats;
    const skipped = pending > 0 ? `, ${pending} skipped` : '';
    process.stdout.write(`The slowest files:\n${lines.join('')}\n${passes} passed, ${failures} failed${skipped}\n`);
    finish?.(failures);
  }
}
