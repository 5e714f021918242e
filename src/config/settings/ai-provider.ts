/** Reads the AI provider from the settings: base URL, key, model, timeout and retries. */
import { ConfigError } from '../values.js';

export interface AiSettings {
  baseUrl: string;
  /** Null: the provider requires none, for example one on the same machine. */
  apiKey: string | null;
  model: string;
  /** Timeout in milliseconds of a call, including its retries. */
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

/** Null where nothing is set. @throws ConfigError where the settings are incomplete, or the URL contains credentials */
export function readAi(set: Environment): AiSettings | null {
  const { AI_BASE_URL: address, AI_API_KEY: apiKey, AI_MODEL: model } = set;
  if (!address && !apiKey && !model) return null;
  if (!model) throw new ConfigError(`AI_MODEL must be set, since ${address ? 'AI_BASE_URL' : 'AI_API_KEY'} is.`);
  if (!address && !apiKey) {
    throw new ConfigError(
      'AI_API_KEY (for OpenAI) or AI_BASE_URL (for another provider) must be set, since AI_MODEL is.',
    );
  }
  const { username, password } = new URL(address || OPENAI);
  if (username || password) throw new ConfigError('AI_BASE_URL must not hold a user or a password: set AI_API_KEY.');
  return {
    baseUrl: (address || OPENAI).replace(/\/+$/, ''),
    apiKey: apiKey || null,
    model,
    timeoutMs: set.AI_TIMEOUT_MS,
    maxRetries: set.AI_MAX_RETRIES,
  };
}
