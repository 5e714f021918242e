/** The processor time of a thread. */
import { expect } from 'chai';
import { threadMs } from '../../../src/platform/concurrency/thread-time.js';

describe('The processor time of a thread', () => {
  it('grows while it computes, but not while it waits', () => {
    const startedAt = threadMs();
    while (threadMs() - startedAt < 20) JSON.parse('[1, 2, 3]');
    const waitingSince = [threadMs(), performance.now()] as const;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    expect(performance.now() - waitingSince[1]).to.be.at.least(490);
    expect(threadMs() - waitingSince[0]).to.be.below(250);
  });
});
