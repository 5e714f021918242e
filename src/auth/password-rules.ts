/** Rules for new passwords: their length in code points (ASVS 5.0 §6.2.1 and §6.2.9), and no common ones. */
import { dictionary } from '@zxcvbn-ts/language-common';

export const SHORTEST_PASSWORD = 8;
export const LONGEST_PASSWORD = 128;

/**
 * About 18,000, by descending frequency: ASVS 5.0 §6.2.4 requires at least the 3,000 most common ones. Passwords below the
 * minimum length are left out, as they are rejected anyway.
 */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].filter((password) => password.length >= SHORTEST_PASSWORD),
);

/** The comparison ignores case. */
export function isCommonPassword(password: string): boolean {
  return COMMON_PASSWORDS.has(password.toLowerCase());
}
