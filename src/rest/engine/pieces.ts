/** An answer in pieces, for clients that would rather not wait for the whole: events instead of one JSON text. */
import type { ServerResponse } from 'node:http';
import type Koa from 'koa';
import type { SendPiece } from '../../ai/ask.js';
import type { Context } from '../../context.js';
import { toAppError } from '../../database/to-app-error.js';
import { failureText } from '../../http/error-response.js';
import { setLanguage } from '../../http/language.js';
import { EVENT_STREAM, STREAM_HEADERS, writeEvent } from '../../http/sse.js';

/** Milliseconds: whoever waits for the client keeps the provider waiting, whose time is short too. */
const PATIENCE = 10_000;

/** Whether the client prefers events; one that takes anything gets JSON. */
export function wantsPieces(ctx: Koa.Context): boolean {
  return ctx.accepts('application/json', EVENT_STREAM) === EVENT_STREAM;
}

/**
 * Sends each piece as an event `delta`, and then the whole answer as an event `done`. What goes wrong before the first
 * piece is thrown, to be answered as always; later it is an event `error`, with the same text.
 * @param run makes the answer, in its envelope
 * @param patience milliseconds for which the client may keep it waiting, all in all
 */
export async function answerInPieces(
  ctx: Koa.Context,
  { log, language, requestId }: Pick<Context, 'log' | 'language' | 'requestId'>,
  run: (sendPiece: SendPiece) => Promise<string>,
  patience = PATIENCE,
): Promise<void> {
  setLanguage(ctx, language);
  const send = eventsOver(ctx.res, patience);
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const finished = run((text) => {
    begin();
    return send('delta', JSON.stringify({ text }));
  }).then((envelope) => send('done', envelope));
  await Promise.race([begun, finished]);
  // From here on the response is not Koa's any more.
  ctx.respond = false;
  void finished
    .catch((error) => send('error', failureText(toAppError(error, log, requestId), language)))
    .finally(() => ctx.res.end());
}

type Send = (event: string, data: string) => Promise<void>;

/** The answer begins with the first of them. A client that takes too long to read is left. */
function eventsOver(response: ServerResponse, patience: number): Send {
  let left = patience;
  return async (event, data) => {
    if (!response.headersSent) response.writeHead(200, STREAM_HEADERS);
    const asked = performance.now();
    const leave = setTimeout(() => response.destroy(), left);
    await writeEvent(response, { event, data });
    clearTimeout(leave);
    left = Math.max(0, left - (performance.now() - asked));
  };
}
