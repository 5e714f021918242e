/** The log: JSON lines on standard output, without secrets or personal data. */
import cluster from 'node:cluster';
import { type DestinationStream, type Logger, pino } from 'pino';
import { traceIds } from './tracing/span.js';

export type Log = Logger;

/** @param level a level of pino; @param destination default: standard output */
export function createLog(level: string, destination: DestinationStream = standardOutput()): Log {
  const mixin = () => traceIds() ?? NOTHING;
  // pino's default strategy would copy the log object even where there are no ids to add.
  const mixinMergeStrategy = (line: object, ids: object) => (ids === NOTHING ? line : { ...ids, ...line });
  const timestamp = pino.stdTimeFunctions.isoTime;
  const base = cluster.isWorker ? { worker: process.pid } : null;
  return pino({ level, base, timestamp, mixin, mixinMergeStrategy }, destination);
}

const NOTHING = {};

/** Flush interval in milliseconds: the longest time for which a line is buffered. */
const FLUSH_INTERVAL_MS = 250;
/** Maximum bytes of one write: PIPE_BUF of Linux, up to which lines of several processes on one pipe are not mixed. */
const MAX_WRITE_BYTES = 4096;

let output: ReturnType<typeof pino.destination> | undefined;

/**
 * Buffered standard output, shared by all logs of the process: a system call for each line would cost a request more than its
 * routing does. The buffer is flushed when the process exits; a killed process loses the lines of the last quarter of a second.
 */
function standardOutput(): DestinationStream {
  if (output) return output;
  const created = pino.destination({ dest: 1, sync: false, minLength: MAX_WRITE_BYTES - 1, maxWrite: MAX_WRITE_BYTES });
  setInterval(() => created.flush(), FLUSH_INTERVAL_MS).unref();
  process.on('exit', () => created.flushSync());
  output = created;
  return output;
}
