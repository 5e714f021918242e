/** Appeals against decisions of moderators, over both APIs. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { SCOPE_NAMES } from '../../../src/models/session/api-token.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { buildDecision, decisionOf } from '../../support/decisions.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { rowsOf } from '../../support/imported.js';
import { interleave } from '../../support/interleave.js';
import { notificationsOf } from '../../support/notifications.js';
import { buildWithRole, suspend } from '../../support/roles.js';

const app = useApp();

let member: BuiltMember;
beforeEach(async () => {
  member = await buildMember(app.url);
});

const TEXT = 'These links\nlead to my own articles.';
const appeal = (id: number | string, { token }: { token: string } = member, text: unknown = TEXT) =>
  call(app.url, `POST /api/decisions/${id}/appeal`, { token, json: { text } });
const appealed = async (id: number, { token } = member, text = TEXT) => {
  const mutation =
    'mutation ($id: ID!, $text: String!) { appeal(decisionId: $id, text: $text) { id appealText appealableUntil } }';
  const { data, errors } = await graphql(app.url, mutation, { id, text }, token);
  return errors?.[0]?.extensions.code ?? data.appeal;
};
const decision = (given: Partial<Parameters<typeof buildDecision>[1]> = {}) =>
  buildDecision(app, { memberId: member.id, ...given });
const appeals = () =>
  rowsOf(
    app.database,
    `select p.* from appeals p join decisions d on d.id = p.decision_id where d.member_id = ${member.id}`,
  );

describe('An appeal', () => {
  it('is 201 with the decision over REST, and the same over GraphQL', async () => {
    const id = await decision();
    expect((await decisionOf(app, member, id)).appealableUntil).to.match(/^\d{4}-/);
    const { body } = await expectStatus(appeal(id), 201, '1');
    expect(body?.data).to.deep.include({
      id,
      action: 'SUSPEND',
      appealText: TEXT,
      answerId: null,
      appealableUntil: null,
    });
    expect(body?.data).to.deep.equal(await decisionOf(app, member, id));
    const second = await decision({ action: 'REMOVE' });
    expect(await appealed(second)).to.deep.equal({ id: String(second), appealText: TEXT, appealableUntil: null });
  });

  it('is possible while the member is suspended, and recorded in the audit trail', async () => {
    const id = await decision();
    await suspend(app, member.id);
    await expectStatus(appeal(id), 201, '1');
    const { body } = await call(app.url, 'GET /api/members/me/security-events', { token: member.token });
    expect(body?.data.contents[0]).to.deep.include({ kind: 'DECISION_APPEALED', address: '127.0.0.1' });
  });

  it('is possible once: 409, also for parallel requests over both APIs', async () => {
    const id = await decision();
    const responses = await Promise.all([appeal(id), appeal(id), appealed(id), appeal(id)]);
    const outcomes = responses.map((one) => {
      if (typeof one === 'string') return one;
      return 'body' in one ? `${one.body?.code}` : '1';
    });
    expect(outcomes.sort()).to.deep.equal(['1', ...Array(3).fill('ALREADY_APPEALED')]);
    await expectStatus(appeal(id), 409, 'ALREADY_APPEALED');
    expect(await appeals()).to.have.lengthOf(1);
  });

  it('is possible within six months, until the time that the decision shows', async () => {
    const age = (id: number, period: string) =>
      app.database.sequelize.query(
        `update decisions set created_at = now() - interval '6 months' + interval '${period}' where id = ${id}`,
      );
    const [late, early] = [await decision(), await decision()];
    await age(late, '-1 minute');
    // Six months after the end of a February are up to three days before those ahead.
    await age(early, '4 days');
    const { body } = await expectStatus(appeal(late), 409, 'ALREADY_DECIDED');
    expect(body?.message).to.equal('A decision can be appealed within 6 months, which have passed.');
    expect(await appealed(late)).to.equal('ALREADY_DECIDED');
    expect((await decisionOf(app, member, late)).appealableUntil).to.equal(null);
    expect((await decisionOf(app, member, early)).appealableUntil).to.match(/^\d{4}-/);
    await expectStatus(appeal(early), 201, '1');
  });

  it('is possible against removals and suspensions only', async () => {
    for (const action of ['RESTORE', 'UNSUSPEND', 'UPHOLD'] as const) {
      const { body } = await expectStatus(appeal(await decision({ action })), 409, 'ALREADY_DECIDED', action);
      expect(body?.message).to.equal('This decision cannot be appealed.');
    }
    // The member concerned is not told of these.
    for (const action of ['DISMISS', 'APPROVE'] as const)
      await expectStatus(appeal(await decision({ action })), 404, 'DECISION_NOT_FOUND', action);
  });

  it('is possible for the member concerned only: 404 for others, 403 with an API token, 401 without a token', async () => {
    const id = await decision();
    for (const other of [await buildMember(app.url), await buildWithRole(app, 'ADMIN')]) {
      await expectStatus(appeal(id, other), 404, 'DECISION_NOT_FOUND');
      expect(await appealed(id, other)).to.equal('DECISION_NOT_FOUND');
    }
    for (const huge of HUGE_IDS) await expectStatus(appeal(huge), 404, 'DECISION_NOT_FOUND');
    for (const bad of BAD_IDS) expect((await appeal(bad)).status, bad).to.equal(400);
    const { token } = await buildApiToken(app.url, member, SCOPE_NAMES, { name: 'All' });
    await expectStatus(appeal(id, { token }), 403, 'SCOPE_MISSING');
    const target = `POST /api/decisions/${id}/appeal`;
    await expectStatus(call(app.url, target, { json: { text: TEXT } }), 401, 'UNAUTHENTICATED');
    expect(await appeals()).to.have.lengthOf(0);
  });

  it('has 1 to 1,000 characters', async () => {
    const id = await decision();
    expectFieldErrors(await appeal(id, member, ''), 'text: must be 1 to 1000 characters long, got 0');
    expectFieldErrors(await appeal(id, member, ' \n '), 'text: must not be blank');
    expectFieldErrors(
      await appeal(id, member, '부'.repeat(1_001)),
      'text: must be 1 to 1000 characters long, got 1001',
    );
    expectFieldErrors(await appeal(id, member, 'a\u0000'), 'text: must not contain the character U+0000');
    expectFieldErrors(await appeal(id, member, null), 'text: is required');
    expect(await appealed(id, member, '부'.repeat(1_001))).to.equal('VALIDATION_FAILED');
    await expectStatus(appeal(id, member, '🦉'.repeat(1_000)), 201, '1');
  });

  it('is stored once with an Idempotency-Key, whose response is repeated', async () => {
    const id = await decision();
    const send = () =>
      call(app.url, `POST /api/decisions/${id}/appeal`, {
        ...{ token: member.token, json: { text: TEXT }, headers: { 'Idempotency-Key': key } },
      });
    const key = randomUUID();
    const first = await expectStatus(send(), 201, '1');
    expect((await expectStatus(send(), 201, '1')).body).to.deep.equal(first.body);
    await expectStatus(appeal(id), 409, 'ALREADY_APPEALED');
  });

  it('is not written by a session that ends while it waits', async () => {
    const id = await decision();
    const response = await interleave(app, {
      lock: `select from members where id = ${member.id} for update`,
      request: () => appeal(id),
      change: `delete from sessions where member_id = ${member.id}`,
    });
    expect([response.status, response.body?.code]).to.deep.equal([401, 'UNAUTHENTICATED']);
    expect(await appeals()).to.have.lengthOf(0);
  });

  it('is read by the member concerned and moderators only, and notifies no member', async () => {
    const moderator = await buildWithRole(app, 'MODERATOR');
    const id = await decision({ moderatorId: moderator.id });
    await expectStatus(appeal(id), 201, '1');
    expect(await notificationsOf(app.url, moderator)).to.deep.equal([]);
    const jobs = await rowsOf(app.database, 'select from graphile_worker._private_jobs');
    expect(jobs).to.have.lengthOf(0);
    const { body } = await call(app.url, 'GET /api/moderation/decisions?size=1', { token: moderator.token });
    expect(body?.data.contents[0]).to.deep.include({ id, appealText: TEXT, answerId: null });
  });

  it('ends with the account', async () => {
    await appeal(await decision());
    const json = { password: member.password };
    await expectStatus(call(app.url, 'DELETE /api/members/me', { token: member.token, json }), 200, '1');
    expect(
      await rowsOf(
        app.database,
        'select from appeals p left join decisions d on d.id = p.decision_id where d.id is null',
      ),
    ).to.have.lengthOf(0);
    expect(await appeals()).to.have.lengthOf(0);
  });
});
