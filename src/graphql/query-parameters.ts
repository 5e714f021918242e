/** The parameters of a GraphQL request over HTTP, with persisted queries (Apollo's `sha256Hash` protocol). */
import { createHash } from 'node:crypto';
import type Koa from 'koa';
import { AppError } from '../platform/errors.js';
import { readQueryString } from '../platform/http/request.js';
import { createMessage } from '../platform/messages/message.js';
import { inspectValue } from '../platform/text.js';
import type { DocumentCache } from './document-cache.js';

/** The parameters of a GraphQL request (GraphQL over HTTP §5). Extensions other than a persisted query have no effect. */
export interface Query {
  readonly text: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The client has to send the document once, with its hash. The name and the message are those that clients look for. */
export class PersistedQueryNotFound extends Error {}

/**
 * @returns null if the request has no document: Apollo responds to it
 * @throws PersistedQueryNotFound; AppError BAD_REQUEST for a parameter of another type, or a hash that is not that of the document;
 *   UNSUPPORTED_MEDIA_TYPE
 */
export function readQuery(ctx: Koa.Context, body: unknown, documents: DocumentCache): Query | null {
  const parameters: Record<string, unknown> = body === undefined ? searchParameters(ctx) : Object(body);
  const { query, operationName } = parameters;
  // JSON has null for an absent parameter; in a URL it is a value.
  const of = (name: string) => (body === undefined ? parameters[name] : (parameters[name] ?? undefined));
  const extensions = objectIn('extensions', of('extensions'));
  const hash = persistedHash(extensions.persistedQuery);
  if (hash === null && (typeof query !== 'string' || query === '')) return null;
  const variables = objectIn('variables', of('variables'));
  if (operationName != null && typeof operationName !== 'string') {
    throw badRequest(createMessage('graphqlParameterNotText', 'operationName', inspectValue(operationName)));
  }
  const text = hash === null ? String(query) : persistedText(hash, query, documents);
  return { text, operationName: operationName ?? undefined, variables };
}

/** @throws AppError BAD_REQUEST for a repeated parameter, UNSUPPORTED_MEDIA_TYPE */
function searchParameters(ctx: Koa.Context): Record<string, unknown> {
  const [type = ''] = ctx.get('Content-Type').split(';');
  if (!['', 'application/json'].includes(type.trim().toLowerCase())) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { message: createMessage('graphqlContentTypeUnsupported') });
  }
  const parameters = readQueryString(ctx);
  const found: Record<string, unknown> = {};
  for (const name of ['query', 'operationName', 'variables', 'extensions']) {
    const [text, ...more] = parameters.getAll(name);
    if (more.length > 0) throw badRequest(createMessage('graphqlParameterRepeated', name, more.length + 1));
    if (text !== undefined) found[name] = name === 'variables' || name === 'extensions' ? parseJson(text) : text;
  }
  return found;
}

/** A text that is not JSON stays a text, which is not an object. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @throws AppError BAD_REQUEST */
function objectIn(name: string, value: unknown): Record<string, unknown> {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw badRequest(createMessage('graphqlParameterNotObject', name, inspectValue(value)));
}

/** @returns null without the extension. @throws AppError BAD_REQUEST */
function persistedHash(extension: unknown): string | null {
  if (extension == null) return null;
  const { version, sha256Hash } = Object(extension) as { version?: unknown; sha256Hash?: unknown };
  if (version === 1 && typeof sha256Hash === 'string') return sha256Hash;
  throw badRequest(createMessage('persistedQueryInvalid', inspectValue(extension)));
}

/** @throws PersistedQueryNotFound; AppError BAD_REQUEST */
function persistedText(hash: string, query: unknown, documents: DocumentCache): string {
  if (typeof query === 'string' && query !== '') {
    if (createHash('sha256').update(query).digest('hex') === hash) return query;
    throw badRequest(createMessage('persistedHashWrong'));
  }
  const text = documents.textOf(hash);
  if (text === undefined) throw new PersistedQueryNotFound();
  return text;
}

function badRequest(message: ReturnType<typeof createMessage>): AppError {
  return new AppError('BAD_REQUEST', { message });
}
