/** The spec reporter of mocha, which also writes its counts as one line to the file COUNTS_FILE. */
import { writeFileSync } from 'node:fs';
import mocha from 'mocha';

export default class CountingReporter extends mocha.reporters.Spec {
  override done(failures: number, finish?: (failures: number) => void): void {
    const { passes, pending } = this.stats;
    const skipped = pending > 0 ? `, ${pending} skipped` : '';
    writeFileSync(process.env.COUNTS_FILE ?? '/dev/stdout', `${passes} passed, ${failures} failed${skipped}\n`);
    finish?.(failures);
  }
}
