/** Error responses in the REST envelope, and error responses in English for requests that fail before they reach Koa. */

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
  const body = bodyOf(url, error);
  response.writeHead(error.status, headersOf(body, error)).end(body);
}

/** The serialized response with status line and headers, for a request without a ServerResponse. @param url empty if unknown */
export function errorResponse(url: string, error: AppError): string {
  const body = bodyOf(url, error);
  const headers = { ...headersOf(body, error), Date: new Date().toUTCString() };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`;
}

/** Path of a request that was truncated or could not be parsed. @param packet `rawPacket` of the error @returns empty if unknown */
export function pathIn(packet: Buffer | undefined): string {
  const start = packet?.subarray(0, 2048).toString('latin1') ?? '';
  return /^[A-Z]+ (\S+) /.exec(start)?.[1] ?? '';
}

function headersOf(body: string, { retryAfter }: AppError): Record<string, string> {
  return {
    ...SECURITY_HEADERS,
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Language': 'en',
    'Content-Length': String(Buffer.byteLength(body)),
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
  };
}

function bodyOf(url: string, error: AppError): string {
  if (url.split('?')[0] !== GRAPHQL_PATH) return failureText(error, 'en');
  errorsReturned.inc({ surface: 'graphql', key: error.key });
  return JSON.stringify({ errors: [{ message: error.message, extensions: error.extensionsIn('en') }] });
}

/** Responds with the error. RFC 9110 §11.6.1: a 401 has WWW-Authenticate; §10.2.3: Retry-After. */
export function refuse(ctx: Koa.Context, error: AppError): void {
  const language = languageOf(ctx);
  setLanguage(ctx, language);
  ctx.status = error.status;
  if (error.status === 401) ctx.set('WWW-Authenticate', 'Bearer');
  if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter));
  ctx.type = 'application/json';
  ctx.body = failureText(error, language);
}

/** The error as JSON in the REST envelope. Also increments the metric of reported errors: call it once per response. */
export function failureText(error: AppError, language: Language): string {
  errorsReturned.inc({ surface: 'rest', key: error.key });
  const data = error.errors.length > 0 ? { errors: error.errorsIn(language) } : {};
  return JSON.stringify({ code: error.key, message: error.clientMessage.in(language), data });
}
