/** Shows how far an import is: one line that changes on a terminal, a line every few seconds elsewhere. */
import type { Progress } from './load.js';

const ON_TERMINAL = 100;
const ELSEWHERE = 5_000;

/** What of a stream is needed here. */
export interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

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

  show(progress: Progress): void {
    const now = this.#now();
    if (now - this.#shownAt < this.#pause) return;
    this.#shownAt = now;
    const line = describe(progress);
    // CSI K clears what a longer line before has left.
    this.#output.write(this.#output.isTTY ? `\r${line}\u001b[K` : `${line}\n`);
  }

  /** Leaves the terminal's line to what comes next. */
  end(): void {
    if (this.#output.isTTY) this.#output.write('\r\u001b[K');
  }
}

function describe({ read, size, report }: Progress): string {
  const share = size > 0 ? `${Math.floor((read / size) * 100)} %` : `${Math.floor(read / 1e6)} MB`;
  const count = (kind: 'articles' | 'comments') => (report.added[kind] + report.already(kind)).toLocaleString('en');
  return `Importing: ${share} read, ${count('articles')} articles, ${count('comments')} comments`;
}
