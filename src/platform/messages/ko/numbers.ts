/** Formats numbers with units in Korean. */

/** `1,048,576바이트`. */
export function bytes(count: number): string {
  return `${count.toLocaleString('ko-KR')}바이트`;
}
