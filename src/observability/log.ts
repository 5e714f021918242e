/** The log: JSON lines on standard output, without secrets or personal data. */
import { type DestinationStream, type Logger, pino } from 'pino';
import { currentTracer } from './tracing/span.js';

export type Log = Logger;

/** `level` is one of pino's, `destination` standard output unless it is given. */
export function createLog(level: string, destination: DestinationStream = standardOutput()): Log {
  const mixin = () => currentTracer()?.ids() ?? NOTHING;
  // pino's own would copy the line even where there is nothing to add.
  const mixinMergeStrategy = (line: object, ids: object) => (ids === NOTHING ? line : { ...ids, ...line });
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ level, base: null, timestamp, mixin, mixinMergeStrategy }, destination);
}

const NOTHING = {};

/** Milliseconds that a line waits at most for others to be written with. */
const LONGEST_WAIT = 250;
/** Bytes that do not wait. */
const ENOUGH = 4096;

/** Of all logs of the process, which has one listener for them, however many there are. */
const outputs: ReturnType<typeof pino.destination>[] = [];
process.on('exit', () => {
  for (const output of outputs) output.flushSync();
});

/**
 * Lines are written some at a time: a call of the system for each costs a request more than its routing does. The last
 * ones are written when the process exits; one that is killed loses those of the last quarter of a second.
 */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, minLength: ENOUGH });
  setInterval(() => output.flush(), LONGEST_WAIT).unref();
  outputs.push(output);
  return output;
}
