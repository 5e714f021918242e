/** A response that stays open and carries Server-Sent Events for as long as its session lasts. */
import type { ServerResponse } from 'node:http';
import type { Viewer } from '../auth/caller.js';
import { STREAM_HEADERS, writeEvent } from '../http/sse.js';
import { type Language, say } from '../messages/message.js';
import { ENDINGS, type Ending, type Held } from './held.js';

/** Milliseconds after which a client that lost its connection comes back. */
const RETRY = 2_000;

export class EventStream implements Held {
  readonly transport = 'sse';
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

  /** Resolves once there is room for the next one. @param data JSON, which has no line breaks */
  async send(event: string, id: string, data: string): Promise<void> {
    if (this.#isEnded) return;
    this.stuckSince = Date.now();
    await writeEvent(this.response, { event, id, data });
    this.stuckSince = 0;
  }

  beat(): void {
    if (!this.#isEnded) this.response.write(':\n\n');
  }

  /** The reason is a comment, for people who look: programs ask again, and hear it then. */
  end(ending: Ending): void {
    // What does not take what was sent, be it the end, would not take this one.
    if (ending === 'TOO_SLOW' || this.stuckSince > 0 || this.#isEnded) this.response.destroy();
    else this.response.end(`: ${say(ENDINGS[ending]).in(this.language)}\n\n`);
  }

  /** What is written after its end is an error that nobody hears, and would end the process. */
  get #isEnded(): boolean {
    return this.response.writableEnded;
  }
}
