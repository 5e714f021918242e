/** Passwords: argon2id with the parameters of OWASP's Password Storage Cheat Sheet (19 MiB, 2 passes, 1 lane). */
import { hash, verify } from '@node-rs/argon2';

// The library's Algorithm enum is a const enum, which isolated modules cannot read: 2 is argon2id, its default.
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** What a password is compared with where there is none, so that the answer takes as long as for a wrong one. */
let decoy: Promise<string> | undefined;

/** @returns a PHC string. Runs off the event loop. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, PARAMETERS);
}

/** Takes the same time whether there is a hash to compare with or not. */
export async function isPassword(password: string, passwordHash: string | null | undefined): Promise<boolean> {
  decoy ??= hashPassword('a password that nobody has');
  const matches = await verify(passwordHash ?? (await decoy), password);
  return matches && passwordHash != null;
}
