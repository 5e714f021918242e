/** Encryption of the secrets in a backup with a passphrase: scrypt and AES-256-GCM. */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { MIN_PASSPHRASE_LENGTH } from '../../platform/config/settings/storage.js';
import { FileError, OperatorError } from '../../platform/errors.js';
import { parseObject } from '../../platform/text.js';

const MAX_FILE_BYTES = 4096;

/** @returns undefined if neither the file nor the setting is given. @throws OperatorError */
export async function readPassphrase(file: string | undefined, setting: string | null): Promise<string | undefined> {
  const passphrase = file === undefined ? setting : await firstLine(file);
  if (passphrase === null) return undefined;
  if (passphrase.length >= MIN_PASSPHRASE_LENGTH) return passphrase;
  throw new OperatorError(
    `The passphrase must have at least ${MIN_PASSPHRASE_LENGTH} characters, not ${passphrase.length}`,
  );
}

async function firstLine(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`The passphrase file ${file} cannot be read: ${error.code ?? error.message}`);
  });
  if (bytes.length > MAX_FILE_BYTES)
    throw new OperatorError(`${file} is not a passphrase file: it has ${bytes.length} bytes`);
  return bytes.toString('utf8').split(/\r?\n/)[0] ?? '';
}

/** 128 MB of memory and about half a second for each attempt to guess the passphrase. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1 };
const ALGORITHM = { kdf: 'scrypt', ...SCRYPT, cipher: 'aes-256-gcm' } as const;

export async function encrypt(plain: Buffer, passphrase: string): Promise<Buffer> {
  const [salt, iv] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv(ALGORITHM.cipher, await deriveKey(passphrase, salt), iv);
  const data = Buffer.concat([cipher.update(plain), cipher.final()]);
  const binary = Object.entries({ salt, iv, tag: cipher.getAuthTag(), data });
  const encoded = Object.fromEntries(binary.map(([name, bytes]) => [name, bytes.toString('base64')]));
  return Buffer.from(`${JSON.stringify({ ...ALGORITHM, ...encoded }, undefined, 2)}\n`);
}

/** @throws OperatorError if the passphrase is wrong, FileError if the algorithm is unknown */
export async function decrypt(sealed: Buffer, passphrase: string): Promise<Buffer> {
  const given = parseObject(sealed.toString());
  // The cost is not taken from the archive, which could name one that takes hours.
  const isKnown = Object.entries(ALGORITHM).every(([name, value]) => given[name] === value);
  if (!isKnown) throw new FileError('its secrets are encrypted with an unknown algorithm');
  const [salt, iv, tag, data] = ['salt', 'iv', 'tag', 'data'].map((name) => Buffer.from(String(given[name]), 'base64'));
  if (!salt || !data || iv?.length !== 12 || tag?.length !== 16) throw new FileError('its secrets are damaged');
  try {
    const decipher = createDecipheriv(ALGORITHM.cipher, await deriveKey(passphrase, salt), iv).setAuthTag(tag);
    return Buffer.concat([decipher.update(data), decipher.final()]);
  } catch {
    throw new OperatorError('The secrets cannot be decrypted: the passphrase is wrong, or the archive was changed');
  }
}

const scryptAsync = promisify<string, Buffer, number, object, Buffer>(scrypt);

function deriveKey(passphrase: string, salt: Buffer): Promise<Buffer> {
  return scryptAsync(passphrase.normalize('NFC'), salt, 32, { ...SCRYPT, maxmem: 256 * 1024 * 1024 });
}
