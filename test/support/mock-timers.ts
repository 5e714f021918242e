/** Mocked timers that leave those of connections alone. */
import { mock } from 'node:test';

const { clearTimeout: clearReal } = globalThis;

/**
 * Replaces `setTimeout` until `mock.timers.reset()`. The mock does not clear timers that were started before: that of an idle connection of `fetch`,
 * which is closed meanwhile, would run seconds later, and fail another test with an error of undici (https://github.com/nodejs/undici/pull/4758).
 */
export function mockTimeouts(): void {
  mock.timers.enable({ apis: ['setTimeout'] });
  const clearMocked = globalThis.clearTimeout;
  globalThis.clearTimeout = (timer) => {
    clearReal(timer);
    clearMocked(timer);
  };
}
