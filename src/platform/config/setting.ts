/** Declaration and parsing of settings from environment variables. Parsers throw an EnvError for an invalid value. */
import { EnvError, makeExactValidator, type RequiredValidatorSpec } from 'envalid';
import ms, { type StringValue } from 'ms';
import { isDatabaseUrl } from './database-url.js';
import type { LimitDoc } from './fixed-limit.js';

/** An invalid setting. The message contains the name, the expected form and, unless it is secret, the actual value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The declaration of a setting. docs/configuration.md is generated from it. */
export interface Declaration {
  /** The default value as text, as in an environment variable; empty where there is none. */
  readonly default: string;
  /** For the documentation: the effective value where the default is empty. */
  readonly effectiveDefault?: string;
  /** The expected form, which completes the error message "PORT must be …". Some kinds of settings have one of their own. */
  readonly expected?: string;
  /** The description of the setting: full sentences in Markdown. */
  readonly description: string;
  /** The value must not appear in error messages or logs. */
  readonly isSecret?: true;
  /** For a setting that limits requests: its entry in docs/limits.md. */
  readonly limit?: LimitDoc;
}

/** A declaration with the expected form. */
export type Described = Declaration & { readonly expected: string };

export type Setting<Value> = RequiredValidatorSpec<Value> & { readonly declared: Described };

/** A section of docs/configuration.md. */
export interface SettingGroup<Settings extends Record<string, { readonly declared: Described }>> {
  readonly title: string;
  readonly settings: Settings;
}

export function group<Settings extends Record<string, { readonly declared: Described }>>(
  title: string,
  settings: Settings,
): SettingGroup<Settings> {
  return { title, settings };
}

interface Kind<Value> {
  /** The value of an empty default; without it, the default must be a valid value. */
  readonly whenEmpty?: NonNullable<Value>;
  /** The expected form; `{default}` in it is replaced by the default value. */
  readonly form?: string;
}

export function makeSetting<Value>(parse: (input: string) => Value, { whenEmpty, form = '' }: Kind<Value> = {}) {
  const validator = makeExactValidator<Value>(parse);
  return (declared: Declaration): Setting<Value> => {
    const isEmpty = declared.default === '' && whenEmpty !== undefined;
    const { expected = form.replace('{default}', declared.default) } = declared;
    const spec = { expected, default: isEmpty ? whenEmpty : (parse(declared.default) as NonNullable<Value>) };
    return { ...(validator(spec) as RequiredValidatorSpec<Value>), declared: { ...declared, expected } };
  };
}

export const text = makeSetting((input) => input, { whenEmpty: '' });

type InRange = Declaration & { readonly range: readonly [min: number, max: number] };

export function wholeNumber({ range: [min, max], ...declared }: InRange) {
  return makeSetting((input) => between(input, min, max), { form: `a whole number from ${min} to ${max}` })(declared);
}

export function autoOrWholeNumber({ range: [min, max], ...declared }: InRange) {
  const form = `auto, or a whole number from ${min} to ${max}`;
  return makeSetting((input) => (input === 'auto' ? input : between(input, min, max)), { form })(declared);
}

/** Printable ASCII without spaces, valid in an HTTP header. */
export const apiKey = makeSetting(
  (input) => {
    if (!/^[\x21-\x7e]+$/.test(input)) throw new EnvError();
    return input;
  },
  { whenEmpty: '' },
);

export const ratio = makeSetting(
  (input) => {
    if (!/^(?:0|1|0?\.\d+|1\.0*)$/.test(input)) throw new EnvError();
    return Number(input);
  },
  { form: 'a number from 0 to 1' },
);

/** `name=value` pairs (W3C Baggage, as OpenTelemetry writes headers). */
export const headerList = makeSetting((input) => Object.fromEntries(input.split(',').map(header)), { whenEmpty: {} });

export const duration = makeSetting(milliseconds, { form: 'a duration such as {default}' });

/** A size in bytes, such as `64MiB` or `512KiB`. */
export const byteSize = makeSetting(
  (input) => {
    const [, count = '', unit] = /^(\d+)(KiB|MiB)$/.exec(input) ?? [];
    return between(count, 1, 65_536) * (unit === 'MiB' ? 1_048_576 : 1024);
  },
  { form: 'a size such as {default}' },
);

export const noneOrDuration = makeSetting((input) => (input === '0' ? 0 : milliseconds(input)));

/** A rate limit: `points` per `duration` in milliseconds. */
export interface RateLimit {
  points: number;
  durationMs: number;
}

/** `10/15m`: ten in 15 minutes. */
export const limit = makeSetting((input) => limitFrom(input, (count) => count), {
  form: 'a number and a duration such as 10/15m',
});

