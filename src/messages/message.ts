/** A message to a client that is not in a language yet. It gets one where an answer is written. */
import type { answers } from './en/answers.js';
import { en } from './en/index.js';
import { ko } from './ko/index.js';
import type { Translation } from './translation.js';

export type English = typeof en;

/** Each with its texts. The first one is for those who ask for none of them, and for the log. */
export const CATALOGUES = { en, ko } satisfies Record<string, Translation<English>>;

export type Language = keyof typeof CATALOGUES;

export const LANGUAGES = Object.keys(CATALOGUES) as Language[];

export type MessageKey = keyof English;

/** What an endpoint says of its success. */
export type AnswerKey = keyof typeof answers;

/** Where a text is asked for, a message will do: it comes in the language of the one around it. */
export type ParametersOf<Key extends MessageKey> = English[Key] extends (...parameters: infer Parameters) => string
  ? { [Index in keyof Parameters]: Parameters[Index] extends string ? Parameters[Index] | Message : Parameters[Index] }
  : [];

export class Message {
  readonly #key: MessageKey;
  readonly #parameters: readonly unknown[];

  constructor(key: MessageKey, parameters: readonly unknown[]) {
    this.#key = key;
    this.#parameters = parameters;
  }

  in(language: Language): string {
    const text: string | ((...parameters: never[]) => string) = CATALOGUES[language][this.#key];
    if (typeof text === 'string') return text;
    const parameters = this.#parameters.map((one) => (one instanceof Message ? one.in(language) : one));
    return text(...(parameters as never[]));
  }
}

/** The message `key` with the parameters that its text takes. */
export function say<Key extends MessageKey>(key: Key, ...parameters: ParametersOf<Key>): Message {
  return new Message(key, parameters as readonly unknown[]);
}
