import { mock } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { mockTimeouts } from './mock-timers.js';

describe('Mocked timers', () => {
  it('clear timers that were started before', async () => {
    const fired: string[] = [];
    const before = setTimeout(() => fired.push('before'), 1);
    mockTimeouts();
    try {
      clearTimeout(before);
      setTimeout(() => fired.push('mocked'), 1_000);
      clearTimeout(setTimeout(() => fired.push('cleared'), 1_000));
      mock.timers.tick(1_000);
    } finally {
      mock.timers.reset();
    }
    // Timers run in the order of their ends.
    await delay(2);
    expect(fired).to.deep.equal(['mocked']);
  });
});
