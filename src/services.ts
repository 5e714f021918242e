/** Dependencies of the application: created once by the server or a test, and passed to the functions that use them. */
import type { Readable } from 'node:stream';
import type { Config } from './config/index.js';
import type { Database } from './database/pool.js';
import type { Log } from './observability/log.js';

export interface Services {
  readonly config: Config;
  readonly database: Database;
  readonly images: ImageStore;
  readonly log: Log;
  /** Null if no provider is configured. */
  readonly ai: TextModel | null;
  /** Key for signing tokens. */
  readonly jwtSecret: string;
}

/** Purpose of a call, as label in the metrics. */
export type AiOperation = 'summary' | 'style' | 'prompt';

export interface Message {
  readonly role: 'system' | 'user';
  readonly content: string;
}

export interface TextCall {
  readonly operation: AiOperation;
  readonly messages: readonly Message[];
  readonly maxOutputTokens: number;
  /** JSON Schema of the response. Providers do not always conform to it: validate the response. */
  readonly schema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** Untrusted output: texts in the call can inject prompts. */
export interface Completion {
  readonly text: string;
  /** As counted by the provider; 0 if it does not report them. */
  readonly tokens: Tokens;
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

export interface PreparedImage {
  /** WebP without metadata, with the orientation applied, animated if the file was animated. */
  image: Buffer;
  /** WebP, not animated. */
  thumbnail: Buffer;
  /** Pixels of `image`. */
  width: number;
  height: number;
}

export interface ImageStore {
  /** @returns the key under which both sizes are stored: the given one, or a new one. */
  save(image: Pick<PreparedImage, 'image' | 'thumbnail'>, key?: string): Promise<string>;
  /** Removes both sizes. No error if they do not exist. */
  remove(key: string): Promise<void>;
  /** @param name file name as in the URL @returns undefined if it does not exist */
  read(name: string): Promise<StoredImage | undefined>;
  /** URL of an image. @param publicUrl without a trailing slash */
  url(key: string, publicUrl: string, size?: ImageSize): string;
}

export type ImageSize = 'full' | 'thumbnail';

export interface StoredImage {
  /** Size in bytes. */
  size: number;
  /** The caller must consume or destroy the stream. */
  open(): Promise<Readable>;
}
