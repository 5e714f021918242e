/** Sizes of property tests (`*.property.ts`), which are part of both `npm test` and `npm run test:system`. */

/** @param variable of the environment, which overrides the number of cases */
export function casesOf(variable: string, small: number, full: number): number {
  return Number(process.env[variable] ?? (process.env.TEST_TIER === 'system' ? full : small));
}
