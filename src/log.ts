/** The log: JSON lines on standard output, without secrets or personal data. */
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * `level` is one of pino's, `destination` standard output unless it is given. Lines are written as they come, so that
 * none is lost when the process is killed.
 */
export function createLog(level: string, destination: DestinationStream = pino.destination(1)): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
