/** The log: JSON lines on standard output, without secrets or personal data. */
import { type Logger, pino } from 'pino';

export type Log = Logger;

/** `level` is one of pino's. Lines are written as they come, so that none is lost when the process is killed. */
export function createLog(level: string): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
}
