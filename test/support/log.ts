/** A log that a test can read. */
import { createLog, type Log } from '../../src/observability/log.js';

export interface ReadableLog {
  log: Log;
  /** Whole lines, as they were written. */
  lines: string[];
}

export function readableLog(level = 'info'): ReadableLog {
  const lines: string[] = [];
  return { lines, log: createLog(level, { write: (line) => void lines.push(line) }) };
}
