/** The current spam model of this process: loaded at the start, and again when a statement shows that another version exists. */
import { SPAM_MODEL } from '../../models/spam.js';
import type { Database } from '../../platform/database/pool.js';
import type { Log } from '../../platform/observability/log.js';
import { countsOf, type SpamCounts, spamScoreOf } from './spam-score.js';

export class SpamModel {
  #version = 0;
  #counts: SpamCounts | null = null;
  #loading: Promise<void> | null = null;

  constructor(
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  /** From 0 to 1; null without enough decisions. */
  scoreOf(text: string): number | null {
    return this.#counts && spamScoreOf(this.#counts, text);
  }

  /** Loads the model in the background if this is not its version. One load runs at a time. @param version 0: there is none */
  refresh(version: number): void {
    if (version !== this.#version) void this.load();
  }

  /** Without the database, the last model stays in use. */
  load(): Promise<void> {
    this.#loading ??= this.#load()
      .catch((error) => this.log.warn({ err: error }, 'the spam model cannot be loaded'))
      .finally(() => {
        this.#loading = null;
      });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const [stored] = await this.database.query(SPAM_MODEL, []);
    this.#version = stored?.version ?? 0;
    this.#counts = stored ? countsOf(stored) : null;
  }
}