const BYTES = new Map([
  ['B', 1],
  ['kB', 1e3],
  ['MB', 1e6],
  ['GB', 1e9],
]);

/** `20MB/1d`: 20,000,000 bytes in one day. At most 1 GB. */
export const byteLimit = makeSetting(
  (input) =>
    limitFrom(input, (size) => {
      const [, count = '', unit = ''] = /^(\d+)([kMG]?B)$/.exec(size) ?? [];
      return count && String(Number(count) * (BYTES.get(unit) ?? Number.NaN));
    }),
  { form: 'a size from 1B to 1GB and a duration, such as {default}' },
);

/** @param pointsOf converts the part before the slash to a decimal number */
function limitFrom(input: string, pointsOf: (text: string) => string): RateLimit {
  const [points = '', duration = '', ...others] = input.split('/');
  if (others.length > 0) throw new EnvError();
  return { points: between(pointsOf(points), 1, 1_000_000_000), durationMs: milliseconds(duration) };
}

export function secret({ minLength = 32, ...declared }: Declaration & { readonly minLength?: number }) {
  const parse = (input: string) => {
    if (input.length < minLength) throw new EnvError();
    return input;
  };
  return makeSetting(parse, { whenEmpty: '', form: `at least ${minLength} characters` })(declared);
}

export function oneOf<const Choice extends string>({
  choices,
  ...declared
}: Declaration & { readonly choices: readonly Choice[] }) {
  const parse = (input: string): Choice => {
    const found = choices.find((choice) => choice === input);
    if (found === undefined) throw new EnvError();
    return found;
  };
  return makeSetting(parse, { form: choices.join(', ').replace(/, (?=[^,]*$)/, ' or ') })(declared);
}

export const flag = makeSetting(
  (input) => {
    if (input !== 'true' && input !== 'false') throw new EnvError();
    return input === 'true';
  },
  { form: 'true or false' },
);

export const postgresUrl = makeSetting(
  (input) => {
    if (!isDatabaseUrl(input)) throw new EnvError();
    return input;
  },
  { whenEmpty: '', form: 'a URL such as postgres://user:password@host:5432/name' },
);
export const webUrl = makeSetting((input) => address(input, ['http:', 'https:']), { whenEmpty: '' });

/** Without a query and a fragment, because paths and fragments are appended. */
export const pageUrl = makeSetting(
  (input) => {
    if (/[?#]/.test(input)) throw new EnvError();
    return address(input, ['http:', 'https:']);
  },
  { whenEmpty: '' },
);

/** A URL with one of some placeholders. */
export function addressWith({ placeholders, ...declared }: Declaration & { readonly placeholders: readonly string[] }) {
  const placeholder = new RegExp(`\\{(?:${placeholders.join('|')})\\}`, 'g');
  const parse = (input: string) => {
    const filled = input.replace(placeholder, '1');
    if (filled === input) throw new EnvError();
    address(filled, ['http:', 'https:']);
    return input;
  };
  return makeSetting(parse, { whenEmpty: '' })(declared);
}

/** Redirect URIs, compared exactly. A fragment cannot be part of a redirect URI (RFC 6749 §3.1.2). */
export const redirectUris = makeSetting((input) => input.split(',').map(redirectUri), { whenEmpty: [] });

export const origins = makeSetting((input) => input.split(',').map(origin), { whenEmpty: [] });

function between(input: string, min: number, max: number): number {
  const value = Number(input);
  if (!/^\d+$/.test(input) || value < min || value > max) throw new EnvError();
  return value;
}

export function address(input: string, protocols: string[]): string {
  if (!URL.canParse(input) || !protocols.includes(new URL(input).protocol)) throw new EnvError();
  return input;
}

function redirectUri(part: string): string {
  const uri = part.trim();
  if (!URL.canParse(uri) || uri.includes('#')) throw new EnvError();
  return uri;
}

function origin(part: string): string {
  const found = address(part.trim(), ['http:', 'https:']);
  if (new URL(found).origin !== found) throw new EnvError();
  return found;
}

function header(part: string): [string, string] {
  const [, name = '', value = ''] = /^([\w!#$%&'*+.^`|~-]+)=([\x21-\x7e]*)$/.exec(part.trim()) ?? [];
  try {
    if (name === '') throw new EnvError();
    return [name, decodeURIComponent(value)];
  } catch {
    throw new EnvError();
  }
}

function milliseconds(input: string): number {
  const value = /^\d/.test(input) ? ms(input as StringValue) : undefined;
  // At most 100 years: later dates would be out of range.
  const isUsable = value !== undefined && value >= 1000 && value <= ms('100y');
  if (!isUsable) throw new EnvError();
  return value;
}
