/** Settings of the AI provider, which summarises and rewrites texts. */
import { apiKey, budget, retries, text, timeoutMs, webUrl } from '../values.js';
import { group } from './group.js';

export const aiSettings = group('The AI provider', {
  AI_BASE_URL: webUrl({
    default: '',
    otherwise: '`https://api.openai.com/v1`',
    desc: 'an address such as https://api.openai.com/v1',
    about: 'Any provider that speaks the OpenAI interface: OpenAI, Gemini, Ollama, vLLM.',
  }),
  AI_API_KEY: apiKey({
    default: '',
    otherwise: 'none',
    desc: 'printable ASCII characters without spaces',
    about: 'Goes to the provider with each call.',
    isSecret: true,
  }),
  AI_MODEL: text({
    default: '',
    otherwise: 'none',
    desc: 'the name of a model',
    about: 'As the provider calls it. Without a model there is no provider.',
  }),
  AI_TIMEOUT_MS: timeoutMs({
    default: '60000',
    desc: 'a whole number from 1000 to 600000',
    about: 'Milliseconds that a call may take, with all its retries.',
  }),
  AI_MAX_RETRIES: retries({
    default: '2',
    desc: 'a whole number from 0 to 10',
    about: 'How often a call that failed for a passing reason is made again.',
  }),
  AI_DAILY_BUDGET: budget({
    default: '50',
    desc: 'a whole number from 1 to 1000000',
    about:
      'Requests of one member that go to the provider in a day of UTC: texts in another style, prompts, requested summaries. Summaries of new and edited articles have a budget of the same size; past it, the built-in summarizer makes them.',
    limit: { area: 'Queues', error: 'RATE_LIMITED' },
  }),
});
