/** A response that stays open and carries Server-Sent Events, as the HTML standard describes them. */
import type { ServerResponse } from 'node:http';
import type { Viewer } from '../context.js';
import { type Language, say } from '../messages/message.js';
import { ENDINGS, type Ending, type Held } from '../notifications/held.js';

export const EVENT_STREAM = 'text/event-stream';

/** Milliseconds after which a client that lost its connection comes back. */
const RETRY = 2_000;

/** What stands between may neither keep anything back, nor compress it, for which it would wait for more. */
export const STREAM_HEADERS = {
  'Content-Type': EVENT_STREAM,
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

export class EventStream implements Held {
  readonly memberId: number;
  readonly sessionId: string;
  readonly expiresAt: number;
  stuckSince = 0;

  constructor(
    readonly response: ServerResponse,
    { memberId, sessionId, expiresAt }: Viewer,
    readonly language: Language,
  ) {
    this.memberId = memberId;
    this.sessionId = sessionId;
    this.expiresAt = expiresAt;
  }

  open(): void {
    this.response.writeHead(200, STREAM_HEADERS);
    this.response.write(`retry: ${RETRY}\n\n`);
  }

  /**
   * Resolves once there is room for the next one, so that nothing piles up here.
   * @param data JSON, which has no line breaks
   */
  async send(event: string, id: string, data: string): Promise<void> {
    if (this.response.destroyed || this.response.write(`event: ${event}\nid: ${id}\ndata: ${data}\n\n`)) return;
    this.stuckSince = Date.now();
    await drained(this.response);
    this.stuckSince = 0;
  }

  beat(): void {
    this.response.write(':\n\n');
  }

  /** The reason is a comment, for people who look: programs ask again, and hear it then. */
  end(ending: Ending): void {
    // What does not take what was sent would not take its end.
    if (this.stuckSince > 0) this.response.destroy();
    else this.response.end(`: ${say(ENDINGS[ending]).in(this.language)}\n\n`);
  }
}

/** Or closed: then there is nothing to wait for any more. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}
