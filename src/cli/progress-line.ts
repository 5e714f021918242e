/** Shows how far a command is: one line that changes on a terminal, a line every few seconds elsewhere. */
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

  /** @param describe asked only where it is time for another line */
  show(describe: () => string): void {
    const now = this.#now();
    if (now - this.#shownAt < this.#pause) return;
    this.#shownAt = now;
    // CSI K clears what a longer line before has left.
    this.#output.write(this.#output.isTTY ? `\r${describe()}\u001b[K` : `${describe()}\n`);
  }

  /** Leaves the terminal's line to what comes next. */
  end(): void {
    if (this.#output.isTTY) this.#output.write('\r\u001b[K');
  }
}
