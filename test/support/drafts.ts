/** Drafts of members, and their schedules. */
import { expect } from 'chai';
import type { TestApp } from './app.js';
import { type BuiltMember, buildMember } from './build.js';
import { call } from './client.js';

export interface BuiltDraft {
  id: number;
  author: BuiltMember;
}

let count = 0;

export async function buildDraft(
  url: string,
  overrides: Record<string, unknown> = {},
  author?: BuiltMember,
): Promise<BuiltDraft> {
  count++;
  const writer = author ?? (await buildMember(url));
  const json = { title: `Draft ${count}`, content: `Content of draft ${count}`, ...overrides };
  const { status, body } = await call(url, 'POST /api/drafts', { token: writer.token, json });
  expect(status, JSON.stringify(body)).to.equal(201);
  return { id: body?.data.id, author: writer };
}

/** The time in REST requests. */
export function timeIn(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString().slice(0, 19);
}

/** Schedules a draft, by default in an hour. */
export async function schedule(url: string, { id, author }: BuiltDraft, seconds = 3_600): Promise<void> {
  const json = { publishAt: timeIn(seconds) };
  const { status, body } = await call(url, `PUT /api/drafts/${id}/schedule`, { token: author.token, json });
  expect(status, JSON.stringify(body)).to.equal(200);
}

/** Moves the times of all schedules and of their jobs: those of the next hours become due. A negative number sets the clock back. */
export async function advance({ database }: Pick<TestApp, 'database'>, hours: number): Promise<void> {
  const earlier = (column: string) => `${column} = ${column} - ${hours} * interval '1 hour'`;
  await database.sequelize.query(`update drafts set ${earlier('publish_at')} where publish_at is not null`);
  await database.sequelize.query(`update graphile_worker._private_jobs j set ${earlier('run_at')}
    from graphile_worker._private_tasks t where t.id = j.task_id and t.identifier = 'publish-drafts'`);
}
