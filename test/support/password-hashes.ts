/** Counts password hashes, which take most of the time of a request. */
import { hashing } from '../../src/services/auth/password.js';

/** @returns the number of hashes computed while `work` runs */
export async function hashesDuring(work: () => Promise<unknown>): Promise<number> {
  const run = hashing.run;
  let hashes = 0;
  hashing.run = (...task) => {
    hashes++;
    return run.apply(hashing, task) as never;
  };
  try {
    await work();
  } finally {
    hashing.run = run;
  }
  return hashes;
}
