/** A real Redis on its own port, if the machine has one. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from './server.js';

export interface RedisServer {
  url: string;
  stop(): Promise<void>;
}

/** Whether the program `redis-server` is installed. */
export function hasRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export async function startRedis(port?: number): Promise<RedisServer> {
  const own = port ?? (await freePort());
  const options = ['--port', String(own), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', tmpdir()];
  const server: ChildProcess = spawn('redis-server', options, { stdio: 'ignore' });
  const url = `redis://127.0.0.1:${own}`;
  await untilReady(url);
  return {
    url,
    stop: async () => {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
    },
  };
}

async function untilReady(url: string): Promise<void> {
  const redis = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
  redis.on('error', () => {});
  await Promise.race([redis.ping(), delay(10_000).then(() => Promise.reject(new Error('Redis did not start')))]);
  redis.disconnect();
}
