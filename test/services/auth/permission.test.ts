/** What each role permits: the table in docs/security.md, and each of its cells over both APIs. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { ROOT } from '../../../src/cli/generate/files.js';
import { ROLE_NAMES, type Role } from '../../../src/models/moderation/role.js';
import { ACTIONS, type Action, isPermitted } from '../../../src/services/auth/permission.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { buildHeldComment, setApproval } from '../../support/held.js';
import { buildWithRole, setRole, suspend, unsuspend } from '../../support/roles.js';

const TITLES = ['Action', 'By', 'on oneself', ...ROLE_NAMES.map((role) => `on \`${role}\``)];

function permissionTable(): string {
  const rows = (Object.keys(ACTIONS) as Action[]).flatMap((action) =>
    ROLE_NAMES.map((role) => {
      const actor = { id: 1, role };
      const targets = [actor, ...ROLE_NAMES.map((one) => ({ id: 2, role: one }))];
      const cells = targets.map((target) => (isPermitted(action, actor, target) ? '✓' : ''));
      return `| ${[ACTIONS[action].about, `\`${role}\``, ...cells].join(' | ')} |\n`;
    }),
  );
  return `| ${TITLES.join(' | ')} |\n|${'---|'.repeat(TITLES.length)}\n${rows.join('')}`;
}

describe('Permissions', () => {
  const app = useApp();

  it('are those of the table in docs/security.md', async () => {
    const text = await readFile(new URL('docs/security.md', ROOT), 'utf8');
    const table = permissionTable();
    expect(text.includes(table), `docs/security.md needs this table:\n${table}`).to.equal(true);
  });

  type Request = (actor: BuiltMember, target: number) => Promise<string | undefined>;

  /** Over both APIs. @param prepare brings about the state that the decision ends @returns the input */
  const deciding = (prepare: (target: number) => Promise<object>): Readonly<Record<string, Request>> => ({
    REST: async ({ token }, target) => {
      const json = await prepare(target);
      const { body } = await call(app.url, 'POST /api/moderation/decisions', { token, json });
      return body?.code === '1' ? undefined : body?.code;
    },
    GraphQL: async ({ token }, target) => {
      const query = 'mutation ($input: DecideInput!) { decide(input: $input) { id } }';
      const { errors } = await graphql(app.url, query, { input: await prepare(target) }, token);
      return errors?.[0]?.extensions.code;
    },
  });
  let article: BuiltArticle;
  before(async () => {
    article = await buildArticle(app.url);
  });
  /** A comment that waits for approval; those of authors with a role never do. */
  const held = async (memberId: number) => {
    const { id } = await buildHeldComment(app.url, article.id);
    await app.database.sequelize.query(`update held_comments set member_id = ${memberId} where id = ${id}`);
    return id;
  };
  /** The author of the article has this endpoint too, and members who may not use it do not see the comment. */
  const approving =
    (approved: boolean): Request =>
    async (actor, memberId) => {
      const { body } = await setApproval(app.url, await held(memberId), approved, actor);
      if (body?.code === '1') return undefined;
      expect(body?.code).to.be.oneOf(['COMMENT_NOT_FOUND', 'COMMENT_FORBIDDEN']);
      return 'ROLE_MISSING';
    };
  const reasons = { rule: 'No advertising', statement: 'The same link in 20 comments.' };

  /** How each action is requested. @returns the key of the error; undefined without one */
  const REQUESTS: Readonly<Record<Exclude<Action, 'UPHOLD'>, Readonly<Record<string, Request>>>> = {
    DISMISS: deciding(async (memberId) => {
      await app.database.sequelize.query(
        `insert into moderation_cases (member_id) values (${memberId}) on conflict (target) do update set opened_at = now()`,
      );
      return { memberId, action: 'DISMISS' };
    }),
    APPROVE: {
      ...deciding(async (memberId) => ({ commentId: await held(memberId), action: 'APPROVE' })),
      'REST with PUT approval': approving(true),
    },
    REMOVE: {
      ...deciding(async (memberId) => ({ commentId: await held(memberId), action: 'REMOVE', ...reasons })),
      'REST with PUT approval': approving(false),
    },
    RESTORE: deciding(async (memberId) => {
      const { id } = await buildComment(app.url, article.id);
      await app.database.sequelize.query(
        `update comments set member_id = ${memberId}, removed_at = now() where id = ${id}`,
      );
      return { commentId: id, action: 'RESTORE' };
    }),
    SUSPEND: deciding(async (memberId) => {
      await unsuspend(app, memberId);
      return { memberId, action: 'SUSPEND', until: '2099-12-31T00:00:00Z', ...reasons };
    }),
    UNSUSPEND: deciding(async (memberId) => {
      await suspend(app, memberId);
      return { memberId, action: 'UNSUSPEND' };
    }),
    CHANGE_ROLE: {
      REST: async ({ token, password }, target) => {
        const json = { role: 'MODERATOR', password };
        const { body } = await call(app.url, `PUT /api/moderation/members/${target}/role`, { token, json });
        return body?.code === '1' ? undefined : body?.code;
      },
      GraphQL: async ({ token, password }, target) => {
        const query = 'mutation ($input: SetRoleInput!) { setRole(input: $input) { role } }';
        const input = { memberId: target, role: 'MODERATOR', password };
        return (await graphql(app.url, query, { input }, token)).errors?.[0]?.extensions.code;
      },
    },
  };

  for (const action of Object.keys(REQUESTS) as (keyof typeof REQUESTS)[]) {
    for (const [api, request] of Object.entries(REQUESTS[action])) {
      it(`have these effects on ${action} over ${api}`, async () => {
        const actors = new Map<Role, BuiltMember>();
        for (const role of ROLE_NAMES) actors.set(role, await buildWithRole(app, role));
        const target = await buildMember(app.url);
        for (const [role, actor] of actors) {
          for (const on of [role, ...ROLE_NAMES]) {
            await setRole(app, target.id, on);
            const id = await request(actor, target.id);
            const expected = isPermitted(action, { id: 1, role }, { id: 2, role: on }) ? undefined : 'ROLE_MISSING';
            expect(id, `${role} on ${on}`).to.equal(expected);
          }
          // A suspended moderator makes no decision.
          const refused = action === 'UNSUSPEND' ? 'MEMBER_SUSPENDED' : 'ROLE_MISSING';
          expect(await request(actor, actor.id), `${role} on themselves`).to.equal(refused);
        }
      });
    }
  }
});
