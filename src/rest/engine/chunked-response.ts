/** Streams a response in chunks as Server-Sent Events, for clients that prefer this over one JSON text. */
import type { ServerResponse } from 'node:http';
import type Koa from 'koa';
import type { Context } from '../../context.js';
import { maskError } from '../../platform/database/mask-error.js';
import { errorEnvelope } from '../../platform/http/error-response.js';
import { setLanguage } from '../../platform/http/language.js';
import { EVENT_STREAM, STREAM_HEADERS, writeEvent } from '../../platform/http/sse.js';
import type { SendChunk } from '../../services/ai/prompt.js';

/** Write timeout in milliseconds. Backpressure from the client also delays reading from the AI provider, whose timeout is short. */
const WRITE_TIMEOUT_MS = 10_000;

/** Whether the client prefers Server-Sent Events. A client that accepts any type gets JSON. */
export function prefersStream(ctx: Koa.Context): boolean {
  return ctx.accepts('application/json', EVENT_STREAM) === EVENT_STREAM;
}

/**
 * Sends each chunk as an event `delta`, and then the complete response as an event `done`. An error before the first
 * chunk is thrown, for the regular error response; a later one is sent as an event `error` with the same JSON.
 * @param run produces the complete response in its envelope
 * @param writeTimeoutMs write timeout in milliseconds, summed over all events of the response
 */
export async function respondInChunks(
  ctx: Koa.Context,
  { log, language, requestId }: Pick<Context, 'log' | 'language' | 'requestId'>,
  run: (sendChunk: SendChunk) => Promise<string>,
  writeTimeoutMs = WRITE_TIMEOUT_MS,
): Promise<void> {
  setLanguage(ctx, language);
  const send = eventsOver(ctx.res, writeTimeoutMs);
  let begin = () => {};
  const started = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const finished = run((text) => {
    begin();
    return send('delta', JSON.stringify({ text }));
  }).then((envelope) => send('done', envelope));
  await Promise.race([started, finished]);
  // From here on Koa must not write to the response.
  ctx.respond = false;
  void finished
    .catch((error) => send('error', errorEnvelope(maskError(error, log, requestId), language)))
    .finally(() => ctx.res.end());
}

type Send = (event: string, data: string) => Promise<void>;

/** Writes the response headers with the first event. Destroys the connection when the client exceeds the write timeout. */
function eventsOver(response: ServerResponse, writeTimeoutMs: number): Send {
  let remainingMs = writeTimeoutMs;
  return async (event, data) => {
    if (!response.headersSent) response.writeHead(200, STREAM_HEADERS);
    const waitStartedAt = performance.now();
    const disconnectTimer = setTimeout(() => response.destroy(), remainingMs);
    await writeEvent(response, { event, data });
    clearTimeout(disconnectTimer);
    remainingMs = Math.max(0, remainingMs - (performance.now() - waitStartedAt));
  };
}
