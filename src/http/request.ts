/** What every request has from its beginning: an id. One line is logged when it is over. */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type Koa from 'koa';
import { type TrustProxy } from '../config/trust-proxy.js';
import { AppError } from '../errors.js';
import { type Language, say } from '../messages/message.js';
import type { Log } from '../observability/log.js';
import { observeRequest } from '../observability/metrics/request.js';
import type { TraceIds } from '../observability/tracing/span.js';
import { clientAddress } from './client-address.js';
import { languageOf } from './language.js';

export interface RequestState {
  requestId: string;
  /** Undefined where nobody traces. */
  trace?: TraceIds | undefined;
  /** The route's pattern, for the log and the metrics: the address itself may hold personal data. */
  route?: string;
  /** Whether it stays open until its client leaves. */
  isEndless?: boolean;
}

/** A client's own id is taken over when it cannot break a log line. */
const SAFE_ID = /^[\w.-]{1,64}$/;

export function withRequest(log: Log): Koa.Middleware<RequestState> {
  return (ctx, next) => {
    const started = performance.now();
    ctx.state.requestId = idOf(ctx);
    ctx.set('X-Request-Id', ctx.state.requestId);
    ctx.res.once('close', () => {
      const { method, status, state } = ctx;
      const duration = performance.now() - started;
      const isAborted = !ctx.res.writableFinished;
      const ms = Math.round(duration * 10) / 10;
      const line = { requestId: state.requestId, ...state.trace, method, route: state.route ?? 'none', status, ms };
      log.info(isAborted ? { ...line, aborted: true } : line, 'request');
      // It has no duration worth counting.
      if (state.isEndless) return;
      observeRequest({ method, route: state.route, status, isAborted, duration: duration / 1000 });
    });
    return next();
  };
}

function idOf(ctx: Koa.Context): string {
  const sent = ctx.get('X-Request-Id');
  return SAFE_ID.test(sent) ? sent : randomUUID();
}

/** For addresses that can only be read. @throws AppError METHOD_NOT_ALLOWED */
export function requireReading(ctx: Koa.BaseContext): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return;
  ctx.set('Allow', 'GET, HEAD');
  throw new AppError('METHOD_NOT_ALLOWED', { message: say('methodExpected', ['GET', 'HEAD'], ctx.method) });
}

/** Who asks, as the audit trail and the limits know them. */
export interface ClientFacts {
  address: string;
  /** The User-Agent header, bounded; empty where there is none. */
  device: string;
}

/** What the transport knows of a request. */
export interface RequestFacts {
  requestId: string;
  /** The Authorization header as it came. */
  authorization: string | undefined;
  client: ClientFacts;
  language: Language;
  /** Aborted when the client disconnects before its response is complete. The reason is an AppError. */
  gone: () => AbortSignal;
}

const LONGEST_DEVICE = 200;

export function factsOf(ctx: Koa.ParameterizedContext<RequestState>, trust: TrustProxy): RequestFacts {
  const device = ctx
    .get('User-Agent')
    .replace(/\p{Cc}/gu, '')
    .slice(0, LONGEST_DEVICE)
    .toWellFormed();
  return {
    requestId: ctx.state.requestId,
    authorization: ctx.get('Authorization') || undefined,
    client: { address: clientAddress(ctx.req, trust), device },
    language: languageOf(ctx),
    gone: onceAsked(() => abortedWith(ctx.res)),
  };
}

/** Most requests never ask. */
function onceAsked<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function abortedWith(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new AppError('BAD_REQUEST', { message: say('clientGone') }));
  if (response.closed || response.destroyed) abort();
  else response.once('close', abort);
  return controller.signal;
}

/** The same of a request that becomes a connection of another kind, which no middleware sees. */
export function factsOfUpgrade(koa: Koa<RequestState>, request: IncomingMessage, trust: TrustProxy): RequestFacts {
  const ctx = koa.createContext(request, new ServerResponse(request));
  ctx.state.requestId = idOf(ctx);
  // Its end is told in other ways, and the request would be kept for as long as the connection.
  return { ...factsOf(ctx, trust), gone: onceAsked(() => new AbortController().signal) };
}
