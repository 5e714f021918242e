/** Passwords: their rules, and argon2id with the parameters of OWASP's Password Storage Cheat Sheet (19 MiB, 2 passes, 1 lane). */
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import type * as LanguageCommon from '@zxcvbn-ts/language-common';
import { type TaskOptions, WeightedSemaphore } from '../../platform/concurrency/weighted-semaphore.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { observeQueue } from '../../platform/observability/metrics/saturation.js';

/** Minimum and maximum length of a password, in code points (ASVS 5.0 §6.2.1 and §6.2.9). */
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 128;

let common: ReadonlySet<string> | undefined;

/**
 * About 18,000, by descending frequency; ASVS 5.0 §6.2.4 requires the 3,000 most common ones. Passwords below the minimum length
 * are left out, as they are rejected anyway. Loaded with the first new password, since the package has further lists.
 */
export function commonPasswords(): ReadonlySet<string> {
  const load = () => createRequire(import.meta.url)('@zxcvbn-ts/language-common') as typeof LanguageCommon;
  common ??= new Set(load().dictionary['passwords-common'].filter(({ length }) => length >= MIN_PASSWORD_LENGTH));
  return common;
}

/** The memory cost in KiB. The algorithm is argon2id, the default of the library. */
const OWASP_PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const QUEUE = { area: 'Queues' } as const;

/** Hashing uses a whole CPU core, so the permits leave at least one core free where there are several. Measurements: docs/security.md. */
export const hashing = observeQueue(
  new WeightedSemaphore({
    work: 'logins',
    permits: availableParallelism() > 2 ? 2 : 1,
    maxWaiting: fixedLimit({
      ...QUEUE,
      error: 'SERVICE_UNAVAILABLE',
      value: 256,
      about:
        'Passwords that wait to be hashed, in each process. When the queue is full, the newest one of the client with the most is rejected.',
    }),
    maxWaitingPerKey: fixedLimit({
      ...QUEUE,
      error: 'RATE_LIMITED',
      value: 32,
      about: 'Passwords of one network (logins, registrations) or one member that wait to be hashed, in each process.',
    }),
    maxWaitMs: fixedLimit({
      ...QUEUE,
      error: 'SERVICE_UNAVAILABLE',
      value: 10_000,
      unit: 'ms',
      about: 'Maximum time that a password waits to be hashed.',
    }),
  }),
);

/** The comparison ignores case. */
export function isCommonPassword(password: string): boolean {
  return commonPasswords().has(password.toLowerCase());
}

export class PasswordHasher {
  readonly #parameters: typeof OWASP_PARAMETERS;
  /** Of each hash with these parameters (PHC string format). */
  readonly #prefix: string;
  /** A dummy hash for accounts without a password, so that the comparison takes as long as for a wrong password. */
  readonly #decoy: string;

  /** Tests of other subjects use a lower cost. */
  constructor(parameters = OWASP_PARAMETERS) {
    const { memoryCost, timeCost, parallelism } = parameters;
    this.#parameters = parameters;
    this.#prefix = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`;
    this.#decoy = `${this.#prefix}${base64(16)}$${base64(32)}`;
  }

  /** @returns a PHC string. @throws AppError RATE_LIMITED, SERVICE_UNAVAILABLE; the signal's reason */
  hash(password: string, task: TaskOptions): Promise<string> {
    return hashing.run(task, () => hash(password, this.#parameters));
  }

  /** Must run as a task of `hashing`. Takes the same time with and without a stored hash. */
  async matches(password: string, passwordHash: string | null | undefined): Promise<boolean> {
    const isSame = await verify(passwordHash ?? this.#decoy, password);
    return isSame && passwordHash != null;
  }

  /** Whether a hash was made with other parameters than the current ones. */
  isOutdated(passwordHash: string): boolean {
    return !passwordHash.startsWith(this.#prefix);
  }
}

/** Random bytes in unpadded Base64, as in PHC strings. @param bytes their number */
function base64(bytes: number): string {
  return randomBytes(bytes).toString('base64').replace(/=+$/, '');
}
