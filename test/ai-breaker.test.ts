/** Calls that do not reach the AI provider: aborted requests and the circuit breaker. */
import { expect } from 'chai';
import { askWays, CALL, failureOf, openScripted } from './support/ai-model.js';
import { fails, holds, says, startAiProvider } from './support/ai-provider.js';

const provider = await startAiProvider();
after(() => provider.close());

describe('An aborted AI call', () => {
  for (const [way, ask] of Object.entries(askWays)) {
    it(`ends the request and logs no failure, with ${way}`, async () => {
      const held = holds(says('too late'));
      provider.answer(held.behaviour);
      const { model, lines } = openScripted(provider);
      const controller = new AbortController();
      const asking = failureOf(ask(model, controller.signal));
      await held.came;
      controller.abort(new Error('gave up'));
      expect((await asking).message).to.equal('gave up');
      held.release();
      expect(lines).to.deep.equal([]);
    });
  }
});

describe('AI circuit breaker', () => {
  it('opens after 2 failures, allows one probe after the delay, and closes when the probe succeeds', async () => {
    const { model } = openScripted(provider, { AI_MAX_RETRIES: '0' }, { failures: 2, probeDelayMs: 2_000 });
    provider.answer(fails(500));
    for (let time = 0; time < 2; time++) expect(await failureOf(model.complete(CALL))).to.include({ reason: 'server' });
    for (let time = 0; time < 5; time++) expect(await failureOf(model.complete(CALL))).to.include({ reason: 'open' });
    expect(provider.asked).to.have.length(2);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    const held = holds(says('well again'));
    provider.answer(held.behaviour, says('and again'));
    const probe = model.complete(CALL);
    await held.came;
    expect(await failureOf(model.complete(CALL)), 'beside the one that tries').to.include({ reason: 'open' });
    held.release();
    expect((await probe).text).to.equal('well again');
    expect((await model.complete(CALL)).text).to.equal('and again');
  });

  it('opens again when the probe fails, and does not count a rejected request (400) as a failure', async () => {
    const { model } = openScripted(provider, { AI_MAX_RETRIES: '0' }, { failures: 1, probeDelayMs: 2_000 });
    provider.answer(fails(400), fails(500), fails(500));
    const reasons = [];
    for (let time = 0; time < 3; time++) reasons.push((await failureOf(model.complete(CALL))).reason);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    for (let time = 0; time < 2; time++) reasons.push((await failureOf(model.complete(CALL))).reason);
    expect(reasons).to.deep.equal(['refused', 'server', 'open', 'server', 'open']);
  });

  for (const [way, ask] of Object.entries(askWays)) {
    it(`does not count a truncated response as a failure, with ${way}`, async () => {
      const { model } = openScripted(provider, { AI_MAX_RETRIES: '0' }, { failures: 1, probeDelayMs: 60_000 });
      // A complete response fails as cutOff only if its text is empty; a stream fails whenever it is truncated.
      provider.answer(says(way === 'stream' ? 'half' : '', 'length'), says('whole'));
      expect(await failureOf(ask(model))).to.include({ reason: 'cutOff' });
      expect(await ask(model)).to.equal('whole');
    });
  }
});
