/** Responses that are not built at once: a file, and the events of a subscription until the client disconnects. */
import { pipeline } from 'node:stream/promises';
import type { ExecutionResult } from 'graphql';
import type Koa from 'koa';
import type { Context } from '../../context.js';
import { runSubscription } from '../../graphql/subscription.js';
import { maskError } from '../../platform/database/mask-error.js';
import { setLanguage } from '../../platform/http/language.js';
import type { RouteContext } from '../../platform/http/router.js';
import { STREAM_HEADERS } from '../../platform/http/sse.js';
import { viewerOf } from '../../services/auth/policy.js';
import { EventStream } from '../../services/live/event-stream.js';
import type { CompiledEndpoint } from './compile.js';
import type { DownloadResult, StreamResult } from './endpoint.js';
import { unwrapResult } from './envelope.js';

type Events = AsyncGenerator<ExecutionResult, void>;

/** Resolves once the stream is open. @throws AppError if it is rejected; nothing has been sent then */
export async function streamEvents(
  compiled: CompiledEndpoint,
  result: StreamResult,
  context: Context,
  ctx: Koa.Context,
  variables: Record<string, unknown>,
): Promise<void> {
  setLanguage(ctx, context.language);
  if (ctx.method === 'HEAD') {
    ctx.status = 200;
    ctx.set(STREAM_HEADERS);
    return;
  }
  const { schema, document } = compiled;
  const request = { schema, document, variableValues: variables, contextValue: context };
  const events = await runSubscription(request, compiled);
  if (!(Symbol.asyncIterator in events)) return void unwrapResult(compiled, events);
  const stream = new EventStream(ctx.res, viewerOf(context), context.language);
  registerStream(stream, events, context);
  ctx.state.isEndless = true;
  // From here on Koa must not write to the response.
  ctx.respond = false;
  stream.open();
  void pump(events, stream, result, context);
}

/** Takes a stream slot; releases it and ends the subscription when the client disconnects, which may have happened already. */
function registerStream(stream: EventStream, events: Events, { services: { hub } }: Context): void {
  try {
    const release = hub.register(stream);
    stream.response.once('close', () => {
      release();
      void events.return();
    });
    if (stream.response.destroyed) stream.response.emit('close');
  } catch (error) {
    void events.return();
    throw error;
  }
}

async function pump(events: Events, stream: EventStream, { name, event }: StreamResult, context: Context) {
  for await (const result of events) {
    const cause = result.errors?.[0];
    const data = result.data?.[name] as { id: unknown } | undefined;
    if (!cause && data) await stream.send(event, String(data.id), JSON.stringify(data));
    else if (isTransient(cause?.originalError ?? cause, context)) stream.close('SERVICE_UNAVAILABLE');
  }
}

/**
 * Whether the error is transient: the stream then ends, and the client reconnects and receives the event again. An event
 * with a permanent error is skipped, because it would block all later events.
 */
function isTransient(error: unknown, { log, requestId }: Context): boolean {
  return maskError(error, log, requestId).key === 'SERVICE_UNAVAILABLE';
}

/**
 * Resolves when the file has been sent, or the client has disconnected: the file is destroyed then. An error after the first byte
 * closes the connection, so that the client detects that the file is incomplete.
 * @throws AppError before the first byte
 */
export async function sendDownload(ctx: RouteContext, context: Context, download: DownloadResult): Promise<void> {
  await download.authorize(context);
  const content = ctx.method === 'HEAD' ? null : await download.open(context);
  ctx.status = 200;
  ctx.type = download.mediaType;
  ctx.attachment(download.fileName);
  if (!content) return;
  // From here on Koa must not write to the response.
  ctx.respond = false;
  try {
    await pipeline(content, ctx.res);
  } catch (error) {
    const isDisconnected = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!isDisconnected) maskError(error, context.log, context.requestId);
  }
}
