/** Error responses, in the REST envelope or, at `/graphql`, in the format of GraphQL; in English for requests that fail before they reach Koa. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type Koa from 'koa';
import type { AppError } from '../errors.js';
import type { Language } from '../messages/message.js';
import { errorsReturned } from '../observability/metrics/error.js';
import { languageOf, setLanguage } from './language.js';
import { SECURITY_HEADERS } from './security-headers.js';

export const GRAPHQL_PATH = '/graphql';

/** @param url of the request; selects the error format (GraphQL or REST) */
export function sendError(response: ServerResponse, url: string, error: AppError): void {
  const body = englishBody(url, error);
  response.writeHead(error.status, closingHeaders(body, error)).end(body);
}

/** The serialized response with status line and headers, for a request without a ServerResponse. @param url empty if unknown */
export function errorResponse(url: string, error: AppError): string {
  const body = englishBody(url, error);
  const headers = { ...closingHeaders(body, error), Date: new Date().toUTCString() };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`;
}

/** Path of a truncated or malformed request; empty if unknown. @param packet `rawPacket` of the error */
export function pathIn(packet: Buffer | undefined): string {
  const start = packet?.subarray(0, 2048).toString('latin1') ?? '';
  return /^[A-Z]+ (\S+) /.exec(start)?.[1] ?? '';
}

/** Responds with the error in the format of the requested path. */
export function respondWithError(ctx: Koa.Context, error: AppError): void {
  const language = languageOf(ctx);
  ctx.set(errorHeaders(error));
  if (ctx.path === GRAPHQL_PATH) {
    respondWithGraphQLErrors(ctx, error.status, language, [graphqlError(error, language)]);
    return;
  }
  setLanguage(ctx, language);
  ctx.status = error.status;
  ctx.type = 'application/json';
  ctx.body = errorEnvelope(error, language);
}

export const GRAPHQL_RESPONSE = 'application/graphql-response+json';

/** GraphQL over HTTP, §6.4: the response to a request that was not executed, in the media type that the client prefers. */
export function respondWithGraphQLErrors(ctx: Koa.Context, status: number, language: Language, errors: object[]): void {
  setLanguage(ctx, language);
  ctx.status = status;
  ctx.type = ctx.accepts('application/json', GRAPHQL_RESPONSE) || 'application/json';
  ctx.body = JSON.stringify({ errors });
}

/** The error as JSON in the REST envelope. Also increments the metric of reported errors: call it once per response. */
export function errorEnvelope(error: AppError, language: Language): string {
  errorsReturned.inc({ api: 'rest', key: error.key });
  const data = error.errors.length > 0 ? { errors: error.errorsIn(language) } : {};
  return JSON.stringify({ code: error.key, message: error.clientMessage.in(language), data });
}

/** Increments the metric of reported errors. */
function graphqlError(error: AppError, language: Language): object {
  errorsReturned.inc({ api: 'graphql', key: error.key });
  return { message: error.clientMessage.in(language), extensions: error.extensionsIn(language) };
}

/** RFC 9110 §11.6.1: a 401 has WWW-Authenticate; RFC 6750 §3.1: insufficient scope; RFC 9110 §10.2.3: Retry-After. */
function errorHeaders({ key, status, retryAfter, scopes }: AppError): Record<string, string> {
  return {
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(key === 'SCOPE_MISSING' && { 'WWW-Authenticate': insufficientScope(scopes) }),
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
  };
}

/** RFC 6750 §3: the scopes are separated by spaces. */
function insufficientScope(scopes: readonly string[]): string {
  const error = 'Bearer error="insufficient_scope"';
  return scopes.length > 0 ? `${error}, scope="${scopes.join(' ')}"` : error;
}

function closingHeaders(body: string, error: AppError): Record<string, string> {
  return {
    ...SECURITY_HEADERS,
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Language': 'en',
    'Content-Length': String(Buffer.byteLength(body)),
    ...errorHeaders(error),
  };
}

function englishBody(url: string, error: AppError): string {
  if (url.split('?')[0] !== GRAPHQL_PATH) return errorEnvelope(error, 'en');
  return JSON.stringify({ errors: [graphqlError(error, 'en')] });
}
