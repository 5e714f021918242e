/** Types of job handlers, and what jobs log of articles. */
import type { Services } from '../services/index.js';

/** One run of a job. */
export interface JobRun {
  /** Starts at 1. Includes attempts whose process crashed or was killed. */
  readonly attempt: number;
  /** Aborted when the process is about to stop: a job that throws then is run again by another process. */
  readonly signal: AbortSignal;
}

/** Throws if the job should be retried. */
export type Task<Payload> = (payload: Payload, services: Services, run: JobRun) => Promise<void>;

/** The article of a job for its log, which contains nothing of private ones. */
export function loggable(articleId: number, isPrivate: boolean): { articleId?: number } {
  return isPrivate ? {} : { articleId };
}
