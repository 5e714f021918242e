/** The declaration of an endpoint as data, from which both the route and its OpenAPI operation are generated. */
import type { Readable } from 'node:stream';
import type { Context } from '../../context.js';
import type { ErrorKey } from '../../platform/error-keys.js';
import type { ResponseMessageKey } from '../../platform/messages/message.js';
import type { BodyKind } from './body.js';
import type { Source } from './source.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What an endpoint declares. `CompleteEndpoint` has what follows from its operation and from the schema. */
export interface Endpoint {
  readonly method: Method;
  /** Path below `/api`, with parameters as `{name}`. */
  readonly path: string;
  /** The OpenAPI tag, if it is not that of the other paths with the same first segment. */
  readonly group?: Group;
  readonly summary: string;
  /** One to three sentences: behavior beyond the summary, authorization, special cases. */
  readonly description: string;
  /** An example request, keyed by source name: shown in the API reference, and sent by a test. By default a list has its first page, and ids in the path are 1. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Whether the response has the ETag with the revision of what the operation changes, or of a draft that it reads. */
  readonly isRevisioned?: boolean;
  /** Whether search engines are to leave the responses out (`X-Robots-Tag`), since their URL has a secret. */
  readonly isNotIndexed?: boolean;
  /** For the endpoints of the published interface (docs/clients.md), and one that always succeeds, which ignore unknown query parameters; all others reject them. */
  readonly ignoresUnknownParameters?: boolean;
  /** 200 by default. */
  readonly status?: 200 | 201 | 202 | 204;
  /** The message catalog's key for the `message` of the envelope; `ok` by default. */
  readonly message?: ResponseMessageKey;
  /** Whether clients that prefer `text/event-stream` receive the response in chunks, which the operation sends. */
  readonly streamable?: boolean;
  /**
   * The root field, all of whose arguments are variables, and the shape of the response, or of the elements of its page; a mutation without one responds
   * with `{}`. Otherwise a GraphQL operation with one root field.
   */
  readonly operation: string | readonly [rootField: string, shape: string];
  /** The sources of variables that do not follow from their names (`impliedSource`). */
  readonly variables?: Readonly<Record<string, Source>>;
  /** The class with the validators of the arguments, if it is not that of the root field. */
  readonly args?: new () => object;
  /** Of a subscription: the Server-Sent Event name of its values. */
  readonly event?: string;
  /** The response is the only field of the root field as a text of this type, in place of the envelope; errors are in the envelope. */
  readonly mediaType?: 'text/markdown';
  /** For a response that is a file: the operation is executed first. */
  readonly download?: Download;
  /** If the root field can be null without an error: the message of the response 202 with `{}` in this case. */
  readonly pendingMessage?: ResponseMessageKey;
  /** Error codes in addition to those that the rest of this declaration implies. */
  readonly errors?: readonly ErrorKey[];
}

type Defaults = 'group' | 'example' | 'status' | 'message' | 'variables' | 'errors';

export interface CompleteEndpoint extends Omit<Endpoint, Defaults>, Required<Pick<Endpoint, Defaults>> {
  /** `bearer`: the root field is `@Authorized()`. */
  readonly auth: 'none' | 'bearer';
  readonly body: BodyKind;
  readonly result: Result;
  /** Whether anyone may read the resource, and it has a stamp: its responses have validators, and may be cached. */
  readonly isPublicRead: boolean;
  /** Whether its responses have a tag, but no time of the last change (`TaggedByContent` in schema/stamped.ts). */
  readonly isTaggedByContent: boolean;
}

export interface Download {
  readonly mediaType: 'application/zip';
  readonly fileName: string;
  /** Checks that need no reading of the file: HEAD requests run only these. @throws AppError */
  authorize(context: Context): Promise<void>;
  /** @throws AppError. The caller reads the stream to its end or destroys it */
  open(context: Context): Promise<Readable>;
}

/** The response is a text, which is written from the data of the operation. */
export type TextResult = { kind: 'text'; mediaType: string; write: (data: Record<string, unknown>) => string };
/** `field`: the response's `data` is the root field. `list`: it is `{"contents"}` with the root field. `nothing`: it is `{}`. */
export type FiniteResult = { kind: 'field' | 'list'; name: string } | { kind: 'nothing' } | TextResult;
/** An endless response: each value of the root field is sent as a Server-Sent Event with this name and its `id`. */
export type StreamResult = { kind: 'stream'; name: string; event: string };
/** The response is a file instead of JSON. `name`: the root field, which is executed first. */
export type DownloadResult = { kind: 'download'; name: string } & Download;
export type Result = FiniteResult | StreamResult | DownloadResult;

/** In the order of the reference. */
export const GROUPS = {
  Article: 'Articles, their summaries and their tags.',
  Draft: 'Drafts of articles, which only their authors see, and links with which others can read texts.',
  Series: 'Series of articles, each with an order that its author sets.',
  Reading: 'Likes, bookmarks, views, followed members and their articles.',
  Comment: 'Comments on articles, and replies to comments.',
  Auth: 'Registration, login and sessions.',
  Member: 'Profile and account of the authenticated member, and public profiles.',
  Category: 'Categories for articles; each member has their own.',
  Change: 'What changed, for copies of the public journal.',
  Webhook: 'Webhooks: messages about changes of the public journal, for admins.',
  Image: 'Images for the content of articles.',
  Style: 'Rewriting a text in a built-in or custom style.',
  Notification: 'Notifications of the authenticated member, as pages and as a live stream.',
  NotificationSetting: 'Notification settings of the authenticated member.',
  Moderation: 'Roles of members, reports, decisions of moderators, and appeals.',
  External: 'Direct requests to the AI provider, to test it.',
};

export type Group = keyof typeof GROUPS;

/** By the first segment of the path. */
export const GROUPS_OF_PATHS: Readonly<Record<string, Group>> = {
  bookmarks: 'Reading',
  articles: 'Article',
  auth: 'Auth',
  categories: 'Category',
  changes: 'Change',
  comments: 'Comment',
  decisions: 'Moderation',
  drafts: 'Draft',
  external: 'External',
  images: 'Image',
  members: 'Member',
  moderation: 'Moderation',
  reports: 'Moderation',
  notifications: 'Notification',
  series: 'Series',
  shared: 'Draft',
  tags: 'Article',
  token: 'Member',
  webhooks: 'Webhook',
};
