/** The declaration of an endpoint as data, from which both the route and its OpenAPI operation are generated. */
import type { Readable } from 'node:stream';
import type { Context } from '../../context.js';
import type { ErrorKey } from '../../error-keys.js';
import type { ResponseMessageKey } from '../../messages/message.js';
import type { BodyKind } from './body.js';
import type { Source } from './source.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Endpoint {
  readonly method: Method;
  /** Path below `/api`, with parameters as `{name}`. */
  readonly path: string;
  /** The OpenAPI tag. */
  readonly group: Group;
  readonly summary: string;
  /** One to three sentences: behavior beyond the summary, authorization, special cases. */
  readonly description: string;
  /** An example request, keyed by source name: shown in the API reference, and sent by a test. */
  readonly example: Readonly<Record<string, unknown>>;
  /** Whether a bearer token is required; the operation's root field declares the same with `@Authorized()`. */
  readonly auth: 'none' | 'bearer';
  /** For a public GET of data without a stamp, such as settings: the responses have no validators and are not cached. */
  readonly isUnstamped?: boolean;
  /** Whether the response has the ETag with the revision of an article or a comment, which the operation changes. */
  readonly isRevisioned?: boolean;
  /** For the endpoints of the interface specification, which ignore unknown query parameters; all others reject them. */
  readonly ignoresUnknownParameters?: boolean;
  readonly status: 200 | 201 | 202 | 204;
  /** The message catalog's key for the `message` of the envelope. */
  readonly message: ResponseMessageKey;
  readonly body: BodyKind;
  /** Whether clients that prefer `text/event-stream` receive the response in chunks, which the operation sends. */
  readonly streamable?: boolean;
  /** A GraphQL operation with one root field. */
  readonly operation: string;
  readonly variables: Readonly<Record<string, Source>>;
  /** The class with the validators of the root field's own arguments, if there are any. */
  readonly args?: new () => object;
  readonly result: Result;
  /** If the root field can be null without an error: the message of the response 202 with `{}` in this case. */
  readonly pendingMessage?: ResponseMessageKey;
  /** Error codes in addition to those that the rest of this declaration implies. */
  readonly errors: readonly ErrorKey[];
}

/** Common properties of endpoints that read: status 200, the message `ok`, no body and no additional errors. */
export const GET_DEFAULTS = { method: 'GET', status: 200, message: 'ok', body: 'none', errors: [] } as const;

export type FiniteResult = { kind: 'field' | 'list'; name: string } | { kind: 'nothing' };
/** `name`: the root field. `event`: the Server-Sent Event name of each of its values. */
export type StreamResult = { kind: 'stream'; name: string; event: string };
/** The response is a file instead of JSON. `name`: the root field, which is executed first. */
export interface DownloadResult {
  readonly kind: 'download';
  readonly name: string;
  readonly mediaType: 'application/zip';
  readonly fileName: string;
  /** Checks that need no reading of the file: HEAD requests run only these. @throws AppError */
  authorize(context: Context): Promise<void>;
  /** @throws AppError. The caller reads the stream to its end or destroys it */
  open(context: Context): Promise<Readable>;
}
export type Result = FiniteResult | StreamResult | DownloadResult;

/** Whether anyone may read the resource, and it has a stamp: its responses have validators, and may be cached. */
export function isPublicRead({ method, auth, isUnstamped = false }: Endpoint): boolean {
  return method === 'GET' && auth === 'none' && !isUnstamped;
}

/** The response's `data` is this root field. */
export function rootField(name: string): Result {
  return { kind: 'field', name };
}

/** The response's `data` is `{"contents"}` with this root field, a list. */
export function rootList(name: string): Result {
  return { kind: 'list', name };
}

/** An endless response: each value of this subscription root field is sent as a Server-Sent Event with its `id`. */
export function eventStream(name: string, event: string): Result {
  return { kind: 'stream', name, event };
}

/** The response's `data` is `{}`; with status 204 there is no body. */
export const nothing: FiniteResult = { kind: 'nothing' };

/** In the order of the reference. */
export const GROUPS = {
  Article: 'Articles, their summaries and their tags.',
  Comment: 'Comments on articles, and replies to comments.',
  Auth: 'Registration, login and sessions.',
  Member: 'Profile and account of the authenticated member, and public profiles.',
  Category: 'Categories for articles; each member has their own.',
  Image: 'Images for the content of articles.',
  Style: 'Rewriting a text in a built-in or custom style.',
  Notification: 'Notifications of the authenticated member, as pages and as a live stream.',
  NotificationSetting: 'Notification settings of the authenticated member.',
  External: 'Direct requests to the AI provider, to test it.',
};

export type Group = keyof typeof GROUPS;
