/** One prompt, one answer: whether the provider works, for members to see. */
import { expect } from 'chai';
import { says, startAiProvider } from './support/ai-provider.js';
import { useApp } from './support/app.js';
import { type BuiltMember, buildMember } from './support/build.js';
import { call, faults } from './support/client.js';
import { PROMPT, PROMPT_WAYS } from './support/prompts.js';

const provider = await startAiProvider();
after(() => provider.close());

const app = useApp(provider.environment);
let member: BuiltMember;
const makeMember = async () => {
  member = await buildMember(app.url);
};

for (const [way, ask] of Object.entries(PROMPT_WAYS)) {
  describe(`A prompt over ${way}`, () => {
    before(makeMember);

    it('is sent as it is, alone, and what comes is given as plain text', async () => {
      provider.answer(says(' Four.\u0007 '));
      const { status, code, text } = await ask(app.url, member, ' What is two and two? ');
      expect([status, code, text]).to.deep.equal([200, '1', 'Four.']);
      const { messages, max_tokens } = provider.asked[0]?.body ?? {};
      expect(messages).to.deep.equal([{ role: 'user', content: ' What is two and two? ' }]);
      expect(max_tokens).to.equal(4_000);
    });

    it('gets the beginning of an answer that is too long', async () => {
      provider.answer(says('Once upon a', 'length'));
      expect((await ask(app.url, member, 'Tell me a story.')).text).to.equal('Once upon a');
    });

    it('is VALIDATION_FAILED where it is blank or too long', async () => {
      for (const prompt of ['', ' \n', 'x'.repeat(10_001), 'a\0b', '\ud800']) {
        expect((await ask(app.url, member, prompt)).code).to.equal('VALIDATION_FAILED');
      }
    });

    it('is UNAUTHENTICATED from nobody', async () => {
      expect((await ask(app.url, { ...member, token: 'nonsense' }, 'x')).code).to.equal('UNAUTHENTICATED');
    });
  });
}

describe('POST /api/external/gemini', () => {
  before(makeMember);

  it('200 with the text', async () => {
    provider.answer(says('네.'));
    const { body } = await call(app.url, PROMPT, { token: member.token, json: { prompt: '거기 있어요?' } });
    expect(body).to.deep.equal({ code: '1', message: 'The provider answers.', data: { text: '네.' } });
  });

  it('400 naming the field at fault', async () => {
    const refused = await call(app.url, PROMPT, {
      token: member.token,
      json: { prompt: 'x'.repeat(10_001), model: 'y' },
    });
    expect(faults(refused)).to.deep.equal([
      'model: is not a field here; expected prompt',
      'prompt: must be 1 to 10000 characters long, got 10001',
    ]);
  });

  it('401 without a token', async () => {
    expect((await call(app.url, PROMPT, { json: { prompt: 'x' } })).body?.code).to.equal('UNAUTHENTICATED');
  });
});
