/** Reports and decisions in tests. */
import { expect } from 'chai';
import type { TestApp } from './app.js';
import type { BuiltMember } from './build.js';
import { call } from './client.js';
import { rowsOf } from './imported.js';

export type Target = { articleId: number } | { commentId: number } | { memberId: number };

export const REASONS = { rule: 'No advertising', statement: 'The same link in 20 comments.' };

export function report(url: string, { token }: BuiltMember, target: Target, fields: object = {}) {
  return call(url, 'POST /api/reports', { token, json: { ...target, reason: 'SPAM', ...fields } });
}

export async function buildReport(
  url: string,
  reporter: BuiltMember,
  target: Target,
  fields: object = {},
): Promise<void> {
  const { status, body } = await report(url, reporter, target, fields);
  expect(status, JSON.stringify(body)).to.equal(201);
}

export function decide(url: string, { token }: BuiltMember, fields: object) {
  return call(url, 'POST /api/moderation/decisions', { token, json: fields });
}

export async function queueOf(url: string, { token }: BuiltMember, query = ''): Promise<Record<string, unknown>[]> {
  const { status, body } = await call(url, `GET /api/moderation/queue?size=100${query}`, { token });
  expect(status, JSON.stringify(body)).to.equal(200);
  return body?.data.contents;
}

/** The ids of the members who were notified of a decision. */
export async function notifiedOf({ database }: Pick<TestApp, 'database'>, decisionId: number): Promise<number[]> {
  const text = `select member_id as id from notifications where decision_id = ${decisionId} and type = 'MODERATION' order by 1`;
  return (await rowsOf<{ id: number }>(database, text)).map(({ id }) => Number(id));
}
