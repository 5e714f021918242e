/** Decisions of moderators, and reports, in tests. */
import { expect } from 'chai';
import { addDecision, type NewDecision } from '../../src/models/decision/decision.js';
import { mailDecision } from '../../src/services/mail/enqueue.js';
import type { TestApp } from './app.js';
import type { BuiltMember } from './build.js';
import { call } from './client.js';

export const NOTE = 'The fourth account of this shop.';

const REASONS = { rule: 'No advertising', statement: 'The same link in 20 comments.', note: NOTE, until: null };
const ABOUT_NOTHING = { articleId: null, commentId: null, appealOf: null, moderatorId: null, reports: null };

/** Adds a decision without its effect, with its notification and email. @returns its id */
export function buildDecision(
  { database, services: { config } }: TestApp,
  decision: Pick<NewDecision, 'memberId'> & Partial<NewDecision>,
): Promise<number> {
  return database.transaction(async (db) => {
    const given = { action: 'SUSPEND', ...ABOUT_NOTHING, ...REASONS, ...decision } as const;
    const { id } = await addDecision(db, given);
    await mailDecision(db, { config }, id);
    return id;
  });
}

/** An open report of a comment, an article or a member. @returns what a decision on it needs */
export async function buildReport(
  { database }: Pick<TestApp, 'database'>,
  target: { commentId: number } | { articleId: number } | { memberId: number },
  reporterId: number,
): Promise<NonNullable<NewDecision['reports']>> {
  const [[name, id] = []] = Object.entries(target);
  const column = name?.replace('Id', '_id');
  const [[row]] = (await database.sequelize.query(`with k as (
      insert into moderation_cases (${column}) values (${id}) on conflict (target) do update set opened_at = now() returning id
    ) insert into reports (case_id, reporter_id, reason, text) select id, ${reporterId}, 'SPAM', 'Look at this' from k returning case_id`)) as [
    { case_id: string }[],
    unknown,
  ];
  return { id: Number(row?.case_id), decidedId: 0 };
}

/** The decision as the member concerned reads it. */
export async function decisionOf(app: TestApp, { token }: BuiltMember, id: number) {
  const { status, body } = await call(app.url, `GET /api/decisions/${id}`, { token });
  expect(status, JSON.stringify(body)).to.equal(200);
  return body?.data;
}
