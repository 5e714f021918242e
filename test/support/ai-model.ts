/** The service's own client of the scripted provider, and the ways to use it. */
import { loadConfig } from '../../src/platform/config/index.js';
import { createLog } from '../../src/platform/observability/log.js';
import { openModel } from '../../src/services/ai/openai.js';
import type { TextCall, TextModel } from '../../src/services/ai/provider.js';
import type { AiProvider } from './ai-provider.js';
import { readableLog } from './log.js';

export const CALL: TextCall = {
  operation: 'prompt',
  messages: [{ role: 'user', content: '안녕하세요' }],
  maxOutputTokens: 50,
};

export interface Opened {
  model: TextModel;
  /** The lines of its log. */
  lines: string[];
}

export function openTestModel(
  provider: AiProvider,
  environment: NodeJS.ProcessEnv = {},
  breaker = { failures: 100, probeDelayMs: 60_000 },
): Opened {
  const { log, lines } = readableLog();
  const { ai } = loadConfig({ ...provider.environment, AI_TIMEOUT_MS: '120000', ...environment });
  const model = openModel(ai, log, breaker);
  if (!model) throw new Error('there is a provider here');
  return { model, lines };
}

/** For the services of an application. Its circuit breaker stays closed, so that each failure is observed separately. */
export function openModelWithoutBreaker(environment: NodeJS.ProcessEnv): TextModel | null {
  return openModel(loadConfig(environment).ai, createLog('silent'), { failures: 1000, probeDelayMs: 1000 });
}

type CallModel = (model: TextModel, signal?: AbortSignal) => Promise<string>;

/** Each resolves to the whole text. */
export const callModes: Record<'complete' | 'stream', CallModel> = {
  complete: async (model, signal) => (await model.complete(CALL, signal)).text,
  stream: async (model, signal) => {
    let text = '';
    for await (const chunk of model.stream(CALL, signal)) text += chunk;
    return text;
  },
};

export interface SeenFailure {
  key?: string;
  reason?: string;
  retryAfter?: number;
  message: string;
}

export async function failureOf(pending: Promise<unknown>): Promise<SeenFailure> {
  try {
    await pending;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not fail');
}
