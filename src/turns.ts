/** A bounded queue in front of work that needs much memory, or much of the processor. */
import { AppError } from './errors.js';
import type { Work } from './messages/en/requests.js';
import { say } from './messages/message.js';

export interface TurnsOptions {
  /** Turns that can be taken at the same time. */
  turns: number;
  /** How many may wait. One more is refused at once. */
  maxWaiting: number;
  /** Milliseconds after which one that waits is refused. */
  maxWait: number;
  /** Who is refused hears of too many of these. */
  what: Work;
}

interface Waiter {
  weight: number;
  start(): void;
}

/** First come, first served: heavy work at the front is not passed by light work behind it, or it would never start. */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #waiting: Waiter[] = [];
  #free: number;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#free = options.turns;
  }

  /**
   * Runs `work` when `weight` turns are free.
   * @throws AppError SERVICE_UNAVAILABLE where too many wait, or this one has waited too long.
   */
  async run<Result>(weight: number, work: () => Promise<Result>): Promise<Result> {
    await this.#take(weight);
    try {
      return await work();
    } finally {
      this.#free += weight;
      this.#startNext();
    }
  }

  async #take(weight: number): Promise<void> {
    if (this.#waiting.length >= this.#options.maxWaiting) throw this.#tooBusy();
    await new Promise<void>((resolve, reject) => {
      const waiter = {
        weight,
        start: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(this.#tooBusy());
        this.#startNext();
      }, this.#options.maxWait);
      this.#waiting.push(waiter);
      this.#startNext();
    });
  }

  #startNext(): void {
    for (let next = this.#waiting[0]; next && next.weight <= this.#free; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= next.weight;
      next.start();
    }
  }

  #tooBusy(): AppError {
    return new AppError('SERVICE_UNAVAILABLE', { message: say('tooBusy', this.#options.what) });
  }
}
