/** Merges tiny chunks of request bodies: Node needs some 160 bytes of memory for each chunk that is not read yet. */
import { IncomingMessage } from 'node:http';

/** Chunks of this size or larger are not merged. */
const SMALL_BYTES = 1024;
const BUFFER_BYTES = 16 * 1024;

/** Merges small chunks that arrive in one packet. For the `IncomingMessage` option of `createServer`. */
export class CoalescingRequest extends IncomingMessage {
  /** A single pending chunk, or the buffer into which several were copied. */
  #small: Buffer | null = null;
  /** Bytes in the buffer; 0 while `#small` is a single chunk. */
  #copied = 0;

  override push(chunk: Buffer | null): boolean {
    if (chunk === null || chunk.length >= SMALL_BYTES) {
      this.#flush();
      return super.push(chunk);
    }
    if (this.#copied + chunk.length > BUFFER_BYTES) this.#flush();
    if (this.#small) {
      this.#append(chunk);
    } else {
      this.#small = chunk;
      // Not in the next tick: Node runs one after each chunk.
      setImmediate(() => this.#flush());
    }
    return this.readableLength + this.#copied < this.readableHighWaterMark;
  }

  #append(chunk: Buffer): void {
    if (this.#copied === 0) {
      const single = this.#small;
      this.#small = Buffer.allocUnsafeSlow(BUFFER_BYTES);
      this.#copied = single?.copy(this.#small) ?? 0;
    }
    this.#copied += chunk.copy(this.#small as Buffer, this.#copied);
  }

  #flush(): void {
    const chunk = this.#copied > 0 ? this.#small?.subarray(0, this.#copied) : this.#small;
    this.#small = null;
    this.#copied = 0;
    if (chunk && !this.destroyed) super.push(chunk);
  }
}
