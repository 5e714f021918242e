/** Reads and writes through a proxy while the processes behind it are restarted one after the other. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type BuiltArticle, buildArticle } from './build.js';
import { call } from './client.js';
import { type RunningService, startService } from './process.js';

/** Fails if a request fails, or a write is lost. @param url of the proxy @returns the measured text */
export async function requestDuring(
  restart: () => Promise<void>,
  url: string,
  { author }: BuiltArticle,
): Promise<string> {
  const { id } = await buildArticle(url, {}, author);
  const target = `/api/articles/${id}/comments`;
  const reads: number[] = [];
  const writes: number[] = [];
  let isOver = false;
  const reading = async () => {
    while (!isOver) {
      reads.push((await fetch(`${url}/api/articles`)).status);
      await delay(10);
    }
  };
  const writing = async () => {
    while (!isOver) {
      const headers = { Authorization: `Bearer ${author.token}`, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ content: 'Hello.' });
      writes.push((await fetch(url + target, { method: 'POST', headers, body })).status);
      await delay(10);
    }
  };
  const clients = [reading(), reading(), writing(), writing()];
  await restart();
  isOver = true;
  await Promise.all(clients);
  expect(new Set(reads)).to.deep.equal(new Set([200]));
  expect(new Set(writes)).to.deep.equal(new Set([201]));
  const { body } = await call(url, `GET ${target}`);
  expect(body?.data.pagination.totalElements).to.equal(writes.length);
  return `0 of ${reads.length} reads and ${writes.length} writes failed`;
}

/** Replaces each service by a process at the same port, when the one before is ready. */
export async function restartServices(
  services: RunningService[],
  database: string,
  environment: Record<string, string>,
  pauseMs = 0,
): Promise<void> {
  for (const index of services.keys()) {
    const PORT = new URL(services[index]?.url ?? '').port;
    await services[index]?.stop();
    services[index] = await startService(database, { ...environment, PORT });
    await delay(pauseMs);
  }
}
