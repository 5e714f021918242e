/** The declaration of a tool as data: its arguments, and the endpoints that it calls with them. */
import type { Method } from '../rest/engine/endpoint.js';
import type { Json } from '../rest/openapi/json-schema.js';

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For a model that knows nothing else: when to use the tool, and what it needs for it. */
  readonly description: string;
  readonly effect: Effect;
  /** By name. Each is an input of an endpoint, a condition, or what chooses an endpoint. */
  readonly args: Readonly<Record<string, Argument>>;
  /** The first one whose argument `when` is given is called; the last one has none. */
  readonly calls: readonly [Call, ...Call[]];
}

/** `read`: nothing changes. `save`: only the member sees the result. `add`: others see it. `replace`: others see it in place of something else. */
export type Effect = 'read' | 'save' | 'add' | 'replace';

export interface Argument {
  /** By default that of the input. */
  readonly description?: string;
  /** The name of the input, if it is another one. */
  readonly input?: string;
  /** Of an argument that is no input, or narrower than that of the input. */
  readonly schema?: Json;
  readonly isRequired?: true;
}

export interface Call {
  /** Such as `GET /articles/{articleId}`. */
  readonly endpoint: `${Method} /${string}`;
  readonly when?: string;
  /** The conditions that it has as arguments: a revision, and a key for retries. */
  readonly conditions?: readonly (typeof IF_REVISION | typeof REQUEST_ID)[];
  /** The short form of the data of the response: a selection as in GraphQL. */
  readonly output: string;
}

export const IF_REVISION = 'ifRevision';
export const REQUEST_ID = 'requestId';

export const ID: Json = { type: 'integer', minimum: 1 };

/** The arguments that are conditions. */
export const CONDITIONS = {
  [IF_REVISION]: {
    description:
      'The revision of the text that you changed. With another current one nothing is saved, and you are told to read it again.',
    schema: ID,
  },
  [REQUEST_ID]: {
    description:
      'A new random text for each intended change, such as a UUID. Send the same one if you repeat a call whose result was lost: it is not executed twice.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
} as const satisfies Record<string, Argument>;

export const PAGE: Readonly<Record<string, Argument>> = {
  page: { description: 'From 1.' },
  size: { description: 'Elements of a page.' },
};

export const PAGINATION = 'pagination { currentPage totalPages totalElements }';
