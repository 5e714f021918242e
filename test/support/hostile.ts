/** Hostile input values. */

/** Path segments that are not a positive whole number. */
export const BAD_IDS = [
  'abc',
  '0',
  '-1',
  '1e3',
  '1.0',
  '007',
  '+1',
  '%00',
  '%20',
  '1%00',
  '%E0%A4%A',
  '0x10',
  '٣',
  'null',
];

/** Positive whole numbers beyond int4, int8 and larger, for which no row exists. */
export const HUGE_IDS = [
  '2147483648',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '9'.repeat(60),
];
