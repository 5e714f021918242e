/** The turns of clients in the queues of jobs that requests fill: many jobs of 20 accounts of one network beside one of a member of another network. */
import { expect } from 'chai';
import { tasks } from '../../src/jobs/tasks.js';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildImage } from '../support/build.js';
import { call, expectStatus } from '../support/client.js';
import { runJobs } from '../support/jobs.js';
import { buildRecipient, sendMails } from '../support/mails.js';
import { startSmtp } from '../support/smtp.js';

const smtp = await startSmtp();
after(() => smtp.close());

const app = useApp({ ...smtp.environment, TRUST_PROXY: '1' });
const ACCOUNTS = 20;
const SHARED = { 'X-Forwarded-For': '192.0.2.1' };
const OTHER = { 'X-Forwarded-For': '198.51.100.1' };

let members: BuiltMember[];
let honest: BuiltMember;
before(async () => {
  members = await Promise.all(Array.from({ length: ACCOUNTS }, () => buildRecipient(app)));
  honest = await buildRecipient(app);
});
beforeEach(() => smtp.setBehaviors('accept'));
const originals = { ...tasks };
afterEach(() => void Object.assign(tasks, originals));

/** The number of emails that were sent before the first one to the honest member. */
const emailsBefore = () => smtp.messages.findIndex(({ to }) => to.includes(honest.email));

async function request(target: string, json: unknown, headers: Record<string, string>, token?: string) {
  const response = await call(app.url, target, { json, headers, ...(token !== undefined && { token }) });
  expect(response.status, `${target}: ${JSON.stringify(response.body)}`).to.be.below(300);
}

describe('Beside many jobs of one network', () => {
  it('a notice about an account is sent after one of them', async () => {
    const create = (member: BuiltMember, headers: Record<string, string>) =>
      request(
        'POST /api/members/me/tokens',
        { name: 'A', scopes: ['read'], password: member.password },
        headers,
        member.token,
      );
    for (let token = 0; token < 3; token++) await Promise.all(members.map((member) => create(member, SHARED)));
    await create(honest, OTHER);
    await sendMails(app);
    expect(smtp.messages).to.have.lengthOf(3 * ACCOUNTS + 1);
    expect(emailsBefore()).to.be.within(0, 2);
  });

  it('a requested link is sent after one of them', async () => {
    const ask = ({ email }: BuiltMember, headers: Record<string, string>) =>
      request('POST /api/auth/password/forgot', { email }, headers);
    for (const member of members) await ask(member, SHARED);
    await ask(honest, OTHER);
    await sendMails(app);
    expect(smtp.messages).to.have.lengthOf(ACCOUNTS + 1);
    expect(emailsBefore()).to.be.within(0, 2);
  });

  it('a notification is sent after one of each account', async () => {
    const recipients = members.slice(3);
    for (const { token } of [honest, ...recipients]) {
      for (const type of ['MENTION', 'COMMENT'])
        await request(`PUT /api/members/me/notification-settings/${type}`, { email: 'AT_ONCE' }, OTHER, token);
    }
    const [{ id }, own] = [await buildArticle(app.url, {}, members[0]), await buildArticle(app.url, {}, honest)];
    for (let first = 0; first < recipients.length; first += 10) {
      const content = recipients
        .slice(first, first + 10)
        .map(({ nickname }) => `@[${nickname}]`)
        .join(' ');
      await buildComment(app.url, id, { content }, members[1]);
    }
    await buildComment(app.url, own.id, {}, members[2]);
    const order: number[] = [];
    const notify = tasks['mail-notifications'];
    Object.assign(tasks, {
      'mail-notifications': async (...args: Parameters<NonNullable<typeof notify>>) => {
        order.push((args[0] as { memberId: number }).memberId);
        await notify?.(...args);
      },
    });
    await sendMails(app);
    await sendMails(app);
    expect(order.indexOf(honest.id)).to.be.within(0, 2);
    expect(smtp.messages).to.have.lengthOf(recipients.length + 1);
    expect(emailsBefore()).to.be.within(0, 2);
  });

  it('an image is removed after one of each account', async () => {
    const owners = members.slice(0, 4);
    const upload = (member: BuiltMember) => buildImage(app.url, member);
    const images: { id: number; owner: BuiltMember }[] = [];
    for (let image = 0; image < 4; image++)
      for (const owner of owners) images.push({ ...(await upload(owner)), owner });
    const own = await upload(honest);
    const removed: unknown[] = [];
    Object.assign(tasks, {
      'remove-unused-image': async (payload: unknown) => void removed.push((payload as { key: string }).key),
    });
    const remove = (id: number, { token }: BuiltMember) => call(app.url, `DELETE /api/images/${id}`, { token });
    for (const { id, owner } of images) await expectStatus(remove(id, owner), 200, '1');
    await expectStatus(remove(own.id, honest), 200, '1');
    await runJobs(app);
    expect(removed).to.have.lengthOf(images.length + 1);
    expect(removed.indexOf(own.key)).to.be.within(0, 2 * owners.length);
  });
});
