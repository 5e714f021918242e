/** What the application is made of: built once by the server or a test, and handed to whoever needs it. */
import type { Readable } from 'node:stream';
import type { Config } from './config/index.js';
import type { Database } from './database/pool.js';
import type { Log } from './observability/log.js';

export interface Services {
  readonly config: Config;
  readonly database: Database;
  readonly images: ImageStore;
  readonly log: Log;
  /** Null where no provider is configured. */
  readonly ai: TextModel | null;
  /** Signs the tokens. */
  readonly jwtSecret: string;
}

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

export interface PreparedImage {
  /** WebP without any metadata, upright, animated where the file was. */
  image: Buffer;
  /** WebP, still. */
  thumbnail: Buffer;
  /** Of `image`. */
  width: number;
  height: number;
}

export interface ImageStore {
  /** @returns the key under which both sizes are kept from now on: the one that was given, or a new one. */
  save(image: Pick<PreparedImage, 'image' | 'thumbnail'>, key?: string): Promise<string>;
  /** Both sizes. No error where they are gone already. */
  remove(key: string): Promise<void>;
  /** By file name, as it stands in the address; undefined where there is none. */
  read(name: string): Promise<StoredImage | undefined>;
  /** The address of an image. `publicUrl` has no slash at the end. */
  url(key: string, publicUrl: string, size?: ImageSize): string;
}

export type ImageSize = 'full' | 'thumbnail';

export interface StoredImage {
  /** Bytes. */
  size: number;
  /** Whoever opens the stream must read or destroy it. */
  open(): Promise<Readable>;
}
