/** The passwords that are tried first: ASVS 5.0 §6.2.4 has at least the 3,000 most common ones refused. */
import { dictionary } from '@zxcvbn-ts/language-common';
import { SHORTEST_PASSWORD } from './password-length.js';

/** About 18,000, from the most common one down; a shorter one is refused for its length. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].filter((password) => password.length >= SHORTEST_PASSWORD),
);

/** Capital letters do not make a common password a rare one. */
export function isCommonPassword(password: string): boolean {
  return COMMON_PASSWORDS.has(password.toLowerCase());
}
