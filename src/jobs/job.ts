/** What a job is given. */
import type { Services } from '../services.js';

/** One run of a job. */
export interface JobRun {
  /** 1 for the first. Also counts those that ended with their process. */
  readonly attempt: number;
  /** The process is about to stop: what throws now runs again elsewhere. */
  readonly signal: AbortSignal;
}

/** Throws where it should be tried again. */
export type Task<Payload> = (payload: Payload, services: Services, run: JobRun) => Promise<void>;
