/** Processor time of a thread. Unlike the time that passes, it does not depend on how busy the machine is. */
import { readFileSync } from 'node:fs';

/** The first number is the time on a processor in nanoseconds (Linux). Node.js 20 has the time of the whole process only. */
const SCHEDULED = '/proc/thread-self/schedstat';

/** Milliseconds since an arbitrary time that the calling thread has used; where the system does not tell, those that have passed. */
export function threadMs(): number {
  try {
    return Number.parseInt(readFileSync(SCHEDULED, 'utf8'), 10) / 1e6;
  } catch {
    return performance.now();
  }
}
