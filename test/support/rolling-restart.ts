/** Reads and writes through a proxy while the processes behind it are restarted one after the other. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type BuiltArticle, buildArticle } from './build.js';
import { call } from './client.js';
import { type RunningService, startService } from './process.js';

/** Pause of each client between two requests, so that the load leaves processor time for the other processes. */
const PAUSE_MS = 40;

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
      await delay(PAUSE_MS);
    }
  };
  const writing = async () => {
    while (!isOver) {
      const headers = { Authorization: `Bearer ${author.token}`, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ content: 'Hello.' });
      writes.push((await fetch(url + target, { method: 'POST', headers, body })).status);
      await delay(PAUSE_MS);
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

/** Replaces each service by a process at the same port, when the one before is ready. @param environments by service */
export async function restartServices(
  services: RunningService[],
  database: string,
  environments: readonly Record<string, string>[],
  pauseMs = 0,
): Promise<void> {
  for (const index of services.keys()) {
    const PORT = new URL(services[index]?.url ?? '').port;
    await services[index]?.stop();
    services[index] = await startService(database, { ...environments[index], PORT });
    await delay(pauseMs);
  }
}
