/** A Server-Sent Events response that stays open, at most until its session or its access token ends. */
import type { ServerResponse } from 'node:http';
import { STREAM_HEADERS, writeEvent } from '../../platform/http/sse.js';
import { createMessage, type Language } from '../../platform/messages/message.js';
import type { Viewer } from '../auth/policy.js';
import { CLOSE_REASONS, type CloseReason, type LiveConnection } from './connection-registry.js';

/** Reconnection time of the client in milliseconds (the `retry` field of Server-Sent Events). */
const RETRY_MS = 2_000;

export class EventStream implements LiveConnection {
  readonly transport = 'sse';
  readonly memberId: number;
  readonly credentialId: string;
  readonly scopes: Viewer['scopes'];
  readonly expiresAt: number;
  unreadSince = 0;

  constructor(
    readonly response: ServerResponse,
    { memberId, credentialId, scopes, expiresAt }: Viewer,
    readonly language: Language,
  ) {
    this.memberId = memberId;
    this.credentialId = credentialId;
    this.scopes = scopes;
    this.expiresAt = expiresAt;
  }

  open(): void {
    this.response.writeHead(200, STREAM_HEADERS);
    this.response.write(`retry: ${RETRY_MS}\n\n`);
  }

  /** Resolves when the write buffer has drained (backpressure), or the client disconnected. @param data JSON without line breaks */
  async send(event: string, id: string, data: string): Promise<void> {
    if (this.#isEnded) return;
    this.unreadSince = performance.now();
    await writeEvent(this.response, { event, id, data });
    this.unreadSince = 0;
  }

  heartbeat(): void {
    if (!this.#isEnded) this.response.write(':\n\n');
  }

  /** The close reason is sent as an SSE comment, for debugging: a client that reconnects receives it as an error response. */
  close(reason: CloseReason): void {
    // With a blocked or already ended response, a final message would stay in the write buffer.
    if (reason === 'TOO_SLOW' || this.unreadSince > 0 || this.#isEnded) this.response.destroy();
    else this.#end(reason);
  }

  #end(reason: keyof typeof CLOSE_REASONS): void {
    const { socket } = this.response;
    this.response.end(`: ${createMessage(CLOSE_REASONS[reason]).in(this.language)}\n\n`, () => {
      // The client has to reconnect to another process, and must not use this connection for it.
      if (reason === 'STOPPING') socket?.destroySoon();
    });
  }

  /** Guards writes: a write after the end emits an `error` event without a listener, which would end the process. */
  get #isEnded(): boolean {
    return this.response.writableEnded;
  }
}
