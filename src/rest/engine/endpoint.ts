/** What an endpoint is: data, from which both the route and its part of the OpenAPI document are made. */
import type { ErrorKey } from '../../error-keys.js';
import type { AnswerKey } from '../../messages/message.js';
import type { Stamped } from '../../models/stamp.js';
import type { BodyKind } from './body.js';
import type { Group } from './groups.js';
import type { Source } from './source.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Endpoint {
  readonly method: Method;
  /** Under `/api`, with parameters as `{name}`. */
  readonly path: string;
  /** The group in the reference. */
  readonly group: Group;
  readonly summary: string;
  /** One to three sentences: what it does beyond the summary, who may, what is special about it. */
  readonly description: string;
  /** What a client could send, by the names of the sources: the reference shows it, and a test sends it. */
  readonly example: Readonly<Record<string, unknown>>;
  /** Whether a bearer token is needed; the operation's field says the same with `@Authorized()`. */
  readonly auth: 'none' | 'bearer';
  readonly status: 200 | 201 | 202 | 204;
  /** The `message` of the envelope, in the catalogue. */
  readonly message: AnswerKey;
  readonly body: BodyKind;
  /** Clients that accept `text/event-stream` get the answer in pieces; the operation sends them. */
  readonly inPieces?: boolean;
  /** A GraphQL operation with one root field. */
  readonly operation: string;
  readonly variables: Readonly<Record<string, Source>>;
  /** The class that holds the validators of the root field's arguments, where it has any of its own. */
  readonly args?: new () => object;
  readonly result: Result;
  /** What can go wrong beside what the rest of this declaration implies. */
  readonly errors: readonly ErrorKey[];
  /** What tells one state of the answer from the next: every public GET has it, and no other endpoint. */
  readonly validator?: Validator;
}

/** The stamp of what an endpoint shows. */
export interface Validator {
  readonly of: Stamped;
  /** The path parameter with the id that the stamp is found by. */
  readonly id?: string;
  /** Whether the operation's own statement brings the stamp along (`Context.noted`). Otherwise it is read before. */
  readonly comesAlong: boolean;
}

export type FiniteResult = { kind: 'field' | 'list'; name: string } | { kind: 'nothing' };
/** `name` is the root field, `event` what each of its values is called in the stream. */
export type StreamResult = { kind: 'stream'; name: string; event: string };
export type Result = FiniteResult | StreamResult;

/** The answer's data is this root field. */
export function rootField(name: string): Result {
  return { kind: 'field', name };
}

/** The answer's data is this root field, a list, as `contents`. */
export function rootList(name: string): Result {
  return { kind: 'list', name };
}

/** The answer does not end: each value of this root field, of a subscription, is a Server-Sent Event under its `id`. */
export function eventStream(name: string, event: string): Result {
  return { kind: 'stream', name, event };
}

/** The answer's data is `{}`, or there is no body at all with status 204. */
export const nothing: Result = { kind: 'nothing' };
