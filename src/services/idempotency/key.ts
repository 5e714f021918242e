/** The Idempotency-Key header of a request, and the fingerprint of the request that it was sent with. */
import { createHmac, type Hmac } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type Koa from 'koa';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { invalid } from '../../platform/errors.js';
import { createMessage } from '../../platform/messages/message.js';
import { limitError } from '../../platform/observability/metrics/error.js';
import { inspectValue } from '../../platform/text.js';

const HEADER = 'Idempotency-Key';

export const MAX_KEY_CHARACTERS = fixedLimit({
  area: 'Writing',
  value: 255,
  unit: 'characters',
  error: 'VALIDATION_FAILED',
  about: 'Idempotency-Key.',
});

const KEY = new RegExp(`^[\\x21-\\x7e]{1,${MAX_KEY_CHARACTERS}}$`);

/** @returns null without the header. @throws AppError VALIDATION_FAILED */
export function readKey(ctx: Koa.Context): string | null {
  const [key, ...more] = ctx.req.headersDistinct[HEADER.toLowerCase()] ?? [];
  if (key === undefined) return null;
  if (more.length > 0) throw invalid(HEADER, createMessage('headerRepeated', more.length + 1));
  return requireKey(HEADER, key);
}

/** @param name of the header, or of what has its place. @throws AppError VALIDATION_FAILED */
export function requireKey(name: string, key: string): string {
  if (KEY.test(key)) return key;
  throw invalid(name, createMessage('idempotencyKeyInvalid', MAX_KEY_CHARACTERS, inspectValue(key), key.length));
}

/** Both are HMACs, since keys belong to addresses, and inputs contain passwords. */
export interface RequestIdentity {
  /** Of the key and its scope: a member, or the network of an anonymous client. */
  readonly id: Buffer;
  /** Of the operation and its input. */
  readonly fingerprint: Buffer;
}

/** @param request the operation and its input, as values of JSON and bytes of files */
export async function identify(
  secret: string,
  scope: string,
  key: string,
  request: readonly unknown[],
): Promise<RequestIdentity> {
  const id = createHmac('sha256', secret)
    .update('idempotency key\n')
    .update(JSON.stringify([scope, key]))
    .digest();
  const fingerprint = createHmac('sha256', secret).update('idempotent request\n');
  await addValue(fingerprint, request);
  return { id, fingerprint: fingerprint.digest() };
}

const MAX_VALUES = fixedLimit({
  area: 'Writing',
  value: 10_000,
  error: 'QUERY_TOO_COMPLEX',
  about: 'Values in the input of a request with an Idempotency-Key.',
});

/** Bytes that are hashed in one turn of the event loop. */
const CHUNK_BYTES = 1024 * 1024;

/** Independent of the order of properties. Not recursive: JSON can be nested 100,000 levels deep. */
async function addValue(hmac: Hmac, root: unknown): Promise<void> {
  const pending = [root];
  let count = 0;
  while (pending.length > 0) {
    const value = pending.pop();
    if (value instanceof Uint8Array) {
      hmac.update(`bytes ${value.length}\n`);
      for (let at = 0; at < value.length; at += CHUNK_BYTES) {
        if (at > 0) await setImmediate();
        hmac.update(value.subarray(at, at + CHUNK_BYTES));
      }
    } else if (Array.isArray(value)) {
      count += value.length;
      requireFewValues(count);
      hmac.update(`array ${value.length}\n`);
      for (const element of value.toReversed()) pending.push(element);
    } else if (typeof value === 'object' && value !== null) {
      const properties = Object.entries(value);
      count += properties.length;
      requireFewValues(count);
      properties.sort(([one], [other]) => (one < other ? 1 : -1));
      hmac.update(`object ${properties.length}\n`);
      for (const [name, property] of properties) pending.push(property, name);
    } else {
      hmac.update(`${JSON.stringify(value)}\n`);
    }
  }
}

/** @throws AppError QUERY_TOO_COMPLEX */
function requireFewValues(count: number): void {
  if (count <= MAX_VALUES) return;
  throw limitError('input values with a key', 'QUERY_TOO_COMPLEX', {
    message: createMessage('tooManyVariableValues', MAX_VALUES),
  });
}
