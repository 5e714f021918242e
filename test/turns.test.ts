/** The queue in front of image processing. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { AppError } from '../src/errors.js';
import { Turns } from '../src/turns.js';

describe('turns', () => {
  it('are taken by as many at once as there are, in the order they came', async () => {
    const turns = new Turns({ turns: 2, maxWaiting: 9, maxWait: 1000, what: 'images' });
    const { log, work } = record();
    await Promise.all(['a', 'b', 'c'].map((name) => turns.run(1, () => work(name))));
    expect(log.slice(0, 2)).to.deep.equal(['+a', '+b']);
    expect(log.indexOf('+c')).to.be.greaterThan(log.indexOf('-a'));
  });

  it('are all taken by heavy work, which light work behind it does not pass', async () => {
    const turns = new Turns({ turns: 2, maxWaiting: 9, maxWait: 1000, what: 'images' });
    const { log, work } = record();
    await Promise.all([
      turns.run(1, () => work('a')),
      turns.run(2, () => work('heavy')),
      turns.run(1, () => work('b')),
    ]);
    expect(log).to.deep.equal(['+a', '-a', '+heavy', '-heavy', '+b', '-b']);
  });

  it('come back when the work fails', async () => {
    const turns = new Turns({ turns: 1, maxWaiting: 9, maxWait: 1000, what: 'images' });
    const failure = await turns.run(1, () => Promise.reject(new Error('no'))).catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'no');
    expect(await turns.run(1, async () => 'yes')).to.equal('yes');
  });

  it('are refused where too many wait, and free again later', async () => {
    const turns = new Turns({ turns: 1, maxWaiting: 2, maxWait: 1000, what: 'images' });
    const { work } = record();
    const taken = ['a', 'b', 'c'].map((name) => turns.run(1, () => work(name)));
    await refused(turns.run(1, () => work('d')));
    await Promise.all(taken);
    await turns.run(1, () => work('e'));
  });

  it('are refused to whoever has waited too long, and then go to the next', async () => {
    const turns = new Turns({ turns: 2, maxWaiting: 9, maxWait: 50, what: 'images' });
    const { log, work } = record();
    const long = turns.run(1, () => delay(150));
    const heavy = turns.run(2, () => work('heavy'));
    await delay(20);
    const light = turns.run(1, () => work('light'));
    await refused(heavy);
    await Promise.all([long, light]);
    expect(log).to.deep.equal(['+light', '-light']);
  });
});

function record() {
  const log: string[] = [];
  const work = async (name: string) => {
    log.push(`+${name}`);
    await delay(5);
    log.push(`-${name}`);
  };
  return { log, work };
}

async function refused(work: Promise<unknown>): Promise<void> {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).to.be.instanceOf(AppError);
  expect((error as AppError).key).to.equal('SERVICE_UNAVAILABLE');
}
