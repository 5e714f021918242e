/** Settings of the AI provider, which summarizes and rewrites texts. */
import { apiKey, ConfigError, group, text, webUrl, wholeNumber } from '../setting.js';

export const aiSettings = group('AI provider', {
  AI_BASE_URL: webUrl({
    default: '',
    effectiveDefault: '`https://api.openai.com/v1`',
    expected: 'a URL such as https://api.openai.com/v1',
    description: 'Base URL of a provider with an OpenAI-compatible API: OpenAI, Gemini, Ollama, vLLM.',
  }),
  AI_API_KEY: apiKey({
    default: '',
    effectiveDefault: 'none',
    expected: 'printable ASCII characters without spaces',
    description: 'API key, sent to the provider with each call.',
    isSecret: true,
  }),
  AI_MODEL: text({
    default: '',
    effectiveDefault: 'none',
    expected: 'the name of a model',
    description: 'Name of the model at the provider. Required to enable the provider.',
  }),
  AI_TIMEOUT_MS: wholeNumber({
    range: [1_000, 600_000],
    default: '60000',
    description: 'Timeout of a call in milliseconds, including its retries.',
  }),
  AI_MAX_RETRIES: wholeNumber({
    range: [0, 10],
    default: '2',
    description: 'Maximum number of retries of a call after a transient error.',
  }),
  AI_DAILY_BUDGET: wholeNumber({
    range: [1, 1_000_000],
    default: '50',
    description:
      'Requests of one member to the provider per day (UTC): texts in another style, prompts, requested summaries. Automatic summaries of new and edited articles have a separate budget of the same size; beyond it, the built-in summarizer creates them.',
    limit: { area: 'Queues', error: 'RATE_LIMITED' },
  }),
});

export interface AiSettings {
  baseUrl: string;
  /** Null: the provider requires none, for example one on the same machine. */
  apiKey: string | null;
  model: string;
  /** Timeout of a call, including its retries. */
  timeoutMs: number;
  maxRetries: number;
}

interface Environment {
  AI_BASE_URL: string;
  AI_API_KEY: string;
  AI_MODEL: string;
  AI_TIMEOUT_MS: number;
  AI_MAX_RETRIES: number;
}

const OPENAI = 'https://api.openai.com/v1';

/** Null if nothing is set. @throws ConfigError if the settings are incomplete, or the URL contains credentials */
export function readAi(set: Environment): AiSettings | null {
  const { AI_BASE_URL: url, AI_API_KEY: apiKey, AI_MODEL: model } = set;
  if (!url && !apiKey && !model) return null;
  if (!model) throw new ConfigError(`AI_MODEL must be set, since ${url ? 'AI_BASE_URL' : 'AI_API_KEY'} is set.`);
  if (!url && !apiKey) {
    throw new ConfigError(
      'AI_API_KEY (for OpenAI) or AI_BASE_URL (for another provider) must be set, since AI_MODEL is set.',
    );
  }
  const { username, password } = new URL(url || OPENAI);
  if (username || password) throw new ConfigError('AI_BASE_URL must not contain credentials: set AI_API_KEY instead.');
  return {
    baseUrl: (url || OPENAI).replace(/\/+$/, ''),
    apiKey: apiKey || null,
    model,
    timeoutMs: set.AI_TIMEOUT_MS,
    maxRetries: set.AI_MAX_RETRIES,
  };
}
