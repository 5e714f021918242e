/** How settings are written: what becomes of the environment's text. A value that does not fit throws an EnvError. */
import { EnvError, makeValidator } from 'envalid';
import ms, { type StringValue } from 'ms';

/** A setting that cannot be used. Its message names the setting, what was expected and what came. */
export class ConfigError extends Error {}

export const text = makeValidator((input: string) => input);

export const wholeNumber = makeValidator((input: string) => between(input, 0, 65_535));
export const positive = makeValidator((input: string) => between(input, 1, 1_000));
export const retries = makeValidator((input: string) => between(input, 0, 10));
/** Milliseconds as a plain number: from a second to ten minutes. */
export const timeoutMs = makeValidator((input: string) => between(input, 1_000, 600_000));
/** What an HTTP header can carry. */
export const apiKey = makeValidator((input: string) => {
  if (!/^[\x21-\x7e]+$/.test(input)) throw new EnvError();
  return input;
});
export const pageBase = makeValidator((input: string) => between(input, 0, 1));

export const duration = makeValidator(milliseconds);

export const noneOrDuration = makeValidator((input: string) => (input === '0' ? 0 : milliseconds(input)));

/** So many in so many milliseconds. */
export interface Limit {
  points: number;
  duration: number;
}

/** `10/15m`: ten in 15 minutes. */
export const limit = makeValidator((input: string): Limit => {
  const [points = '', duration = '', ...others] = input.split('/');
  if (others.length > 0) throw new EnvError();
  return { points: between(points, 1, 1_000_000_000), duration: milliseconds(duration) };
});

export const secret = makeValidator((input: string) => {
  if (input.length < 32) throw new EnvError();
  return input;
});

export const flag = makeValidator((input: string) => {
  if (input !== 'true' && input !== 'false') throw new EnvError();
  return input === 'true';
});

export const postgresUrl = makeValidator((input: string) => address(input, ['postgres:', 'postgresql:']));
export const redisUrl = makeValidator((input: string) => address(input, ['redis:', 'rediss:']));
export const webUrl = makeValidator((input: string) => address(input, ['http:', 'https:']));

/** Addresses that must match to the letter. A fragment cannot be part of a redirect URI (RFC 6749 §3.1.2). */
export const redirectUris = makeValidator((input: string) =>
  input.split(',').map((part) => {
    const uri = part.trim();
    if (!URL.canParse(uri) || uri.includes('#')) throw new EnvError();
    return uri;
  }),
);

export const origins = makeValidator((input: string) =>
  input.split(',').map((part) => {
    const origin = address(part.trim(), ['http:', 'https:']);
    if (new URL(origin).origin !== origin) throw new EnvError();
    return origin;
  }),
);

export function between(input: string, least: number, most: number): number {
  const value = Number(input);
  if (!/^\d+$/.test(input) || value < least || value > most) throw new EnvError();
  return value;
}

export function address(input: string, protocols: string[]): string {
  if (!URL.canParse(input) || !protocols.includes(new URL(input).protocol)) throw new EnvError();
  return input;
}

function milliseconds(input: string): number {
  const value = /^\d/.test(input) ? ms(input as StringValue) : undefined;
  // Far enough away there are no dates any more.
  const isUsable = value !== undefined && value >= 1000 && value <= ms('100y');
  if (!isUsable) throw new EnvError();
  return value;
}

/** Whether a host is this machine itself (RFC 8252 §8.3). */
export function isLoopback(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
