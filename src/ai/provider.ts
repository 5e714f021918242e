/** What the rest of the service knows of AI: one small interface to a provider of text, and the two ways to go without. */
import { AppError } from '../errors.js';
import { say } from '../messages/message.js';
import type { Services } from '../services.js';

/** What a call is for, as it is counted. */
export type AiOperation = 'summary' | 'style' | 'prompt';

export interface Message {
  readonly role: 'system' | 'user';
  readonly content: string;
}

export interface TextCall {
  readonly operation: AiOperation;
  readonly messages: readonly Message[];
  readonly maxOutputTokens: number;
  /** The answer is JSON of this JSON Schema. Providers do not always keep to it: check what comes. */
  readonly schema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** Not to be trusted: it may hold whatever the texts in the call made the model say. */
export interface Completion {
  readonly text: string;
  /** As the provider counts them; 0 where it does not. */
  readonly tokens: Tokens;
  /** It ends where `maxOutputTokens` were used up. */
  readonly isCutOff: boolean;
}

/** Calls are bounded in time, size and number of tries, and counted. No transaction may be open during one. */
export interface TextModel {
  /** Its name at the provider. */
  readonly name: string;
  /** @throws ProviderFailure; the signal's reason where the caller gave up */
  complete(call: TextCall, signal?: AbortSignal): Promise<Completion>;
  /** The answer in pieces, as they come. @throws as `complete`, also in the middle, and where the answer is cut off */
  stream(call: TextCall, signal?: AbortSignal): AsyncIterable<string>;
}

/** @throws AppError AI_NOT_CONFIGURED, naming what to set */
export function requireModel({ ai }: Pick<Services, 'ai'>): TextModel {
  if (ai) return ai;
  throw new AppError('AI_NOT_CONFIGURED', { message: say('aiNotConfigured') });
}
