/** AI provider settings: defaults, and error messages for incomplete settings. */
import { expect } from 'chai';
import { ConfigError, loadConfig } from '../../../src/platform/config/index.js';

const ai = (environment: NodeJS.ProcessEnv) => loadConfig(environment).ai;

/** @returns the message of the ConfigError */
function messageOf(environment: NodeJS.ProcessEnv): string {
  try {
    loadConfig(environment);
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error('it was taken');
}

describe('AI provider settings', () => {
  it('are null by default and when the variables are empty', () => {
    expect(ai({})).to.equal(null);
    expect(ai({ AI_BASE_URL: '', AI_API_KEY: '', AI_MODEL: '' })).to.equal(null);
    expect(ai({ AI_TIMEOUT_MS: '5000' })).to.equal(null);
  });

  it('select OpenAI when a key and a model are set', () => {
    expect(ai({ AI_API_KEY: 'k', AI_MODEL: 'm' })).to.deep.equal({
      baseUrl: 'https://api.openai.com/v1',
      apiKey: 'k',
      model: 'm',
      timeoutMs: 60_000,
      maxRetries: 2,
    });
  });

  it('select another provider by its base URL, with an optional key', () => {
    expect(ai({ AI_BASE_URL: 'http://localhost:11434/v1/', AI_MODEL: 'm' })).to.include({
      baseUrl: 'http://localhost:11434/v1',
      apiKey: null,
    });
  });

  const INVALID: [environment: NodeJS.ProcessEnv, sentence: string][] = [
    [{ AI_API_KEY: 'k' }, 'AI_MODEL must be set, since AI_API_KEY is set.'],
    [{ AI_BASE_URL: 'http://localhost:1/v1' }, 'AI_MODEL must be set, since AI_BASE_URL is set.'],
    [
      { AI_MODEL: 'm' },
      'AI_API_KEY (for OpenAI) or AI_BASE_URL (for another provider) must be set, since AI_MODEL is set.',
    ],
    [
      { AI_MODEL: 'm', AI_BASE_URL: 'http://user:secret@localhost/v1' },
      'AI_BASE_URL must not contain credentials: set AI_API_KEY instead.',
    ],
  ];
  for (const [environment, sentence] of INVALID) {
    it(`reject ${Object.keys(environment).join(' and ')} alone: "${sentence}"`, () => {
      expect(messageOf(environment)).to.equal(sentence);
    });
  }

  it('are named in the error message, which never contains the key', () => {
    const message = messageOf({
      AI_API_KEY: 'a key\nwith a break',
      AI_TIMEOUT_MS: '10',
      AI_MAX_RETRIES: '-1',
      AI_MODEL: 'm',
    });
    for (const name of ['AI_API_KEY', 'AI_TIMEOUT_MS', 'AI_MAX_RETRIES']) expect(message).to.include(`${name} must be`);
    expect(message).not.to.include('with a break');
  });
});
