/** The spec reporter of mocha, which also prints its counts alone on the last line. */
import mocha from 'mocha';

export default class CountingReporter extends mocha.reporters.Spec {
  override done(failures: number, finish?: (failures: number) => void): void {
    const { passes, pending } = this.stats;
    const skipped = pending > 0 ? `, ${pending} skipped` : '';
    process.stdout.write(`${passes} passed, ${failures} failed${skipped}\n`);
    finish?.(failures);
  }
}
