/** Parsing of the dates in an export. */

/** `YYYY-MM-DD HH:MM:SS`, read as UTC. Null for invalid dates, such as `0000-00-00 00:00:00` of WordPress. */
export function parseStamp(text: string): Date | null {
  const stamp = /^\s*(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\s*$/.exec(text);
  if (!stamp) return null;
  const [year, month, day, hour, minute, second] = stamp.slice(1).map(Number) as [number, ...number[]];
  const date = new Date(Date.UTC(year, (month ?? 0) - 1, day, hour, minute, second));
  // Date.UTC rolls a day that is not in the month over to the next month.
  const isReal = year >= 1000 && date.getUTCMonth() === (month ?? 0) - 1 && date.getUTCDate() === day;
  return isReal ? date : null;
}

/** A date of RSS (RFC 822). Null for invalid dates, such as `Wed, 30 Nov -0001 00:00:00 +0000` of WordPress. */
export function parseRssDate(text: string): Date | null {
  if (!/^\s*(?:[a-z]{3}, )?\d{1,2} [a-z]{3} \d{4} \d\d:\d\d/i.test(text)) return null;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date;
}
