/** Server-Sent Events, as the HTML Living Standard §9.2 has them. */
import type { ServerResponse } from 'node:http';

export const EVENT_STREAM = 'text/event-stream';

/** What stands between may neither keep anything back, nor compress it, for which it would wait for more. */
export const STREAM_HEADERS = {
  'Content-Type': EVENT_STREAM,
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

export interface ServerSentEvent {
  event: string;
  /** Which a client that comes back names as the last one it has seen. */
  id?: string;
  /** JSON, which has no line breaks. */
  data: string;
}

/** Resolves once there is room for the next one, or the client is gone, so that nothing piles up here. */
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
