/** A log in memory. */
import { createLog, type Log } from '../../src/platform/observability/log.js';

export interface ReadableLog {
  log: Log;
  /** Complete lines, as written. */
  lines: string[];
}

export function readableLog(level = 'info'): ReadableLog {
  const lines: string[] = [];
  return { lines, log: createLog(level, { write: (line) => void lines.push(line) }) };
}
