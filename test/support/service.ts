/** The service as a process of its own, on a database of its own in the suite's PostgreSQL. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { JWT_SECRET } from './app.js';

const SERVER = fileURLToPath(new URL('../../src/server.js', import.meta.url));

/** @returns its address; it is empty */
export async function freshDatabase(name: string): Promise<string> {
  const client = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
  await client.connect();
  await client.query(`drop database if exists ${name} with (force)`);
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(process.env.TEST_DATABASE_URL ?? '');
  url.pathname = `/${name}`;
  return url.href;
}

export interface RunningService {
  url: string;
  stop(): Promise<void>;
}

/** Starts a server on a free port. Those on one database share the secret of the tests. */
export async function startService(databaseUrl: string, environment: NodeJS.ProcessEnv = {}): Promise<RunningService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'daybook-process-'));
  const child = spawn(process.execPath, [SERVER], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      HOST: '127.0.0.1',
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      JWT_SECRET,
      LOG_LEVEL: 'fatal',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const port = await announcedPort(child);
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function announcedPort(child: ChildProcess): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      const port = /REST +http:\/\/localhost:(\d+)\/api/.exec(output)?.[1];
      if (port) resolve(port);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${output}`)));
  });
}
