/** The parameters of a GraphQL request over HTTP, with persisted queries (Apollo's `sha256Hash` protocol). */
import { createHash } from 'node:crypto';
import type Koa from 'koa';
import { AppError } from '../errors.js';
import { createMessage } from '../messages/message.js';
import type { Documents } from './documents.js';

/** The parameters of a GraphQL request (GraphQL over HTTP §5), not validated. */
export interface Query {
  readonly text: string;
  readonly operationName: unknown;
  readonly variables: unknown;
  readonly extensions: unknown;
  readonly isPersisted: boolean;
}

/** Parameters of the right types, without extensions. */
export interface ValidQuery {
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown>;
}

/** The client has to send the document once, with its hash. The name and the message are those that clients look for. */
export class PersistedQueryNotFound extends Error {}

/**
 * @returns null if the request has no document, or Apollo rejects its form
 * @throws PersistedQueryNotFound; AppError BAD_REQUEST if the hash is not that of the document
 */
export function readQuery(ctx: Koa.Context, body: unknown, documents: Documents): Query | null {
  if (body !== undefined) return toQuery(Object(body), documents);
  const parameters = new URLSearchParams(ctx.search);
  const names = [...parameters.keys()];
  const of = (name: string) => parameters.get(name) ?? undefined;
  // Apollo rejects repeated parameters and a Content-Type; the document is still checked first.
  const isRejected = new Set(names).size < names.length || ctx.get('Content-Type') !== '';
  const extensions = isRejected ? '' : parseJson(of('extensions'));
  const [query, operationName] = [of('query'), of('operationName')];
  // As a parameter of a GET request, null is invalid.
  const variables = of('variables') === 'null' ? '' : parseJson(of('variables'));
  return toQuery({ query, operationName, variables, extensions }, documents);
}

function toQuery({ query, ...parameters }: Record<string, unknown>, documents: Documents): Query | null {
  const { operationName, variables, extensions } = parameters;
  const hash = persistedHash(extensions);
  if (hash === null)
    return typeof query === 'string' && query !== ''
      ? { text: query, operationName, variables, extensions, isPersisted: false }
      : null;
  return {
    text: persistedText(hash, query, documents),
    operationName,
    variables,
    extensions: undefined,
    isPersisted: true,
  };
}

/** A text that is not JSON stays a text, which is not valid for any of the parameters. */
function parseJson(text: string | undefined): unknown {
  try {
    return text && JSON.parse(text);
  } catch {
    return text;
  }
}

/** Null if the extensions are not exactly those of a persisted query. */
function persistedHash(extensions: unknown): string | null {
  if (typeof extensions !== 'object' || extensions === null) return null;
  const { persistedQuery, ...others } = extensions as { persistedQuery?: { version?: unknown; sha256Hash?: unknown } };
  const { version, sha256Hash } = Object(persistedQuery) as { version?: unknown; sha256Hash?: unknown };
  const isPersisted = version === 1 && typeof sha256Hash === 'string' && Object.keys(others).length === 0;
  return isPersisted ? sha256Hash : null;
}

function persistedText(hash: string, query: unknown, documents: Documents): string {
  if (typeof query === 'string') {
    if (createHash('sha256').update(query).digest('hex') === hash) return query;
    throw new AppError('BAD_REQUEST', { message: createMessage('persistedHashWrong') });
  }
  const text = documents.textOf(hash);
  if (text === undefined) throw new PersistedQueryNotFound();
  return text;
}

/** @returns null if a parameter has another type, or there are extensions */
export function toValidQuery({ operationName, variables, extensions }: Query): ValidQuery | null {
  const name = operationName ?? undefined;
  const given = variables ?? {};
  if ((name !== undefined && typeof name !== 'string') || extensions != null) return null;
  if (typeof given !== 'object' || Array.isArray(given)) return null;
  return { operationName: name, variables: given as Record<string, unknown> };
}
