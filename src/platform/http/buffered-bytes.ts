/** Limits the memory that request bodies use, per process and per client network. */
import type { ServerResponse } from 'node:http';
import type { AppError } from '../errors.js';
import { createMessage } from '../messages/message.js';
import { limitError } from '../observability/metrics/error.js';
import { bufferedBytes } from '../observability/metrics/saturation.js';

/** Retry-After of rejected requests, in seconds. */
const RETRY_AFTER_SECONDS = 2;

export class BufferedBytes {
  readonly #processBytes: number;
  readonly #networkBytes: number;
  readonly #networks = new Map<string, number>();
  #total = 0;

  constructor(limits: { processBytes: number; networkBytes: number }) {
    this.#processBytes = limits.processBytes;
    this.#networkBytes = limits.networkBytes;
  }

  /** Reservation for one request body. It is released when the response is finished or the client disconnects. */
  reserve(network: string, response: ServerResponse): Reservation {
    const reservation = new Reservation(this, network);
    response.once('close', () => reservation.release());
    return reservation;
  }

  /** @throws AppError RATE_LIMITED if the network exceeds its limit, SERVICE_UNAVAILABLE if the process exceeds its limit */
  add(network: string, bytes: number): void {
    const ofNetwork = (this.#networks.get(network) ?? 0) + bytes;
    if (ofNetwork > this.#networkBytes) {
      throw limitReached('RATE_LIMITED', 'body memory of a network', 'bodyMemoryPerNetworkFull');
    }
    if (this.#total + bytes > this.#processBytes) {
      throw limitReached('SERVICE_UNAVAILABLE', 'body memory', 'bodyMemoryFull');
    }
    this.#set(network, ofNetwork, bytes);
  }

  remove(network: string, bytes: number): void {
    this.#set(network, (this.#networks.get(network) ?? 0) - bytes, -bytes);
  }

  #set(network: string, ofNetwork: number, change: number): void {
    if (ofNetwork > 0) this.#networks.set(network, ofNetwork);
    else this.#networks.delete(network);
    this.#total += change;
    bufferedBytes.inc({ kind: 'request' }, change);
  }
}

export class Reservation {
  #bytes = 0;
  #isReleased = false;

  constructor(
    private readonly buffered: BufferedBytes,
    private readonly network: string,
  ) {}

  /** @throws AppError RATE_LIMITED, SERVICE_UNAVAILABLE */
  add(bytes: number): void {
    if (this.#isReleased) return;
    this.buffered.add(this.network, bytes);
    this.#bytes += bytes;
  }

  /** Releases a part of the reservation early. */
  remove(bytes: number): void {
    if (this.#isReleased) return;
    this.buffered.remove(this.network, bytes);
    this.#bytes -= bytes;
  }

  release(): void {
    this.remove(this.#bytes);
    this.#isReleased = true;
  }
}

function limitReached(
  key: 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE',
  counted: string,
  message: 'bodyMemoryPerNetworkFull' | 'bodyMemoryFull',
): AppError {
  return limitError(counted, key, { message: createMessage(message), retryAfter: RETRY_AFTER_SECONDS });
}
