/** Declarations of the limits of imports. */
import { type FixedLimit, fixedLimit } from '../platform/config/fixed-limit.js';

/** No client receives an error: `about` describes the effect. */
export function importLimit(limit: Pick<FixedLimit, 'value' | 'unit' | 'about'>): number {
  return fixedLimit({ area: 'Import', error: null, ...limit });
}
