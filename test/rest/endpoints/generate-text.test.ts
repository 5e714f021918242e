/** A single prompt to the AI provider, which shows whether the provider works. */
import { expect } from 'chai';
import { respond, startAiProvider } from '../../support/ai-provider.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { call, fieldErrors } from '../../support/client.js';
import { PROMPT, PROMPT_CLIENTS } from '../../support/prompts.js';

const provider = await startAiProvider();
after(() => provider.close());

const app = useApp(provider.environment);
let member: BuiltMember;
const makeMember = async () => {
  member = await buildMember(app.url);
};

for (const [way, send] of Object.entries(PROMPT_CLIENTS)) {
  describe(`A prompt over ${way}`, () => {
    before(makeMember);

    it('is sent unchanged as the only message, and the result is returned as plain text', async () => {
      provider.setResponses(respond.withText(' Four.\u0007 '));
      const { status, code, text } = await send(app.url, member, ' What is two and two? ');
      expect([status, code, text]).to.deep.equal([200, '1', 'Four.']);
      const { messages, max_tokens } = provider.requests[0]?.body ?? {};
      expect(messages).to.deep.equal([{ role: 'user', content: ' What is two and two? ' }]);
      expect(max_tokens).to.equal(4_000);
    });

    it('returns the beginning of a result that is too long', async () => {
      provider.setResponses(respond.withText('Once upon a', 'length'));
      expect((await send(app.url, member, 'Tell me a story.')).text).to.equal('Once upon a');
    });

    it('returns VALIDATION_FAILED when it is blank, too long or invalid text', async () => {
      for (const prompt of ['', ' \n', 'x'.repeat(10_001), 'a\0b', '\ud800']) {
        expect((await send(app.url, member, prompt)).code).to.equal('VALIDATION_FAILED');
      }
    });

    it('returns UNAUTHENTICATED for an invalid token', async () => {
      expect((await send(app.url, { ...member, token: 'nonsense' }, 'x')).code).to.equal('UNAUTHENTICATED');
    });
  });
}

describe('POST /api/external/gemini', () => {
  before(makeMember);

  it('returns 200 with the text', async () => {
    provider.setResponses(respond.withText('네.'));
    const { body } = await call(app.url, PROMPT, { token: member.token, json: { prompt: '거기 있어요?' } });
    expect(body).to.deep.equal({ code: '1', message: 'Response generated.', data: { text: '네.' } });
  });

  it('returns 400 with the invalid fields', async () => {
    const rejected = await call(app.url, PROMPT, {
      token: member.token,
      json: { prompt: 'x'.repeat(10_001), model: 'y' },
    });
    expect(fieldErrors(rejected)).to.deep.equal([
      'model: is not a known field; expected prompt',
      'prompt: must be 1 to 10000 characters long, got 10001',
    ]);
  });

  it('returns UNAUTHENTICATED without a token', async () => {
    expect((await call(app.url, PROMPT, { json: { prompt: 'x' } })).body?.code).to.equal('UNAUTHENTICATED');
  });
});
