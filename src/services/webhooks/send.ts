/** One attempt to deliver a message: its signature (Standard Webhooks 1.0), the request, and what is kept of the response. */
import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { performance } from 'node:perf_hooks';
import ms from 'ms';
import type { AttemptRow } from '../../models/webhook/attempt.js';
import type { AllowedHosts } from '../../platform/config/addresses.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { isPublicAddress, NotPublicError, requestPublic } from '../../platform/http/public-address.js';
import { VERSION } from '../../platform/version.js';
import { keyOf } from './secret.js';

export const RESPONSE_TIMEOUT_MS = fixedLimit({
  area: 'Webhooks',
  about: 'Time in which a receiver has to send its status.',
  value: 15_000,
  unit: 'ms',
  error: null,
});

/** Of the body of a response, which nothing depends on. */
const MAX_BODY_BYTES = 16 * 1024;
const BODY_TIMEOUT_MS = 1_000;

export const MAX_RESPONSE_LENGTH = 200;

export interface OutgoingMessage {
  readonly id: string;
  readonly event: string;
  /** JSON. */
  readonly body: string;
  /** The feed of changes after this message. */
  readonly cursor: string;
}

export interface Receiver {
  readonly url: string;
  /** The current one, and after a rotation the former one. Without one, nothing is sent. */
  readonly secrets: readonly string[];
}

export interface SendOptions {
  readonly allowedHosts: AllowedHosts;
  /** The time of the attempt, in milliseconds since 1970. */
  readonly now: number;
  /** Ends the attempt without a result. */
  readonly signal?: AbortSignal;
  readonly timeout?: (ms: number) => AbortSignal;
}

export interface Attempt extends Omit<AttemptRow, 'id'> {
  readonly attemptedAt: Date;
  readonly isDelivered: boolean;
  /** How long the receiver wants no further attempt. */
  readonly retryAfterMs: number;
}

/** @throws only the reason of the signal */
export async function send(receiver: Receiver, message: OutgoingMessage, options: SendOptions): Promise<Attempt> {
  const { now, signal } = options;
  const begun = performance.now();
  const result = await request(receiver, message, options).catch((error) => {
    signal?.throwIfAborted();
    return { ...FAILED, error: codeOf(error) };
  });
  const { status } = result;
  return {
    ...{ messageId: message.id, event: message.event, cursor: message.cursor, attemptedAt: new Date(now) },
    ...result,
    durationMs: Math.round(performance.now() - begun),
    isDelivered: status !== null && status >= 200 && status <= 299,
  };
}

type Result = Pick<Attempt, 'status' | 'error' | 'response' | 'retryAfterMs'>;

const FAILED: Result = { status: null, error: null, response: '', retryAfterMs: 0 };

async function request(
  { url: address, secrets }: Receiver,
  { id, body }: OutgoingMessage,
  { allowedHosts, now, signal, timeout = AbortSignal.timeout }: SendOptions,
): Promise<Result> {
  if (secrets.length === 0) throw Object.assign(new Error(), { code: 'SECRET_NOT_DECRYPTED' });
  const url = new URL(address);
  if (!isPermitted(url, allowedHosts)) throw new NotPublicError();
  const timestamp = Math.floor(now / 1000);
  const tooLate = timeout(RESPONSE_TIMEOUT_MS);
  const response = await requestPublic(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': `Daybook/${VERSION} (webhook)`,
      'Accept-Encoding': 'identity',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signaturesOf(`${id}.${timestamp}.${body}`, secrets),
    },
    body,
    signal: signal ? AbortSignal.any([signal, tooLate]) : tooLate,
    isAllowed: (ip) => isPublicAddress(ip) || allowedHosts.hasName(url.hostname) || allowedHosts.hasAddress(ip),
  }).catch((error) => {
    throw tooLate.aborted ? Object.assign(new Error(), { code: 'TIMEOUT' }) : error;
  });
  const status = response.statusCode ?? 0;
  const retryAfterMs = millisecondsOf(response.headers['retry-after'], now);
  return { status, error: null, response: await beginningOf(response, timeout(BODY_TIMEOUT_MS)), retryAfterMs };
}

/** Whether requests may be sent to this URL. The addresses of its name are checked when it is connected to. */
export function isPermitted({ protocol, hostname, username, password }: URL, allowedHosts: AllowedHosts): boolean {
  if (username || password) return false;
  const host = hostname.replace(/^\[|\]$/g, '');
  if (allowedHosts.hasName(hostname) || allowedHosts.hasAddress(host))
    return protocol === 'https:' || protocol === 'http:';
  return protocol === 'https:' && (isIP(host) === 0 || isPublicAddress(host));
}

function signaturesOf(signed: string, secrets: readonly string[]): string {
  return secrets.map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`).join(' ');
}

/** @returns the first characters of the body, as far as they are sent in time. The rest is not read. */
async function beginningOf(response: IncomingMessage, timeout: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = () => response.destroy();
  timeout.addEventListener('abort', end);
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= MAX_BODY_BYTES) break;
    }
  } catch {
    // The status counts.
  } finally {
    timeout.removeEventListener('abort', end);
    response.destroy();
  }
  const text = Buffer.concat(chunks)
    .toString()
    .replace(/\p{Cc}+/gu, ' ');
  return [...text].slice(0, MAX_RESPONSE_LENGTH).join('').trim();
}

/** The value of a Retry-After header (RFC 9110 §10.2.3). */
function millisecondsOf(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const time = retryAfter.endsWith('GMT') ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(time) ? 0 : Math.max(0, time - now);
}

/** For programs: TIMEOUT, one of these, or a code of Node.js, such as ECONNREFUSED. */
function codeOf(error: Error): string {
  if (error instanceof NotPublicError) return 'ADDRESS_NOT_PERMITTED';
  return (error as NodeJS.ErrnoException).code ?? 'REQUEST_FAILED';
}

const DELAYS = (['5s', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'] as const).map((delay) => ms(delay));

const MAX_DELAY_MS = ms('24h');

/** Part by which a delay can be longer or shorter, so that many services do not send to one receiver at the same time. */
const JITTER = 0.1;

/**
 * @param failures attempts since the last success, at least 1
 * @param random from 0 to 1
 * @returns null after the last attempt
 */
export function delayAfter(failures: number, retryAfterMs: number, random = Math.random()): number | null {
  const delay = DELAYS[failures - 1];
  if (delay === undefined) return null;
  return Math.max(delay * (1 + JITTER * (2 * random - 1)), Math.min(retryAfterMs, MAX_DELAY_MS));
}
