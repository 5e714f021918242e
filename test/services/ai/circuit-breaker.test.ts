/** Calls that do not reach the AI provider: aborted requests and the circuit breaker. */
import { expect } from 'chai';
import { CALL, callModes, failureOf, openTestModel } from '../../support/ai-model.js';
import { pauseResponse, respond, startAiProvider } from '../../support/ai-provider.js';

const provider = await startAiProvider();
after(() => provider.close());

describe('An aborted AI call', () => {
  for (const [way, send] of Object.entries(callModes)) {
    it(`ends the request and logs no failure, with ${way}`, async () => {
      const paused = pauseResponse(respond.withText('too late'));
      provider.setResponses(paused.behavior);
      const { model, lines } = openTestModel(provider);
      const controller = new AbortController();
      const pending = failureOf(send(model, controller.signal));
      await paused.received;
      controller.abort(new Error('gave up'));
      expect((await pending).message).to.equal('gave up');
      paused.release();
      expect(lines).to.deep.equal([]);
    });
  }
});

describe('AI circuit breaker', () => {
  const { now } = performance;
  function advanceClock(ms: number): void {
    const advanced = performance.now;
    performance.now = () => advanced.call(performance) + ms;
  }
  afterEach(() => {
    performance.now = now;
  });

  it('opens after 2 failures, allows one probe after the delay, and closes when the probe succeeds', async () => {
    const { model } = openTestModel(provider, { AI_MAX_RETRIES: '0' }, { failures: 2, probeDelayMs: 2_000 });
    provider.setResponses(respond.withStatus(500));
    for (let time = 0; time < 2; time++) expect(await failureOf(model.complete(CALL))).to.include({ reason: 'server' });
    for (let time = 0; time < 5; time++) expect(await failureOf(model.complete(CALL))).to.include({ reason: 'open' });
    expect(provider.requests).to.have.length(2);
    advanceClock(2_000);
    const paused = pauseResponse(respond.withText('well again'));
    provider.setResponses(paused.behavior, respond.withText('and again'));
    const probe = model.complete(CALL);
    await paused.received;
    expect(await failureOf(model.complete(CALL)), 'beside the one that tries').to.include({ reason: 'open' });
    paused.release();
    expect((await probe).text).to.equal('well again');
    expect((await model.complete(CALL)).text).to.equal('and again');
  });

  it('opens again when the probe fails, and does not count a rejected request (400) as a failure', async () => {
    const { model } = openTestModel(provider, { AI_MAX_RETRIES: '0' }, { failures: 1, probeDelayMs: 2_000 });
    provider.setResponses(respond.withStatus(400), respond.withStatus(500), respond.withStatus(500));
    const reasons = [];
    for (let time = 0; time < 3; time++) reasons.push((await failureOf(model.complete(CALL))).reason);
    advanceClock(2_000);
    for (let time = 0; time < 2; time++) reasons.push((await failureOf(model.complete(CALL))).reason);
    expect(reasons).to.deep.equal(['refused', 'server', 'open', 'server', 'open']);
  });

  for (const [way, send] of Object.entries(callModes)) {
    it(`does not count a truncated response as a failure, with ${way}`, async () => {
      const { model } = openTestModel(provider, { AI_MAX_RETRIES: '0' }, { failures: 1, probeDelayMs: 60_000 });
      // A complete response fails as cutOff only if its text is empty; a stream fails whenever it is truncated.
      provider.setResponses(respond.withText(way === 'stream' ? 'half' : '', 'length'), respond.withText('whole'));
      expect(await failureOf(send(model))).to.include({ reason: 'cutOff' });
      expect(await send(model)).to.equal('whole');
    });
  }
});
