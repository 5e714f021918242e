/** Common passwords. ASVS 5.0 §6.2.4 requires that at least the 3,000 most common ones are rejected. */
import { dictionary } from '@zxcvbn-ts/language-common';
import { SHORTEST_PASSWORD } from './password-length.js';

/** About 18,000, by descending frequency. Passwords below the minimum length are left out, as they are rejected anyway. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].filter((password) => password.length >= SHORTEST_PASSWORD),
);

/** The comparison ignores case. */
export function isCommonPassword(password: string): boolean {
  return COMMON_PASSWORDS.has(password.toLowerCase());
}
