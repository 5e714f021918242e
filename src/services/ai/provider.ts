/** The interface of AI providers, and access to the configured one. */
import { AppError } from '../../platform/errors.js';
import { createMessage } from '../../platform/messages/message.js';

/** Purpose of a call, as label in the metrics. */
export type AiOperation = 'summary' | 'style' | 'prompt';

export interface ChatMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

export interface TextCall {
  readonly operation: AiOperation;
  readonly messages: readonly ChatMessage[];
  readonly maxOutputTokens: number;
  /** JSON Schema of the response. Providers do not always conform to it: validate the response. */
  readonly schema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
}

export interface TokenUsage {
  readonly input: number;
  readonly output: number;
}

/** Untrusted output: texts in the call can inject prompts. */
export interface Completion {
  readonly text: string;
  /** As counted by the provider; 0 if it does not report them. */
  readonly tokens: TokenUsage;
  /** Whether the text was truncated at `maxOutputTokens`. */
  readonly isCutOff: boolean;
}

/** Calls are limited in time, size and number of attempts, and counted. No transaction may be open during a call. */
export interface TextModel {
  /** Name of the model at the provider. */
  readonly name: string;
  /** @throws ProviderFailure; the reason of the signal if the caller aborted */
  complete(call: TextCall, signal?: AbortSignal): Promise<Completion>;
  /** The response as a stream of chunks. @throws like `complete`, also after the first chunk, and if the response is truncated */
  stream(call: TextCall, signal?: AbortSignal): AsyncIterable<string>;
}

/** @throws AppError AI_NOT_CONFIGURED, whose message names the settings */
export function requireModel(ai: TextModel | null): TextModel {
  if (ai) return ai;
  throw new AppError('AI_NOT_CONFIGURED', { message: createMessage('aiNotConfigured') });
}
