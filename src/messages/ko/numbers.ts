/** Formats numbers with units in Korean. */

const number = new Intl.NumberFormat('ko-KR');

/** `1,048,576바이트`. */
export function bytes(count: number): string {
  return `${number.format(count)}바이트`;
}
