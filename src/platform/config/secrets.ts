/** Generated secrets: created on the first start and stored in the data folder, readable by its owner only. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../errors.js';
import { parseObject } from '../text.js';
import { dataDirError, giveToOwner, prepareDataDir } from './data-dir.js';

export interface Secrets {
  /** Signs access tokens. */
  jwtSecret: string;
  /** Password of the embedded database's superuser. */
  databasePassword: string;
}

/** Minimum length in characters: 256 bits in base64url. */
const LENGTH = 43;

/**
 * Reads `secrets.json` in the data folder; creates folder and file if missing. Processes that start concurrently read the same secrets.
 *
 * @throws {OperatorError} if the folder or the file cannot be used; the message names it.
 */
export async function loadSecrets(dataDir: string): Promise<Secrets> {
  const folder = await prepareDataDir(dataDir);
  const file = join(folder, 'secrets.json');
  try {
    if (!(await stat(file).catch(ignoreMissing))) await createSecrets(file, folder);
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) await chmod(file, 0o600);
    return parse(await readFile(file, 'utf8'), file);
  } catch (error) {
    throw error instanceof OperatorError ? error : await dataDirError(file, error);
  }
}

/** Reads existing secrets without creating or changing files. @throws {Error} if there are none, or they cannot be read. */
export async function readSecrets(dataDir: string): Promise<Secrets> {
  const file = join(dataDir, 'secrets.json');
  return parse(await readFile(file, 'utf8'), file);
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Replaces the secret of access tokens atomically. @throws {OperatorError} if it is too short */
export async function replaceJwtSecret(dataDir: string, jwtSecret: string): Promise<void> {
  const { databasePassword } = await loadSecrets(dataDir);
  if (!isSecret(jwtSecret))
    throw new OperatorError(`The secret of access tokens must have at least ${LENGTH} characters`);
  const file = join(dataDir, 'secrets.json');
  await writeSecrets({ jwtSecret, databasePassword }, file, dataDir, (temporary) => rename(temporary, file));
}

function createSecrets(file: string, folder: string): Promise<void> {
  const secrets: Secrets = { jwtSecret: makeSecret(), databasePassword: makeSecret() };
  return writeSecrets(secrets, file, folder, (temporary) => publish(temporary, file));
}

async function writeSecrets(
  secrets: Secrets,
  file: string,
  folder: string,
  putInPlace: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    await handle.writeFile(`${JSON.stringify(secrets, undefined, 2)}\n`).then(() => handle.sync());
    await handle.close();
    await giveToOwner(temporary, folder);
    await putInPlace(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Unlike a rename, neither `link` nor an exclusive copy replaces a file that another process created first. */
async function publish(temporary: string, file: string): Promise<void> {
  try {
    await link(temporary, file);
  } catch (error) {
    if (isExisting(error)) return;
    // Some file systems, such as exFAT and shared folders of virtual machines, do not support hard links.
    await copyFile(temporary, file, constants.COPYFILE_EXCL).catch((caught) => {
      if (!isExisting(caught)) throw caught;
    });
  }
}

function isExisting(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST';
}

function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

function parse(text: string, file: string): Secrets {
  const { jwtSecret, databasePassword } = parseObject(text);
  if (isSecret(jwtSecret) && isSecret(databasePassword)) return { jwtSecret, databasePassword };
  throw new OperatorError(
    `${file} cannot be used: expected a JSON object with "jwtSecret" and "databasePassword", ` +
      `each of at least ${LENGTH} characters. Restore it: the embedded database can be opened only with its original password.`,
  );
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && value.length >= LENGTH;
}
