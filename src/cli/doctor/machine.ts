/** Checks of `daybook doctor` for the Node version, the data folder and free disk space. They create and change nothing. */
import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { currentUserName, diagnosePermission } from '../../platform/config/file-permission.js';
import type { Config } from '../../platform/config/index.js';
import { type Finding, failure, note, ok, warning } from './finding.js';

const NODE = 'Node.js';
const FOLDER = 'Data folder';
const SPACE = 'Disk space';

/** Minimum minor version by supported major version of Node, as in `engines` of package.json. */
const MIN_MINOR_VERSIONS: Readonly<Record<number, number>> = { 20: 19, 22: 12 };
const NEWEST_MAJOR_VERSION = 22;

export function checkNode(version: string = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const minMinor = MIN_MINOR_VERSIONS[major];
  if (major > NEWEST_MAJOR_VERSION || (minMinor !== undefined && minor >= minMinor))
    return ok(NODE, `${version} is supported.`);
  return failure(
    NODE,
    `${version} is too old.`,
    'Install Node 22.12 or later, or Node 20.19 or a later version of 20.',
  );
}

export async function checkDataDir({ dataDir }: Config): Promise<Finding[]> {
  const denial = await diagnosePermission(dataDir, 'write');
  if (denial) {
    const advice = `Set DATA_DIR to a folder that ${currentUserName()} can write to, or run as its owner.`;
    return [failure(FOLDER, `${dataDir} cannot be used: ${denial}.`, advice)];
  }
  const stats = await stat(dataDir).catch(() => undefined);
  if (!stats) return [note(FOLDER, `${dataDir} does not exist yet: the first start creates it.`)];
  if (!stats.isDirectory()) return [failure(FOLDER, `${dataDir} is a file.`, 'Set DATA_DIR to a folder.')];
  return [await checkModes(dataDir, stats.mode), await checkSpace(dataDir)];
}

async function checkModes(dataDir: string, mode: number): Promise<Finding> {
  const secrets = await stat(join(dataDir, 'secrets.json')).catch(() => undefined);
  const isOpen = (mode & 0o002) !== 0 || ((secrets?.mode ?? 0) & 0o077) !== 0;
  if (!isOpen) return ok(FOLDER, `${dataDir} is writable.`);
  const advice = `Run "chmod 700 ${dataDir}" and "chmod 600 ${dataDir}/secrets.json".`;
  return warning(FOLDER, `Other users of this machine can change ${dataDir}, or read the secrets in it.`, advice);
}

const BYTES_PER_MB = 1024 * 1024;
/** Disk space: below MIN_FREE_MB PostgreSQL may stop during a write (failure); below LOW_FREE_MB it is time to act (warning). */
const MIN_FREE_MB = 100;
const LOW_FREE_MB = 1_024;

async function checkSpace(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir);
  const freeMb = Math.floor((bavail * bsize) / BYTES_PER_MB);
  const message = `${freeMb.toLocaleString('en')} MB are free in ${dataDir}.`;
  const advice = 'Free disk space, or move DATA_DIR to another disk: a full disk stops the database.';
  if (freeMb < MIN_FREE_MB) return failure(SPACE, message, advice);
  return freeMb < LOW_FREE_MB ? warning(SPACE, message, advice) : ok(SPACE, message);
}
