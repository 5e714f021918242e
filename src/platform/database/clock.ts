/** The clock of the database server, for times that all processes compare: of tokens, sessions and limits. */
export class DatabaseClock {
  /** Milliseconds by which the server's clock is ahead of `performance.now()`, which no change of this machine's clock affects. */
  #offsetMs: number | undefined;

  /** Each new connection sets it, so that it follows changes of the server's clock. */
  set(serverMs: number): void {
    this.#offsetMs = serverMs - performance.now();
  }

  /** The clock of this machine until there has been a connection. */
  now(): number {
    return this.#offsetMs === undefined ? Date.now() : performance.now() + this.#offsetMs;
  }
}
