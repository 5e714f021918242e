/** Server-Sent Events (HTML Living Standard §9.2). */
import type { ServerResponse } from 'node:http';

export const EVENT_STREAM = 'text/event-stream';

/** Proxies must neither buffer the stream nor compress it, since compression buffers too. */
export const STREAM_HEADERS = {
  'Content-Type': EVENT_STREAM,
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

export interface ServerSentEvent {
  event: string;
  /** Sent back by a reconnecting client in Last-Event-ID. */
  id?: string;
  /** JSON without line breaks. */
  data: string;
}

/** Backpressure: resolves when the next event can be written (`drain`) or the client has disconnected. */
export async function writeEvent(response: ServerResponse, sent: ServerSentEvent): Promise<void> {
  if (response.destroyed || response.write(eventText(sent))) return;
  await new Promise<void>((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}

export function eventText({ event, id, data }: ServerSentEvent): string {
  const lines = [`event: ${event}`, ...(id === undefined ? [] : [`id: ${id}`]), `data: ${data}`];
  return `${lines.join('\n')}\n\n`;
}
