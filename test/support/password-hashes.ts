/** Password hashes, which take most of the time of a request. */
import { hashing } from '../../src/services/auth/password.js';

/** @returns the number of hashes computed while `work` runs */
export async function hashesDuring(work: () => Promise<unknown>): Promise<number> {
  let hashes = 0;
  await beforeHashes(async () => hashes++, work);
  return hashes;
}

/** @param step is executed before each hash that `work` needs */
export async function beforeHashes<Result>(step: () => Promise<unknown>, work: () => Promise<Result>): Promise<Result> {
  const run = hashing.run;
  hashing.run = async (...task) => {
    await step();
    return run.apply(hashing, task) as never;
  };
  try {
    return await work();
  } finally {
    hashing.run = run;
  }
}
