/** When a signal is the first request to stop, the same one, or another one. */
import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { onStopSignals } from '../../../src/platform/concurrency/stop-signals.js';

describe('Signals to stop', () => {
  it('are one request within two seconds after the first, also of the other kind, and force at each later one', () => {
    const source = new EventEmitter();
    const calls: string[] = [];
    let time = 100_000;
    const record = (name: string) => (signal: string) => calls.push(`${time} ${name} ${signal}`);
    onStopSignals({ stop: record('stop'), force: record('force') }, () => time, source);
    for (const [at, signal] of [
      [100_000, 'SIGTERM'],
      [100_000, 'SIGTERM'],
      [101_000, 'SIGINT'],
      [101_999, 'SIGTERM'],
      [102_000, 'SIGINT'],
      [103_000, 'SIGTERM'],
    ] as const) {
      time = at;
      source.emit(signal, signal);
    }
    expect(calls).to.deep.equal(['100000 stop SIGTERM', '102000 force SIGINT', '103000 force SIGTERM']);
  });
});
