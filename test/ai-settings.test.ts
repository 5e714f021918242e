/** The settings of the AI provider: what they are by default, and what is said where they are set by half. */
import { expect } from 'chai';
import { ConfigError, loadConfig } from '../src/config/index.js';

const ai = (environment: NodeJS.ProcessEnv) => loadConfig(environment).ai;

/** @returns what the refusal says */
function refusal(environment: NodeJS.ProcessEnv): string {
  try {
    loadConfig(environment);
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error('it was taken');
}

describe('The settings of the AI provider', () => {
  it('are none by default, also where they are empty', () => {
    expect(ai({})).to.equal(null);
    expect(ai({ AI_BASE_URL: '', AI_API_KEY: '', AI_MODEL: '' })).to.equal(null);
    expect(ai({ AI_TIMEOUT_MS: '5000' })).to.equal(null);
  });

  it('mean OpenAI with a key and a model', () => {
    expect(ai({ AI_API_KEY: 'k', AI_MODEL: 'm' })).to.deep.equal({
      baseUrl: 'https://api.openai.com/v1',
      apiKey: 'k',
      model: 'm',
      timeout: 60_000,
      maxRetries: 2,
    });
  });

  it('mean another provider with an address, which may do without a key', () => {
    expect(ai({ AI_BASE_URL: 'http://localhost:11434/v1/', AI_MODEL: 'm' })).to.include({
      baseUrl: 'http://localhost:11434/v1',
      apiKey: null,
    });
  });

  const REFUSALS: [environment: NodeJS.ProcessEnv, sentence: string][] = [
    [{ AI_API_KEY: 'k' }, 'AI_MODEL must be set, since AI_API_KEY is.'],
    [{ AI_BASE_URL: 'http://localhost:1/v1' }, 'AI_MODEL must be set, since AI_BASE_URL is.'],
    [
      { AI_MODEL: 'm' },
      'AI_API_KEY (for OpenAI) or AI_BASE_URL (for another provider) must be set, since AI_MODEL is.',
    ],
    [
      { AI_MODEL: 'm', AI_BASE_URL: 'http://user:secret@localhost/v1' },
      'AI_BASE_URL must not hold a user or a password: set AI_API_KEY.',
    ],
  ];
  for (const [environment, sentence] of REFUSALS) {
    it(`${Object.keys(environment).join(' and ')} alone: "${sentence}"`, () => {
      expect(refusal(environment)).to.equal(sentence);
    });
  }

  it('are refused by name, and a key is never repeated', () => {
    const message = refusal({
      AI_API_KEY: 'a key\nwith a break',
      AI_TIMEOUT_MS: '10',
      AI_MAX_RETRIES: '-1',
      AI_MODEL: 'm',
    });
    for (const name of ['AI_API_KEY', 'AI_TIMEOUT_MS', 'AI_MAX_RETRIES']) expect(message).to.include(`${name} must be`);
    expect(message).not.to.include('with a break');
  });
});
