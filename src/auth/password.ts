/** Passwords: argon2id with the parameters of OWASP's Password Storage Cheat Sheet (19 MiB, 2 passes, 1 lane). */
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { WeightedSemaphore } from '../concurrency/weighted-semaphore.js';

// The library's Algorithm enum is a const enum, which isolated modules cannot read: 2 is argon2id, its default.
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** How a hash with today's parameters begins (PHC string format). */
const PREFIX = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`;

/** What a password is compared with where there is none, so that the answer takes as long as for a wrong one. */
const DECOY = `${PREFIX}${base64(16)}$${base64(32)}`;

/** Hashing keeps a processor busy: one is left for everything else. What that buys is in docs/security.md. */
export const hashing = new WeightedSemaphore({
  work: 'logins',
  permits: availableParallelism() > 2 ? 2 : 1,
  maxWaiting: 256,
  maxWaitingPerKey: 256,
  maxWaitMs: 10_000,
});

/** @returns a PHC string. @throws AppError SERVICE_UNAVAILABLE where too many wait to be hashed */
export function hashPassword(password: string): Promise<string> {
  return hashing.run({ key: '' }, () => hash(password, PARAMETERS));
}

/**
 * Takes the same time whether there is a hash to compare with or not.
 * @throws AppError SERVICE_UNAVAILABLE where too many wait to be compared
 */
export function isPassword(password: string, passwordHash: string | null | undefined): Promise<boolean> {
  return hashing.run({ key: '' }, () => matches(password, passwordHash));
}

/** The same for one who has a turn already. */
export async function matches(password: string, passwordHash: string | null | undefined): Promise<boolean> {
  const isSame = await verify(passwordHash ?? DECOY, password);
  return isSame && passwordHash != null;
}

/** Whether a hash was made with other parameters than a new one would be. */
export function isOutdated(passwordHash: string): boolean {
  return !passwordHash.startsWith(PREFIX);
}

/** Unpadded, as PHC strings have it. */
function base64(bytes: number): string {
  return randomBytes(bytes).toString('base64').replace(/=+$/, '');
}
