/** What ends share links besides their authors: the end of the text, and events of the account. */
import { expect } from 'chai';
import { setMemberLocked } from '../../src/commands/administer-member.js';
import { buildApiToken } from '../support/api-tokens.js';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildMember } from '../support/build.js';
import { call, expectStatus } from '../support/client.js';
import { interleave } from '../support/interleave.js';
import { addJobs, runJobs } from '../support/jobs.js';
import { buildLink, recoveryApis } from '../support/links.js';
import { buildShare, buildText, codeOfShared, KINDS, sharePath, storedShares } from '../support/shared-texts.js';

const app = useApp();
const { REST: recovery } = recoveryApis(app);

const execute = (sql: string) => app.database.sequelize.query(sql);

/** Each ends the sessions of the member too. */
const EVENTS: Record<string, (member: BuiltMember) => Promise<unknown>> = {
  'a new password by a link': async ({ id, email }) => {
    await execute(`update members set email_verified_at = now() where id = ${id}`);
    const token = await buildLink(app, id, 'reset', email);
    expect(await recovery.reset(token, 'another long password')).to.equal('1');
  },
  'a new password by a link that is the first proof of the address': async ({ id, email }) => {
    const token = await buildLink(app, id, 'reset', email);
    expect(await recovery.reset(token, 'another long password')).to.equal('1');
  },
  'the first confirmation of the address': async ({ id, email }) => {
    expect(await recovery.confirm(await buildLink(app, id, 'confirm', email))).to.equal('1');
  },
  'the undo of a change of the address': async ({ id }) => {
    const token = await buildLink(app, id, 'undo', `previous-${id}@example.org`);
    expect(await recovery.undo(token)).to.equal('1');
  },
  'the lock of the account': ({ id }) =>
    setMemberLocked({ ...app.services, viewer: null, client: { address: '', device: '' } }, id, true),
  'a withdrawal': async ({ token, password }) => {
    await expectStatus(call(app.url, 'DELETE /api/members/me', { token, json: { password } }), 200, '1');
  },
};

describe('All share links of a member', () => {
  for (const [event, cause] of Object.entries(EVENTS)) {
    it(`end with ${event}, and those of others stay`, async () => {
      const [member, other] = [await buildMember(app.url), await buildMember(app.url)];
      const shares = await Promise.all(KINDS.map(async (kind) => buildShare(app, await buildText(app, kind, member))));
      const { token: kept } = await buildShare(app, await buildText(app, 'draft', other));
      for (const { token } of shares) expect(await codeOfShared(app, token)).to.equal('1');
      await cause(member);
      for (const { token } of shares) expect(await codeOfShared(app, token)).to.equal('SHARE_NOT_FOUND');
      expect(await codeOfShared(app, kept)).to.equal('1');
    });
  }

  it('are not created by a request that waits while its session or API token ends', async () => {
    const member = await buildMember(app.url);
    const text = await buildText(app, 'draft', member);
    const writing = await buildApiToken(app.url, member, ['articles']);
    const before = await storedShares(app);
    const lock = `select from members where id = ${member.id} for update`;
    const post = (token: string) => () => call(app.url, `POST ${sharePath(text)}`, { token });
    for (const [token, table] of [
      [writing.token, 'api_tokens'],
      [member.token, 'sessions'],
    ] as const) {
      const change = `delete from ${table} where member_id = ${member.id}`;
      await expectStatus(interleave(app, { lock, request: post(token), change }), 401, 'UNAUTHENTICATED', table);
    }
    expect(await storedShares(app)).to.deep.equal(before);
  });
});

describe('A share link', () => {
  for (const kind of KINDS) {
    it(`ends with its ${kind}`, async () => {
      const text = await buildText(app, kind, await buildMember(app.url));
      const { token } = await buildShare(app, text);
      await execute(`delete from ${kind === 'draft' ? 'drafts' : 'all_articles'} where id = ${text.id}`);
      expect(await codeOfShared(app, token)).to.equal('SHARE_NOT_FOUND');
    });

    it(`is not created while its ${kind} is being deleted`, async () => {
      const text = await buildText(app, kind, await buildMember(app.url));
      const table = kind === 'draft' ? 'drafts' : 'all_articles';
      const lock = `select from ${table} where id = ${text.id} for update`;
      const request = () => call(app.url, `POST ${sharePath(text)}`, text.author);
      const change = `delete from ${table} where id = ${text.id}`;
      await expectStatus(interleave(app, { lock, request, change }), 404, `${kind.toUpperCase()}_NOT_FOUND`);
    });
  }

  it('is deleted by a job when it has expired', async () => {
    await execute('delete from share_links');
    const author = await buildMember(app.url);
    const [expired, valid] = await Promise.all(KINDS.map(async (kind) => buildText(app, kind, author)));
    for (const text of [expired, valid]) if (text) await buildShare(app, text);
    await execute(`update share_links set expires_at = now() where draft_id = ${expired?.id}`);
    await addJobs(app.database, 'delete-expired-share-links', [{}]);
    await runJobs(app);
    const stored = await storedShares(app);
    expect(stored.map(({ text }) => JSON.parse(text).article_id)).to.deep.equal([valid?.id]);
  });
});
