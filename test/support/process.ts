/** The service as a separate process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('../../src/server.js', import.meta.url));

export interface ServiceProcess {
  child: ChildProcess;
  url: string;
  /** The output so far. */
  output: { stdout: string; stderr: string };
  /** Resolves when stdout contains this text; rejects if the process ends first. */
  told(text: string): Promise<void>;
  /** Resolves to the exit code, or the signal that ended the process. */
  ended: Promise<number | string>;
}

/** The environment consists of these variables, PATH, HOME, TMPDIR, LOG_LEVEL and PORT. */
export async function startProcess(environment: Record<string, string>): Promise<ServiceProcess> {
  const port = environment.PORT ?? String(await freePort());
  const { PATH = '', HOME = '', TMPDIR = '' } = process.env;
  const env = { PATH, HOME, ...(TMPDIR && { TMPDIR }), LOG_LEVEL: 'warn', ...environment, PORT: port };
  const child = spawn(process.execPath, [SERVER], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  const ended = new Promise<number | string>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown')),
  );
  const told = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => output.stdout.includes(text) && resolve();
      look();
      child.stdout.on('data', look);
      void ended.then((code) => reject(new Error(`ended with ${code} before "${text}": ${output.stderr}`)));
    });
  return { child, url: `http://127.0.0.1:${port}`, output, told, ended };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
