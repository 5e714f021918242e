/** The number of security events of an account is bounded, and so are the blocks that a login reads of them. */
import { expect } from 'chai';
import { IS_KNOWN_NETWORK, MAX_EVENTS_PER_KIND, RECORD_EVENT } from '../../../src/models/session/security-event.js';
import { LOCK_LOGIN, REMOVE_OLD_SESSIONS } from '../../../src/models/session/session.js';
import { useApp } from '../../support/app.js';
import { useMember } from '../../support/build.js';
import { graphql } from '../../support/client.js';
import { logIn } from '../../support/session.js';
import { blocksOf } from '../../support/statements.js';

const app = useApp();

describe('Security events of a member', () => {
  const member = useMember(app, beforeEach);

  it('are limited to 1,000 of each kind: failed logins displace only failed logins', async () => {
    await addEvents(MAX_EVENTS_PER_KIND + 500, 'now()');
    for (let failure = 0; failure < 60; failure++) {
      await app.database.query(RECORD_EVENT, [member.id, 'LOGIN_FAILED', null, null, '203.0.113.1', 'last']);
    }
    const [rows] =
      await app.database.sequelize.query(`select kind, count(*) as count, count(*) filter (where device = 'last') as last
       from security_events where member_id = ${member.id} group by kind order by kind`);
    expect(rows).to.deep.equal([
      { kind: 'LOGIN', count: 1, last: 0 },
      { kind: 'LOGIN_FAILED', count: MAX_EVENTS_PER_KIND, last: 60 },
    ]);
    const query = '{ securityEvents(size: 1) { pagination { totalElements } } }';
    const { data } = await graphql(app.url, query, {}, member.token);
    expect(data.securityEvents.pagination.totalElements).to.equal(MAX_EVENTS_PER_KIND + 1);
  });

  it('are read at a login within a bounded number of blocks, with 30,000 stored', async () => {
    await addWithoutTrigger(30_000);
    const login = [member.id, null, false, null, null, null, ''];
    expect(await blocksOf(app.database, LOCK_LOGIN, login)).to.be.below(100);
    expect(await blocksOf(app.database, REMOVE_OLD_SESSIONS, [member.id])).to.be.below(100);
    expect(await blocksOf(app.database, IS_KNOWN_NETWORK, [member.id, '198.51.100.1'])).to.be.below(50);
  });

  it('older than 180 days are deleted at later logins', async () => {
    await addEvents(150, `now() - interval '200 days'`);
    await logIn(app.url, member);
    await logIn(app.url, member);
    const [rows] = await app.database.sequelize.query(`select from security_events
      where created_at < now() - interval '1 day'`);
    expect(rows).to.have.length(0);
  });

  async function addEvents(count: number, at: string): Promise<void> {
    await app.database.sequelize.query(`insert into security_events (member_id, kind, address, device, created_at)
       select ${member.id}, 'LOGIN_FAILED', '203.0.113.1', 'device', ${at} from generate_series(1, ${count})`);
  }

  /** Adds events without the trigger that limits their number, and removes the rows of earlier tests: deleted ones occupy blocks too. */
  async function addWithoutTrigger(count: number): Promise<void> {
    await app.database.sequelize.query('alter table security_events disable trigger user');
    await addEvents(count, 'now()');
    await app.database.sequelize.query('alter table security_events enable trigger user');
    await app.database.sequelize.query('vacuum analyze');
  }
});
