/** Dates in the texts of a source. They never depend on the time zone of this machine. */

export interface ReadDate {
  date: Date;
  /**
   * The same, where a date without a time zone is read as UTC: keys of texts have it. Null for what version 1.0.0 could not read, so that keys are
   * the same.
   */
  utc: Date | null;
  /** Whether it has a time without a time zone. */
  isLocal: boolean;
}

const ISO =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$/i;

/** RFC 3339 and its variants (`2020-01-02`, `2020-01-02 03:04:05 +0900`), and dates with the name of the month. Null if it is no date. @param zone of dates without one, such as `Asia/Seoul`; null for UTC */
export function readDate(text: string, zone: string | null = null): ReadDate | null {
  const [, rest = '', name = ''] = /^(.*\d) ?([A-Z]{2,4})$/.exec(text.trim()) ?? [];
  const offset = OFFSETS[name];
  const read = offset === undefined ? readNumbers(text.trim(), zone) : readNumbers(`${rest} ${offset}`, zone);
  return read && offset !== undefined ? { ...read, utc: null } : read;
}

/** Abbreviations that mean one time zone, beside those of readNamedMonth. */
const OFFSETS: Readonly<Record<string, string>> = {
  ...{
    UT: '+0000',
    WET: '+0000',
    WEST: '+0100',
    CET: '+0100',
    CEST: '+0200',
    EET: '+0200',
    EEST: '+0300',
    MSK: '+0300',
  },
  ...{ KST: '+0900', JST: '+0900', AEST: '+1000', AEDT: '+1100', NZST: '+1200', NZDT: '+1300' },
};

function readNumbers(text: string, zone: string | null): ReadDate | null {
  const found = ISO.exec(text);
  if (!found) return readNamedMonth(text, zone);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const [, , , , hours, , , fraction = '', given] = found;
  const time = Date.UTC(year, month - 1, day, hour, minute, second) + Math.floor(Number(`0${fraction}`) * 1000);
  const isReal =
    year >= 1000 && month >= 1 && month <= 12 && new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
  if (!isReal || hour > 23 || minute > 59 || second > 60) return null;
  const utc = new Date(time - offsetOf(given));
  const hasZone = given !== undefined;
  return { date: hasZone ? utc : inZone(utc, zone), utc, isLocal: hours !== undefined && !hasZone };
}

/** The time at which clocks in the zone show what those in UTC show at `utc`: the first of two, and in a gap that after it, as if they were not put forward. */
function inZone(utc: Date, zone: string | null): Date {
  if (zone === null) return utc;
  const [before = 0, after = 0] = [-DAY_MS, DAY_MS].map((days) => offsetAt(new Date(utc.getTime() + days), zone));
  const candidates = [before, after].map((offset) => ({ date: new Date(utc.getTime() - offset), offset }));
  return (candidates.find(({ date, offset }) => offsetAt(date, zone) === offset) ?? candidates[0])?.date ?? utc;
}

const DAY_MS = 86_400_000;

/** In milliseconds. `GMT`, `GMT+09:00`, `GMT-04:56:02`. */
function offsetAt(date: Date, zone: string): number {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes, seconds = 0] = /([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(name) ?? [];
  return (sign === '-' ? -1000 : 1000) * (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds));
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function offsetOf(zone: string | undefined): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '') ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
}

/** `January 2, 2020`, `Thu, 02 Jan 2020 03:04:05 +0000`, `Thu Jan 02 2020 03:04:05 GMT+0000 (Coordinated Universal Time)`. */
function readNamedMonth(given: string, zone: string | null): ReadDate | null {
  const text = given.replace(/ \([a-z ]+\)$/i, '');
  if (!/^[a-z0-9 ,:+-]{8,40}$/i.test(text) || !/[a-z]{3}/i.test(text) || !/\b[1-9]\d{3}\b/.test(text)) return null;
  const hasZone = /(?:[+-]\d{4}|GMT|UTC|[ECMP][SD]T|\dZ)$/i.test(text);
  const utc = new Date(hasZone ? text : `${text} UTC`);
  if (Number.isNaN(utc.getTime())) return null;
  return { date: hasZone ? utc : inZone(utc, zone), utc, isLocal: text.includes(':') && !hasZone };
}

/** A date without a time zone is read as UTC; a number is milliseconds since 1970. Null for anything else. */
export function dateOf(value: unknown): Date | null {
  if (typeof value === 'string') return readDate(value)?.date ?? null;
  return typeof value === 'number' ? validDate(new Date(value)) : null;
}

/** Null for a time that cannot be stored: of an invalid text, or before the year 1. */
export function validDate(date: Date | null): Date | null {
  return date !== null && date.getTime() >= FIRST_TIME ? date : null;
}

const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z');

/** `2020-01-02-title`, as Jekyll has it, and `2020-01-02`, `2020_01_02`, `2020.01.02` or `20200102` of daily notes, which are their titles. */
export function splitDatedName(
  name: string,
  zone: string | null,
): { date: ReadDate | null; rest: string; isDay: boolean } {
  const [, titled = '', rest = name] = /^(\d{4}-\d{1,2}-\d{1,2})[-_ ](.+)$/.exec(name) ?? [];
  const [, year, , month, day] = /^(\d{4})([-_.]?)(\d{2})\2(\d{2})$/.exec(name) ?? [];
  const date = readDate(titled || [year, month, day].join('-'), zone);
  return { date, rest: date ? rest : name, isDay: date !== null && titled === '' };
}
