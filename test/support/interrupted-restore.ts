/** Restores that end before the end of the archive. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './cli.js';
import { until } from './until.js';

/** Restores from a pipe that ends before the manifest, and sends the signal after the rows and an image. @returns standard error */
export async function interruptRestore(
  archive: string,
  environment: Record<string, string>,
  signal: NodeJS.Signals,
): Promise<string> {
  const script = `exec "$0" dist/src/cli/main.js restore - < <(head -c -300 "$1"; sleep 20)`;
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('bash', ['-c', script, process.execPath, archive], {
    cwd: ROOT,
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  const images = join(environment.DATA_DIR ?? '', 'images');
  await until(async () => {
    const [staging] = await readdir(images).catch(() => []);
    return staging !== undefined && (await readdir(join(images, staging))).length > 0;
  });
  child.kill(signal);
  await once(child, 'exit');
  return stderr;
}
