/** Client messages, independent of the language. They are translated when the response is written. */
import { en } from './en/index.js';
import type { responses } from './en/responses.js';
import { ko } from './ko/index.js';
import type { Translation } from './translation.js';

export type English = typeof en;

/** Message catalogs by language. The first language is the default, and the language of the log. */
export const CATALOGS = { en, ko } satisfies Record<string, Translation<English>>;

export type Language = keyof typeof CATALOGS;

export const LANGUAGES = Object.keys(CATALOGS) as Language[];

export type MessageKey = keyof English;

/** Keys of the success messages of endpoints. */
export type ResponseMessageKey = keyof typeof responses;

/** A string parameter may also be a `Message`, which is translated into the language of the outer message. */
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
    const text: string | ((...parameters: never[]) => string) = CATALOGS[language][this.#key];
    if (typeof text === 'string') return text;
    const parameters = this.#parameters.map((one) => (one instanceof Message ? one.in(language) : one));
    return text(...(parameters as never[]));
  }
}

/** Creates the message `key` with the parameters of its text. */
export function createMessage<Key extends MessageKey>(key: Key, ...parameters: ParametersOf<Key>): Message {
  return new Message(key, parameters as readonly unknown[]);
}
