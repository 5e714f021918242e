/** Progress output: one line rewritten in place on a terminal, a new line every few seconds elsewhere. */
import type { Output } from './terminal.js';

const ON_TERMINAL = 100;
const ELSEWHERE = 5_000;

export class ProgressLine {
  readonly #output: Output;
  readonly #pause: number;
  readonly #now: () => number;
  #shownAt: number;

  constructor(output: Output, now = Date.now) {
    this.#output = output;
    this.#now = now;
    this.#shownAt = now();
    this.#pause = output.isTTY ? ON_TERMINAL : ELSEWHERE;
  }

  /** @param describe called only when the next line is due */
  show(describe: () => string): void {
    const now = this.#now();
    if (now - this.#shownAt < this.#pause) return;
    this.#shownAt = now;
    // CSI K (erase in line) clears the rest of a longer previous line.
    this.#output.write(this.#output.isTTY ? `\r${describe()}\u001b[K` : `${describe()}\n`);
  }

  /** Clears the line on a terminal. */
  end(): void {
    if (this.#output.isTTY) this.#output.write('\r\u001b[K');
  }
}
