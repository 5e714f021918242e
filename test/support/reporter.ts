/**
 * The spec reporter of mocha, followed by a summary: failures, flaky files, the files with the most processor time and, alone on the last line, the
 * counts. With the option `repeat`, a file that has failed is executed once more, alone; a flaky one passes then.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import mocha from 'mocha';
import type { MeasuredHook } from './processor-time.js';

const { EVENT_HOOK_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } = mocha.Runner.constants;
/** With more of them, all of them count as failed. */
const MAX_FLAKY = 3;
/** With more failed files, none is repeated: what they have in common is broken. */
const MAX_REPEATED = 10;
const MAX_EXPENSIVE = 10;
/** The summary fits into 50 lines. */
const MAX_FAILURES = 10;
const MAX_LINE = 160;
/** A race in the product would be reported as a flaky test. */
const NOT_REPEATED = /\.property\.|\/(fault|hostile)\//;

interface Failure {
  file: string;
  title: string;
  message: string;
  /** Not of a hook or of the file. */
  isTest: boolean;
}

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export default class CountingReporter extends mocha.reporters.Spec {
  readonly #canRepeat: boolean;
  /** Before the global set-up names the PostgreSQL server of this run. */
  readonly #environment = { ...process.env };
  readonly #passed = new Map<string, number>();
  readonly #skipped = new Map<string, number>();
  readonly #processorMs = new Map<string, number>();
  readonly #failures: Failure[] = [];

  constructor(runner: mocha.Runner, options: mocha.MochaOptions) {
    super(runner, options);
    this.#canRepeat = options.reporterOptions?.repeat !== undefined;
    runner.on(EVENT_TEST_PASS, ({ file }) => increase(this.#passed, file));
    runner.on(EVENT_TEST_PENDING, ({ file }) => increase(this.#skipped, file));
    runner.on(EVENT_TEST_FAIL, (failed: mocha.Test | mocha.Hook, { message }: Error) => {
      this.#failures.push({
        file: nameOf(failed.file),
        title: failed.fullTitle(),
        message,
        isTest: failed.type === 'test',
      });
    });
    runner.on(EVENT_HOOK_END, ({ file, processorMs }: MeasuredHook) =>
      increase(this.#processorMs, file, processorMs ?? 0),
    );
  }

  override done(failures: number, finish?: (failures: number) => void): void {
    const flaky = new Map([...this.#repeat()].filter(([file, counts]) => this.#hasPassed(file, counts)));
    const counted = flaky.size > MAX_FLAKY ? new Map<string, Counts>() : flaky;
    const total = { passed: this.stats.passes, failed: failures, skipped: this.stats.pending };
    for (const [file, { passed, skipped }] of counted) {
      total.passed += passed - (this.#passed.get(file) ?? 0);
      total.skipped += skipped - (this.#skipped.get(file) ?? 0);
      total.failed -= this.#failures.filter((one) => one.file === file).length;
    }
    process.stdout.write(this.#summary(flaky, total));
    finish?.(total.failed);
  }

  /** Executes each file that has failed once more. @returns the counts of those that have passed */
  #repeat(): Map<string, Counts> {
    const files = new Set(this.#canRepeat ? this.#failures.map(({ file }) => file) : []);
    const results = new Map<string, Counts>();
    if (files.size > MAX_REPEATED) return results;
    for (const file of files) {
      if (!isRepeatable(file)) continue;
      process.stdout.write(`\nExecuting ${file} again.\n`);
      const counts = execute(file, this.#environment);
      if (counts) results.set(file, counts);
    }
    return results;
  }

  /** Whether all tests were executed that were executed before. */
  #hasPassed(file: string, { passed }: Counts): boolean {
    const failedTests = this.#failures.filter((one) => one.file === file && one.isTest);
    return passed > 0 && passed >= (this.#passed.get(file) ?? 0) + failedTests.length;
  }

  #summary(flaky: ReadonlyMap<string, Counts>, { passed, failed, skipped }: Counts): string {
    const failures = this.#failures.filter(({ file }) => !flaky.has(file));
    const lines = failures.slice(0, MAX_FAILURES).flatMap((one) => described('FAILED', one));
    if (failures.length > MAX_FAILURES) lines.push(`and ${failures.length - MAX_FAILURES} more failures, listed above`);
    for (const file of flaky.keys()) {
      const first = this.#failures.find((one) => one.file === file) as Failure;
      lines.push(...described('FLAKY', first));
    }
    if (flaky.size > MAX_FLAKY) lines.push(`More than ${MAX_FLAKY} files are flaky: they count as failed.`);
    const expensive = [...this.#processorMs].sort(([, a], [, b]) => b - a).slice(0, MAX_EXPENSIVE);
    lines.push('The files with the most processor time, without that of PostgreSQL:');
    for (const [file, ms] of expensive) lines.push(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`);
    lines.push('', `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
    return `\n${lines.join('\n')}\n`;
  }
}

function increase(counts: Map<string, number>, path: string | undefined, by = 1): void {
  const file = nameOf(path);
  counts.set(file, (counts.get(file) ?? 0) + by);
}

function nameOf(path: string | undefined): string {
  return path === undefined ? '' : relative('', path);
}

function isRepeatable(file: string): boolean {
  return file !== '' && !NOT_REPEATED.test(file) && !readFileSync(file, 'utf8').includes('describeFault(');
}

/** Executes a file with the options of `.mocharc.cjs`. @returns the counts of its last line, if mocha reports success */
function execute(file: string, env: NodeJS.ProcessEnv): Counts | undefined {
  const { status, stdout } = spawnSync(process.execPath, [process.argv[1] ?? '', file], {
    env,
    encoding: 'utf8',
    maxBuffer: Number.POSITIVE_INFINITY,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // Only the counts of the whole run begin a line.
  process.stdout.write(stdout.replaceAll(/^(?=.)/gm, '  '));
  const lastLine = stdout.trimEnd().split('\n').at(-1) ?? '';
  const [counts, passed, skipped = 0] = /^(\d+) passed, 0 failed(?:, (\d+) skipped)?$/.exec(lastLine) ?? [];
  return status === 0 && counts ? { passed: Number(passed), failed: 0, skipped: Number(skipped) } : undefined;
}

function described(kind: 'FAILED' | 'FLAKY', { file, title, message }: Failure): string[] {
  return [`${kind} ${shorten(`${file}: ${title}`)}`, `  ${shorten(message)}`];
}

/** To one line. */
function shorten(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE - 1)}…` : line;
}
