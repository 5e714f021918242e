/** Request ids, queries, access log (one line at the end of each request), and request metadata for the context. */
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type Koa from 'koa';
import type { TrustProxy } from '../config/addresses.js';
import { AppError } from '../errors.js';
import { createMessage, type Language } from '../messages/message.js';
import type { Log } from '../observability/log.js';
import { observeRequest } from '../observability/metrics/latency.js';
import type { TraceIds } from '../observability/tracing/span.js';
import { clientAddress } from './client-address.js';
import type { CompressionState } from './compression.js';
import { languageOf } from './language.js';

export interface RequestState extends CompressionState {
  requestId: string;
  /** Undefined if tracing is off. */
  trace?: TraceIds | undefined;
  /** Path of the matched route, for the log and the metrics: the URL itself may contain personal data. Set by the router only. */
  route?: string;
  /** Whether the response is a stream that stays open until the client disconnects. */
  isEndless?: boolean;
}

/** X-Request-Id of the client is used if it is safe to log. */
const SAFE_ID = /^[\w.-]{1,64}$/;

export function withRequest(log: Log): Koa.Middleware<RequestState> {
  return (ctx, next) => {
    const started = performance.now();
    ctx.state.requestId = idOf(ctx);
    ctx.set('X-Request-Id', ctx.state.requestId);
    ctx.res.once('close', () => {
      const { method, status, state } = ctx;
      const durationMs = performance.now() - started;
      const isAborted = !ctx.res.writableFinished;
      const ms = Math.round(durationMs * 10) / 10;
      const line = { requestId: state.requestId, ...state.trace, method, route: state.route ?? 'none', status, ms };
      log.info(isAborted ? { ...line, aborted: true } : line, 'request');
      // The duration of a stream is not meaningful for the metrics.
      if (state.isEndless) return;
      observeRequest({ method, route: state.route, status, isAborted, seconds: durationMs / 1000 });
    });
    return next();
  };
}

function idOf(ctx: Koa.Context): string {
  const sent = ctx.get('X-Request-Id');
  return SAFE_ID.test(sent) ? sent : randomUUID();
}

/** Client metadata for the audit trail and the rate limits. */
export interface ClientInfo {
  address: string;
  /** The User-Agent header without control characters, truncated; empty if absent. */
  device: string;
}

/** Request metadata from the transport (HTTP or WebSocket). */
export interface RequestInfo {
  requestId: string;
  /** The Authorization header as sent. */
  authorization: string | undefined;
  client: ClientInfo;
  /** The Sec-Purpose header; empty if absent. */
  purpose: string;
  language: Language;
  /** Aborted when the client disconnects before its response is complete. The reason is an AppError. */
  disconnectSignal: () => AbortSignal;
}

export const MAX_DEVICE_LENGTH = 200;

export function requestInfo(ctx: Koa.ParameterizedContext<RequestState>, trust: TrustProxy): RequestInfo {
  const device = ctx
    .get('User-Agent')
    .replace(/\p{Cc}/gu, '')
    .slice(0, MAX_DEVICE_LENGTH)
    .toWellFormed();
  return {
    requestId: ctx.state.requestId,
    authorization: ctx.get('Authorization') || undefined,
    client: { address: clientAddress(ctx.req, trust), device },
    purpose: ctx.get('Sec-Purpose'),
    language: languageOf(ctx),
    disconnectSignal: lazily(() => signalOfDisconnect(ctx.res)),
  };
}

/** Creates the value lazily: most requests do not use it. */
function lazily<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function signalOfDisconnect(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    if (!response.writableFinished)
      controller.abort(new AppError('BAD_REQUEST', { message: createMessage('clientDisconnected') }));
  };
  if (response.closed || response.destroyed) abort();
  else response.once('close', abort);
  return controller.signal;
}

/** Like `requestInfo`, for an upgrade request (WebSocket), which does not pass through the Koa middleware. */
export function upgradeRequestInfo(koa: Koa<RequestState>, request: IncomingMessage, trust: TrustProxy): RequestInfo {
  const ctx = koa.createContext(request, new ServerResponse(request));
  ctx.state.requestId = idOf(ctx);
  // Never aborted: the WebSocket reports its own end, and a listener would retain the request for as long as the connection is open.
  return { ...requestInfo(ctx, trust), disconnectSignal: lazily(() => new AbortController().signal) };
}

/** @throws AppError BAD_REQUEST if the query is not UTF-8, which URLSearchParams would replace by other characters */
export function readQueryString({ querystring }: Pick<Koa.Context, 'querystring'>): URLSearchParams {
  if (/%[89a-f]/i.test(querystring)) {
    const bytes = querystring.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
    if (!isUtf8(Buffer.from(bytes, 'latin1'))) {
      throw new AppError('BAD_REQUEST', { message: createMessage('urlNotUtf8') });
    }
  }
  return new URLSearchParams(querystring);
}
