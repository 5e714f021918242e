/** What each role permits: the table in docs/security.md, and each of its cells over both APIs. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { ROOT } from '../../../src/cli/generate/files.js';
import { ROLE_NAMES, type Role } from '../../../src/models/moderation/role.js';
import { ACTIONS, type Action, isPermitted } from '../../../src/services/auth/permission.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { buildWithRole, setRole } from '../../support/roles.js';

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

  /** How each action is requested. @returns the key of the error; undefined without one */
  const REQUESTS: Readonly<
    Record<Action, Readonly<Record<string, (actor: BuiltMember, target: number) => Promise<string | undefined>>>>
  > = {
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

  for (const action of Object.keys(ACTIONS) as Action[]) {
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
          expect(await request(actor, actor.id), `${role} on themselves`).to.equal('ROLE_MISSING');
        }
      });
    }
  }
});
