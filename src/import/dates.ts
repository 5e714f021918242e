/** Dates in the texts of a source. They never depend on the time zone of this machine. */

export interface ReadDate {
  date: Date;
  /** Whether it has a time without a time zone: it is read as UTC. */
  isLocal: boolean;
}

const ISO =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$/i;

/** RFC 3339 and its variants (`2020-01-02`, `2020-01-02 03:04:05 +0900`), and dates with the name of the month. Null if it is no date. */
export function readDate(text: string): ReadDate | null {
  const found = ISO.exec(text.trim());
  if (!found) return readNamedMonth(text.trim());
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const [, , , , hours, , , fraction = '', zone] = found;
  const time = Date.UTC(year, month - 1, day, hour, minute, second) + Math.floor(Number(`0${fraction}`) * 1000);
  const isReal =
    year >= 1000 && month >= 1 && month <= 12 && new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
  if (!isReal || hour > 23 || minute > 59 || second > 60) return null;
  return { date: new Date(time - offsetOf(zone)), isLocal: hours !== undefined && zone === undefined };
}

function offsetOf(zone: string | undefined): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '') ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
}

/** `January 2, 2020`, `Thu, 02 Jan 2020 03:04:05 +0000`, `Thu Jan 02 2020 03:04:05 GMT+0000 (Coordinated Universal Time)`. */
function readNamedMonth(given: string): ReadDate | null {
  const text = given.replace(/ \([a-z ]+\)$/i, '');
  if (!/^[a-z0-9 ,:+-]{8,40}$/i.test(text) || !/[a-z]{3}/i.test(text) || !/\b[1-9]\d{3}\b/.test(text)) return null;
  const hasZone = /(?:[+-]\d{4}|GMT|UTC|[ECMP][SD]T|\dZ)$/i.test(text);
  const date = new Date(hasZone ? text : `${text} UTC`);
  return Number.isNaN(date.getTime()) ? null : { date, isLocal: text.includes(':') && !hasZone };
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

/** `2020-01-02-title`, as Jekyll has it. */
export function splitDatedName(name: string): { date: Date | null; rest: string } {
  const [, day = '', rest = ''] = /^(\d{4}-\d{1,2}-\d{1,2})[-_ ](.+)$/.exec(name) ?? [];
  const read = day === '' ? null : readDate(day);
  return read ? { date: read.date, rest } : { date: null, rest: name };
}
