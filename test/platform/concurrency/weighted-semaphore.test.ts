/** The concurrency limit in front of expensive work, and its queue. */
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { WeightedSemaphore } from '../../../src/platform/concurrency/weighted-semaphore.js';
import { AppError } from '../../../src/platform/errors.js';
import { mockTimeouts } from '../../support/mock-timers.js';

const OPTIONS = { work: 'images', permits: 2, maxWaiting: 9, maxWaitingPerKey: 9, maxWaitMs: 1000 } as const;

describe('WeightedSemaphore', () => {
  it('runs as many tasks at once as there are permits, in the order of their arrival', async () => {
    const semaphore = new WeightedSemaphore(OPTIONS);
    const { log, work } = record();
    await Promise.all(['a', 'b', 'c'].map((name) => semaphore.run({ key: '' }, () => work(name))));
    expect(log.slice(0, 2)).to.deep.equal(['+a', '+b']);
    expect(log.indexOf('+c')).to.be.greaterThan(log.indexOf('-a'));
  });

  it('does not let light tasks overtake a heavy task of the same client', async () => {
    const semaphore = new WeightedSemaphore(OPTIONS);
    const { log, work } = record();
    await Promise.all([
      semaphore.run({ key: '' }, () => work('a')),
      semaphore.run({ key: '', weight: 2 }, () => work('heavy')),
      semaphore.run({ key: '' }, () => work('b')),
    ]);
    expect(log).to.deep.equal(['+a', '-a', '+heavy', '-heavy', '+b', '-b']);
  });

  it('lets light tasks of other clients overtake a heavy task as far as they leave it its permits', async () => {
    const semaphore = new WeightedSemaphore({ ...OPTIONS, permits: 10 });
    const { log, work } = record();
    const ends: (() => void)[] = [];
    const held = (key: string, weight: number) =>
      semaphore.run({ key, weight }, () => new Promise<void>((resolve) => ends.push(resolve)).then(() => work(key)));
    const running = held('running', 6);
    const heavy = semaphore.run({ key: 'heavy', weight: 6 }, () => work('heavy'));
    const light = [held('light', 4), held('second', 4)];
    await setImmediate();
    expect(semaphore.state).to.include({ inUse: 10, waiting: 2 });
    ends[0]?.();
    await Promise.all([running, heavy]);
    expect(log).to.include('-heavy');
    for (let end = 1; end <= light.length; end++) {
      ends[end]?.();
      await setImmediate();
    }
    await Promise.all(light);
    expect(semaphore.state).to.include({ inUse: 0, waiting: 0 });
  });

  it('counts a task that needs more permits than there are as one that needs all of them', async () => {
    const semaphore = new WeightedSemaphore(OPTIONS);
    expect(await semaphore.run({ key: '', weight: 100 }, async () => 'done')).to.equal('done');
    expect(semaphore.state.inUse).to.equal(0);
  });

  it('serves clients in turn, however many tasks one of them has waiting', async () => {
    const semaphore = new WeightedSemaphore({ ...OPTIONS, permits: 1 });
    const { log, work } = record();
    const greedy = Array.from({ length: 6 }, (_, index) => semaphore.run({ key: 'x' }, () => work(`x${index}`)));
    const modest = ['y', 'z'].map((key) => semaphore.run({ key }, () => work(key)));
    await Promise.all([...greedy, ...modest]);
    expect(log.filter((line) => line.startsWith('+'))).to.deep.equal(
      ['x0', 'y', 'z', 'x1', 'x2', 'x3', 'x4', 'x5'].map((name) => `+${name}`),
    );
  });

  it('keeps a client below its own number of permits and gives the others to the next client', async () => {
    const semaphore = new WeightedSemaphore({ ...OPTIONS, permits: 2, permitsPerKey: 1 });
    const { log, work } = record();
    await Promise.all([
      semaphore.run({ key: 'x' }, () => work('x0')),
      semaphore.run({ key: 'x' }, () => work('x1')),
      semaphore.run({ key: 'y' }, () => work('y0')),
    ]);
    expect(log.slice(0, 2)).to.deep.equal(['+x0', '+y0']);
  });

  it('releases its permits when the task fails', async () => {
    const semaphore = new WeightedSemaphore({ ...OPTIONS, permits: 1 });
    const failure = await semaphore.run({ key: '' }, () => Promise.reject(new Error('no'))).catch((error) => error);
    expect(failure).to.have.property('message', 'no');
    expect(await semaphore.run({ key: '' }, async () => 'yes')).to.equal('yes');
  });

  it('rejects with 503 when its queue is full, and accepts tasks again later', async () => {
    const semaphore = new WeightedSemaphore({ ...OPTIONS, permits: 1, maxWaiting: 2 });
    const { work } = record();
    const taken = ['a', 'b', 'c'].map((name) => semaphore.run({ key: name }, () => work(name)));
    await expectRejection(
      semaphore.run({ key: 'd' }, () => work('d')),
      'SERVICE_UNAVAILABLE',
    );
    await Promise.all(taken);
    await semaphore.run({ key: 'd' }, () => work('d'));
    expect(semaphore.state).to.deep.equal({ work: 'images', inUse: 0, waiting: 0, rejected: 1 });
  });

  it('rejects with 429 when a client has too many tasks waiting, and still accepts those of others', async () => {
    const semaphore = new WeightedSemaphore({ ...OPTIONS, permits: 1, maxWaitingPerKey: 1 });
    const { work } = record();
    const taken = ['a', 'b'].map((name) => semaphore.run({ key: 'x' }, () => work(name)));
    for (const network of ['x', 'another']) {
      await expectRejection(
        semaphore.run({ key: 'x', network }, () => work('c')),
        'RATE_LIMITED',
      );
    }
    await Promise.all([...taken, semaphore.run({ key: 'y' }, () => work('d'))]);
  });

  it('keeps a client to its number of tasks at once, however many permits each of them needs', async () => {
    const semaphore = new WeightedSemaphore({ ...OPTIONS, permits: 3, tasksPerKey: 1 });
    const { log, work } = record();
    await Promise.all([
      semaphore.run({ key: 'x', weight: 2 }, () => work('x0')),
      semaphore.run({ key: 'x' }, () => work('x1')),
      semaphore.run({ key: 'y' }, () => work('y0')),
    ]);
    expect(log.slice(0, 2)).to.deep.equal(['+x0', '+y0']);
    expect(log.indexOf('+x1')).to.be.greaterThan(log.indexOf('-x0'));
  });

  it('evicts a waiting task of the client with the most when the queue is full and a new client arrives', async () => {
    const semaphore = new WeightedSemaphore({ ...OPTIONS, permits: 1, maxWaiting: 3 });
    const { log, work } = record();
    const greedy = ['x0', 'x1', 'x2', 'x3'].map((name) => semaphore.run({ key: 'x' }, () => work(name)));
    const others = ['y', 'z'].map((key) => semaphore.run({ key }, () => work(key)));
    await expectRejection(greedy[3] as Promise<unknown>, 'SERVICE_UNAVAILABLE');
    await expectRejection(greedy[2] as Promise<unknown>, 'SERVICE_UNAVAILABLE');
    await Promise.all([...greedy.slice(0, 2), ...others]);
    expect(log.filter((line) => line.startsWith('+'))).to.deep.equal(['+x0', '+y', '+z', '+x1']);
    expect(semaphore.state.rejected).to.equal(2);
  });

  for (const accounts of [5, 20]) {
    it(`serves networks in turn, and the members of a network in turn, with ${accounts} accounts of one network`, async () => {
      const semaphore = new WeightedSemaphore({ ...OPTIONS, permits: 1, maxWaiting: 100 });
      const { log, work } = record();
      const greedy = Array.from({ length: 2 * accounts }, (_, index) => {
        const name = `x${index % accounts}`;
        return semaphore.run({ key: name, network: 'x' }, () => work(name));
      });
      const others = ['y0', 'y1', 'z0'].map((key) => semaphore.run({ key, network: key[0] }, () => work(key)));
      await Promise.all([...greedy, ...others]);
      const started = log.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
      expect(started.slice(0, 6)).to.deep.equal(['x0', 'y0', 'z0', 'x1', 'y1', 'x2']);
      const members = Array.from({ length: accounts }, (_, index) => `x${index}`);
      expect(started.filter((name) => name.startsWith('x'))).to.deep.equal([...members, ...members]);
    });
  }

  it('counts anonymous clients and members of a network for the same turns', async () => {
    const semaphore = new WeightedSemaphore({ ...OPTIONS, permits: 1 });
    const { log, work } = record();
    const tasks = ['m1', 'x', 'm2'].map((key) => semaphore.run({ key, network: 'x' }, () => work(key)));
    await Promise.all([...tasks, semaphore.run({ key: 'y', network: 'y' }, () => work('y'))]);
    expect(log.filter((line) => line.startsWith('+'))).to.deep.equal(['+m1', '+y', '+x', '+m2']);
  });

  it('counts the permits of a member on all networks', async () => {
    const semaphore = new WeightedSemaphore({ ...OPTIONS, permitsPerKey: 1 });
    const { log, work } = record();
    await Promise.all(['home', 'phone'].map((network) => semaphore.run({ key: 'm1', network }, () => work(network))));
    expect(log).to.deep.equal(['+home', '-home', '+phone', '-phone']);
  });

  it('evicts a waiting task of the network with the most, however many accounts it has', async () => {
    const semaphore = new WeightedSemaphore({ ...OPTIONS, permits: 1, maxWaiting: 3 });
    const { work } = record();
    const greedy = ['x0', 'x1', 'x2', 'x3'].map((key) => semaphore.run({ key, network: 'x' }, () => work(key)));
    const other = semaphore.run({ key: 'y', network: 'y' }, () => work('y'));
    const results = await Promise.allSettled(greedy);
    expect(results.filter(({ status }) => status === 'rejected')).to.have.length(1);
    await other;
  });

  it('starts no task of a network during its pause, and those of other networks at once', async () => {
    const semaphore = new WeightedSemaphore(OPTIONS);
    semaphore.pause('network', 1);
    const paused = ['member', 'other member'].map((key) => semaphore.acquire({ key, network: 'network' }));
    const other = semaphore.acquire({ key: 'member of another one', network: 'another one' });
    expect([...paused, other].map((release) => release instanceof Promise)).to.deep.equal([true, true, false]);
    for (const release of [other, ...paused]) (await release)();
    expect(semaphore.state).to.include({ inUse: 0, waiting: 0 });
    const afterwards = semaphore.acquire({ key: 'member', network: 'network' });
    expect(afterwards).to.not.be.instanceOf(Promise);
  });

  it('starts the tasks of a network one after another for a time after its pause', async () => {
    mockTimeouts();
    try {
      const semaphore = new WeightedSemaphore({ ...OPTIONS, maxWaitMs: 60_000 });
      semaphore.pause('network', 4_000);
      const tasks = ['member', 'other member'].map((key) => semaphore.acquire({ key, network: 'network' }));
      expect(semaphore.state).to.include({ inUse: 0, waiting: 2 });
      mock.timers.tick(4_000);
      expect(semaphore.state).to.include({ inUse: 1, waiting: 1 });
      mock.timers.tick(4_000);
      expect(semaphore.state).to.include({ inUse: 2, waiting: 0 });
      for (const task of tasks) (await task)();
    } finally {
      mock.timers.reset();
    }
  });

  it('rejects a task that has waited too long, and starts the next one', async () => {
    mockTimeouts();
    try {
      const semaphore = new WeightedSemaphore({ ...OPTIONS, maxWaitMs: 50 });
      const { log, work } = record();
      const release = await semaphore.acquire({ key: '' });
      const heavy = semaphore.run({ key: '', weight: 2 }, () => work('heavy'));
      mock.timers.tick(20);
      const light = semaphore.run({ key: '' }, () => work('light'));
      mock.timers.tick(30);
      await expectRejection(heavy, 'SERVICE_UNAVAILABLE');
      await light;
      release();
      expect(log).to.deep.equal(['+light', '-light']);
    } finally {
      mock.timers.reset();
    }
  });

  it('drops a waiting task whose signal is aborted', async () => {
    const semaphore = new WeightedSemaphore({ ...OPTIONS, permits: 1 });
    const controller = new AbortController();
    const { log, work } = record();
    const first = semaphore.run({ key: '' }, () => work('a'));
    const second = semaphore.run({ key: '', signal: () => controller.signal }, () => work('b')).catch((error) => error);
    controller.abort(new Error('left'));
    expect(await second).to.have.property('message', 'left');
    await first;
    expect(log).to.deep.equal(['+a', '-a']);
    expect(semaphore.state.waiting).to.equal(0);
  });
});

function record() {
  const log: string[] = [];
  const work = async (name: string) => {
    log.push(`+${name}`);
    await setImmediate();
    log.push(`-${name}`);
  };
  return { log, work };
}

async function expectRejection(work: Promise<unknown>, key: string): Promise<void> {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).to.be.instanceOf(AppError);
  expect((error as AppError).key).to.equal(key);
  expect((error as AppError).retryAfter).to.be.above(0);
}
