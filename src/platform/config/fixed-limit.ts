/** Declarations of limits. Each is next to the code that enforces it; docs/limits.md is generated from all of them. */
import type { ErrorKey } from '../error-keys.js';

/** The sections of docs/limits.md, in its order. */
export const LIMIT_AREAS = [
  'HTTP',
  'GraphQL',
  'Live connections',
  'Images',
  'Queues',
  'Accounts',
  'Writing',
  'Reading',
  'Database',
  'Webhooks',
  'Response cache',
  'Import',
] as const;

/** What happens to a request that exceeds a limit, and where the limit is documented. */
export interface LimitDoc {
  readonly area: (typeof LIMIT_AREAS)[number];
  /** The error key that the client receives; null if there is no error response: then `about` describes the effect. */
  readonly error: ErrorKey | null;
}

export type LimitUnit = 'bytes' | 'ms' | 'characters' | 'count';

export interface FixedLimit extends LimitDoc {
  readonly value: number;
  /** `count` by default. */
  readonly unit?: LimitUnit;
  /** What is limited, as a sentence. */
  readonly about: string;
}

const declared = new Map<string, FixedLimit>();

/**
 * Declares a limit that no setting changes. Limits with a setting are declared with the setting, in `limit`.
 * @returns its value
 * @throws Error if the same limit is declared twice
 */
export function fixedLimit(limit: FixedLimit): number {
  if (declared.has(limit.about)) throw new Error(`"${limit.about}" is declared twice`);
  declared.set(limit.about, limit);
  return limit.value;
}

/** All fixed limits of the modules that have been loaded. */
export function fixedLimits(): readonly FixedLimit[] {
  return [...declared.values()];
}
