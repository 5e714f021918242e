/** The commands for operators: `daybook invite`, `member`, `article` and `comment`, beside a running service. */
import { expect } from 'chai';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildImage, buildMember } from '../../support/build.js';
import { type CliResult, runDaybook } from '../../support/cli.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { makeFolder } from '../../support/folder.js';
import { rowsOf } from '../../support/imported.js';
import { runJobs } from '../../support/jobs.js';
import { notificationsOf } from '../../support/notifications.js';
import { DIFFERENCES } from '../../support/reactions.js';
import { until } from '../../support/until.js';
import { setPrivate } from '../../support/visibility.js';

const WRONG_COUNTERS = `select c.* from member_counts c
  where articles <> (select count(*) from articles where member_id = c.member_id)
     or private_articles <> (select count(*) from all_articles where member_id = c.member_id and is_private)
     or comments <> (select count(*) from comments where member_id = c.member_id and deleted_at is null)
     or received <> (select count(*) from comments where received_by = c.member_id)`;
const WRONG_RECIPIENTS = `select c.id from comments c join all_articles a on a.id = c.article_id
  where c.deleted_at is null and c.received_by is distinct from nullif(a.member_id, c.member_id)`;

describe('The commands for operators', function () {
  this.timeout(120_000);

  const app = useApp({ REGISTRATION: 'invite' });
  const open = useApp();
  let mina: BuiltMember;
  let dataDir: string;

  const environment = () => ({ DATABASE_URL: app.database.url, DATA_DIR: dataDir, REGISTRATION: 'invite' });
  const run = (...args: string[]): Promise<CliResult> => runDaybook(args, environment());

  async function succeed(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stderr], args.join(' ')).to.deep.equal([0, '']);
    return stdout;
  }

  async function fail(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout], args.join(' ')).to.deep.equal([1, '']);
    return stderr;
  }

  async function eventsOf({ token }: BuiltMember): Promise<{ kind: string; device: string }[]> {
    const { data } = await graphql(open.url, '{ securityEvents { contents { kind device } } }', {}, token);
    return data.securityEvents.contents;
  }

  before(async () => {
    dataDir = await makeFolder();
    mina = await buildMember(open.url, { nickname: 'mina' });
  });

  it('create invitations that allow one registration each', async () => {
    const tokens = (await succeed('invite', '--count', '2', '--expires', '1h')).trim().split('\n');
    expect(new Set(tokens).size).to.equal(2);
    for (const [index, invitation] of tokens.entries()) {
      const json = {
        email: `invited${index}@example.org`,
        password: 'a quiet harbor',
        memberName: 'Invited',
        invitation,
      };
      expect((await call(app.url, 'POST /api/auth/register', { json })).status).to.equal(201);
    }
  });

  it('list members with a search, and show one without its secrets', async () => {
    expect(await succeed('member', 'list', '--search', mina.email.toUpperCase())).to.equal(
      `${mina.id}  mina  ${mina.email}  0 articles, 0 comments\n`,
    );
    const json = JSON.parse(await succeed('member', 'list', '--json', '--search', 'MINA'));
    expect(json).to.include({ id: mina.id, nickname: 'mina', hasPassword: true, lockedAt: null });
    expect(json).to.not.have.property('passwordHash');
    await buildApiToken(open.url, mina);
    await open.database.sequelize.query(`insert into passkeys
      (member_id, name, credential_id, public_key, counter, transports, is_backup_eligible, is_backed_up)
      values (${mina.id}, 'Phone', 'x', 'x', 0, '{}', false, false)`);
    const shown = await succeed('member', 'show', mina.email);
    expect(shown).to.match(/Sessions +1\nAPI tokens +1\n/);
    expect(shown)
      .to.match(/Email +member\d+@example\.org/)
      .and.match(/Login methods +password, 1 passkey\n/);
    expect(shown)
      .to.match(/ LOGIN +127\.0\.0\.1/)
      .and.not.contain('argon2');
  });

  it('create a member with a role, who sets the password with the printed link, and record it', async () => {
    const email = 'first.admin@example.org';
    const printed = await succeed('member', 'create', email, '--nickname', 'hana', '--role', 'ADMIN');
    const [, id, token] =
      /^Created hana \(member (\d+)\) with the role ADMIN\. Link for the password:\n\S+#token=([\w-]{43})\n$/.exec(
        printed,
      ) ?? [];
    const password = 'ten gulls on the pier';
    await expectStatus(call(open.url, 'POST /api/auth/password/reset', { json: { token, password } }), 200, '1');
    const { body } = await call(open.url, 'POST /api/auth/login', { json: { email, password } });
    const me = await call(open.url, 'GET /api/members/me', { token: body?.data.accessToken });
    expect(me.body?.data).to.include({ id: Number(id), email, nickname: 'hana', role: 'ADMIN', emailVerified: false });
    const shown = await succeed('member', 'show', email);
    for (const kind of ['ACCOUNT_CREATED', 'ROLE_CHANGED'])
      expect(shown).to.match(new RegExp(`${kind} +npx daybook member create`));
    expect(await succeed('member', 'create', 'theo.park@example.org')).to.match(
      /^Created theo\.park \(member \d+\) with the role MEMBER\./,
    );
    expect(await fail('member', 'create', email)).to.equal(`A member already has the email "${email}".\n`);
    expect(await fail('member', 'create', 'other@example.org', '--nickname', 'HANA')).to.equal(
      'A member already has the nickname "HANA", or one that looks alike.\n',
    );
    for (const [option, value, wrong] of [
      ['--nickname', 'x', 'Expected 2 to 30 characters.'],
      ['--nickname', 'ha\u200bna', 'U+200B'],
      ['--role', 'OWNER', 'Allowed choices are'],
    ] as const) {
      const { code, stderr } = await run('member', 'create', 'other@example.org', option, value);
      expect([code, stderr.includes(wrong)], stderr).to.deep.equal([2, true]);
    }
    expect((await run('member', 'create', 'nobody')).stderr).to.contain('Expected an email address.');
  });

  it('create an API token of a member, which is printed once, and record it', async () => {
    const { email, id, token: access } = await buildMember(open.url);
    const create = (...options: string[]) => succeed('token', 'create', email, ...options);
    const token = (await create('--scope', 'articles', 'read', '--expires', '30d', '--name', 'Site')).trim();
    expect(token).to.match(/^dbk_\w{49}$/);
    const { body } = await call(open.url, 'GET /api/token', { token });
    expect(body?.data).to.deep.include({ kind: 'API_TOKEN', memberId: id, scopes: ['read', 'articles'] });
    const other = (await create('--scope', 'images,ai', '--scope', 'read')).trim();
    const own = (await call(open.url, 'GET /api/token', { token: other })).body?.data;
    expect(own).to.deep.equal({ kind: 'API_TOKEN', memberId: id, scopes: ['read', 'images', 'ai'], expiresAt: null });
    const listed = (await call(open.url, 'GET /api/members/me/tokens', { token: access })).body?.data.contents;
    expect(listed.map(({ name }: { name: string }) => name)).to.deep.equal(['npx daybook token create', 'Site']);
    expect(await succeed('member', 'show', email)).to.match(/API_TOKEN_CREATED +npx daybook token create/);
    expect(await fail('token', 'create', email, '--scope', 'read', '--expires', '20y')).to.match(
      /^--expires must be a lifetime .* not "20y"\.\n$/,
    );
    expect(await fail('token', 'create', 'nobody@example.org', '--scope', 'read')).to.equal(
      'No member has the email "nobody@example.org".\n',
    );
    const { code, stderr } = await run('token', 'create', email, '--scope', 'write');
    expect([code, stderr.includes('Expected read, articles, drafts, comments')], stderr).to.deep.equal([2, true]);
    expect((await run('token', 'create', email)).code).to.equal(2);
    const lines = (await succeed('token', 'list', email)).trim().split('\n');
    expect(lines).to.have.length(2);
    expect(lines[1]).to.match(/^\S{36} {2}Site {2}read,articles {2}created 2\S+Z, expires 2\S+Z, (last|never) used/);
    const [tokenId = ''] = (lines[1] ?? '').split(' ');
    expect(await fail('token', 'delete', email, tokenId)).to.contain('is deleted: confirm it with --yes');
    expect(await fail('token', 'delete', '1', tokenId, '--yes')).to.match(
      /^.* has no API token with the ID|^No member/,
    );
    expect(await succeed('token', 'delete', email, tokenId, '--yes')).to.equal('The API token "Site" was deleted.\n');
    expect((await call(open.url, 'GET /api/token', { token })).status).to.equal(401);
    expect(await succeed('member', 'show', email)).to.match(/API_TOKEN_DELETED +npx daybook token delete/);
    await succeed('member', 'lock', email, '--yes');
    expect(await fail('token', 'create', email, '--scope', 'read')).to.contain('is locked: unlock the account first');
  });

  it('require a confirmation, which only --yes gives without a terminal', async () => {
    expect(await fail('member', 'delete', mina.email)).to.equal(
      `Delete mina (member ${mina.id}) with 0 articles and 0 comments: confirm it with --yes.\n`,
    );
    expect(await fail('member', 'show', 'nobody@example.org')).to.equal(
      'No member has the email "nobody@example.org".\n',
    );
  });

  it('print a link for a new password that works once, without SMTP_URL, and record it', async () => {
    const member = await buildMember(open.url);
    const printed = await succeed('member', 'reset', member.email, '--yes');
    const [, token] = /^http:\/\/localhost:4000\/account\/reset#token=([\w-]{43})\n$/.exec(printed) ?? [];
    const password = 'ten gulls on the pier';
    const reset = () => call(open.url, 'POST /api/auth/password/reset', { json: { token, password } });
    expect([(await reset()).body?.code, (await reset()).body?.code]).to.deep.equal(['1', 'TOKEN_INVALID']);
    const { body } = await call(open.url, 'POST /api/auth/login', { json: { email: member.email, password } });
    const events = await eventsOf({ ...member, token: body?.data.accessToken });
    expect(events.slice(1, 3).map(({ kind }) => kind)).to.deep.equal(['PASSWORD_RESET', 'PASSWORD_RESET_REQUESTED']);
    expect(events[2]?.device).to.equal('npx daybook member reset');
    expect(await succeed('member', 'show', member.email), 'no proof of access to the address').to.contain(
      `${member.email} (not confirmed)\n`,
    );
    expect(await fail('member', 'reset', member.email)).to.match(/^Print a link .*: confirm it with --yes\.\n$/);
  });

  it('confirm the email of a member, and record it', async () => {
    const member = await buildMember(open.url);
    expect(await succeed('member', 'verify', String(member.id), '--yes')).to.match(/^Confirmed the email of /);
    const { data } = await graphql(open.url, '{ me { emailVerified } }', {}, member.token);
    expect(data.me.emailVerified).to.equal(true);
    expect((await eventsOf(member))[0]).to.deep.equal({ kind: 'EMAIL_VERIFIED', device: 'npx daybook member verify' });
    expect(await fail('member', 'verify', member.email, '--yes')).to.match(/is already confirmed\.\n$/);
    expect(await succeed('member', 'show', member.email)).to.contain(`${member.email} (confirmed)\n`);
    await app.database.sequelize.query(`update members set email = null, password_hash = null where id = ${member.id}`);
    for (const command of ['verify', 'reset']) {
      expect(await fail('member', command, String(member.id), '--yes')).to.match(/has no email to log in with\.\n$/);
    }
  });

  it('lock and unlock an account, and record it', async () => {
    const member = await buildMember(open.url);
    expect(await succeed('member', 'lock', String(member.id), '--yes')).to.match(/^Locked /);
    const login = () =>
      call(open.url, 'POST /api/auth/login', { json: { email: member.email, password: member.password } });
    expect((await login()).body?.code).to.equal('ACCOUNT_LOCKED');
    expect(await fail('member', 'lock', member.email, '--yes')).to.match(/is already locked\.\n$/);
    expect(await succeed('member', 'unlock', member.email, '--yes')).to.match(/^Unlocked /);
    const { body } = await login();
    const events = await eventsOf({ ...member, token: body?.data.accessToken });
    expect(events.slice(1, 3)).to.deep.equal([
      { kind: 'ACCOUNT_UNLOCKED', device: 'npx daybook member unlock' },
      { kind: 'ACCOUNT_LOCKED', device: 'npx daybook member lock' },
    ]);
  });

  it('end a session that is being opened when the account is locked', async () => {
    const { id } = await buildMember(open.url);
    const { sequelize } = app.database;
    const isWaiting = async () =>
      (
        await rowsOf(
          app.database,
          `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'update members%'`,
        )
      ).length > 0;
    // The statements of a login that is not committed yet.
    const login = await sequelize.transaction();
    await sequelize.query(`select from members where id = ${id} for share`, { transaction: login });
    await sequelize.query(
      `insert into sessions (id, member_id, refresh_hash, expires_at)
       values (gen_random_uuid(), ${id}, sha256('x'), now() + interval '1 day')`,
      { transaction: login },
    );
    const locked = succeed('member', 'lock', String(id), '--yes');
    await until(isWaiting);
    await login.commit();
    await locked;
    expect(await rowsOf(app.database, `select id from sessions where member_id = ${id}`)).to.deep.equal([]);
  });

  it('delete an account like a withdrawal, and record it', async () => {
    const { id, author } = await buildArticle(open.url);
    expect(await succeed('member', 'delete', author.email, '--yes')).to.match(/^Deleted /);
    expect((await call(open.url, `GET /api/articles/${id}`)).status).to.equal(404);
    expect(
      await rowsOf(app.database, `select device from security_events where kind = 'ACCOUNT_DELETED'`),
    ).to.deep.equal([{ device: 'npx daybook member delete' }]);
  });

  it('change private articles and the comments on them', async () => {
    const article = await buildArticle(open.url);
    const [hidden, deleted] = [await buildComment(open.url, article.id), await buildComment(open.url, article.id)];
    await setPrivate(open.url, article);
    const { token } = article.author;
    await succeed('comment', 'hide', String(hidden.id), '--yes');
    await succeed('comment', 'delete', String(deleted.id), '--yes');
    const { body } = await call(open.url, `GET /api/articles/${article.id}/comments/hidden`, { token });
    expect(body?.data.contents.map(({ id }: { id: number }) => id)).to.deep.equal([hidden.id]);
    expect(await succeed('member', 'show', article.author.email)).to.match(/^Articles +1$/m);
    await succeed('article', 'delete', String(article.id), '--yes');
    expect(await rowsOf(app.database, `select id from all_articles where id = ${article.id}`)).to.deep.equal([]);
    const other = await buildArticle(open.url, { visibility: 'PRIVATE' }, article.author);
    await succeed('member', 'delete', article.author.email, '--yes');
    expect(await rowsOf(app.database, `select id from all_articles where id = ${other.id}`)).to.deep.equal([]);
  });

  it('delete articles and comments and hide comments, and record it for their authors', async () => {
    const { id, author } = await buildArticle(open.url);
    const hidden = await buildComment(open.url, id);
    const deleted = await buildComment(open.url, id, {}, hidden.author);
    expect(await succeed('comment', 'hide', String(hidden.id), '--yes')).to.equal(`Hid the comment ${hidden.id}.\n`);
    expect(await succeed('comment', 'delete', String(deleted.id), '--yes')).to.match(/^Deleted /);
    const { body } = await call(open.url, `GET /api/articles/${id}/comments`);
    expect(body?.data.contents.map((one: { content: string }) => one.content)).to.deep.equal(['(hidden)']);
    expect((await eventsOf(hidden.author))[0]?.kind).to.equal('COMMENT_DELETED');
    expect((await eventsOf(author))[0]).to.deep.equal({ kind: 'COMMENT_HIDDEN', device: 'npx daybook comment hide' });
    expect(await succeed('article', 'delete', String(id), '--yes')).to.match(/^Deleted /);
    expect((await call(open.url, `GET /api/articles/${id}`)).status).to.equal(404);
    expect((await eventsOf(author))[0]?.kind).to.equal('ARTICLE_DELETED');
    expect(await fail('article', 'delete', String(id), '--yes')).to.equal(`No article has the ID ${id}.\n`);
    expect(await fail('comment', 'delete', 'x', '--yes')).to.contain('must be a positive whole number, not "x"');
  });

  it('transfer the content of an imported author to a member', async () => {
    const [own, other] = [await buildArticle(open.url, { category: undefined }, mina), await buildArticle(open.url)];
    const author = await buildMember(open.url);
    for (const name of ['Travel', 'Food']) await addCategory(author, name);
    await addCategory(mina, 'travel');
    for (const category of ['Travel', 'Food', undefined]) await buildArticle(open.url, { category }, author);
    const image = await buildImage(open.url, author);
    const claimed = await buildArticle(open.url, { content: `![](${image.url})` }, author);
    for (const article of [own, other, claimed]) await buildComment(open.url, article.id, {}, author);
    await buildComment(open.url, claimed.id, {}, mina);
    await buildComment(open.url, claimed.id);
    await addCategory(author, 'Diary');
    const { id } = await buildArticle(open.url, { category: 'Diary', visibility: 'PRIVATE', tags: ['secret'] }, author);
    const [fan, blocker, blocked] = [
      await buildMember(open.url),
      await buildMember(open.url),
      await buildMember(open.url),
    ];
    for (const [by, target] of [
      [fan, `${author.id}/follow`],
      [blocked, `${author.id}/follow`],
      [mina, `${blocked.id}/block`],
      [blocker, `${mina.id}/follow`],
      [blocker, `${author.id}/block`],
    ] as const)
      await expectStatus(call(open.url, `PUT /api/members/${target}`, { token: by.token }), 200, '1', target);
    expect(await fail('member', 'claim', String(author.id), '--for', mina.email, '--yes')).to.match(
      /only imported authors/,
    );
    await app.database.sequelize.query(`update members set email = null, password_hash = null where id = ${author.id};
      insert into imported_records values ('blog', 'member', 'key', ${author.id})`);
    expect(await succeed('member', 'claim', String(author.id), '--for', mina.email, '--yes')).to.equal(
      `Transferred 5 articles, 0 drafts and 3 comments to mina (member ${mina.id}).\n`,
    );
    const { body } = await call(open.url, `GET /api/articles?memberId=${mina.id}&size=100`);
    const categories = body?.data.contents.map((one: { category: string }) => one.category).sort();
    expect(categories).to.deep.equal(['Food', 'General', 'General', 'General', 'travel']);
    const followers = await rowsOf(app.database, `select follower_id as id from follows where member_id = ${mina.id}`);
    expect(followers).to.deep.equal([{ id: fan.id }]);
    expect(
      await rowsOf(app.database, 'select member_id as id, blocked_id as "blockedId" from blocks order by 1'),
    ).to.deep.equal([
      { id: mina.id, blockedId: blocked.id },
      { id: blocker.id, blockedId: mina.id },
    ]);
    const diary = await call(open.url, `GET /api/articles/${id}`, { token: mina.token });
    expect(diary.body?.data).to.deep.include({ visibility: 'PRIVATE', category: 'Diary', tags: ['secret'] });
    expect(await rowsOf(app.database, `select id from members where id = ${author.id}`)).to.deep.equal([]);
    expect(await rowsOf(app.database, `select row_id as id from imported_records where kind = 'member'`)).to.deep.equal(
      [{ id: mina.id }],
    );
    const images = await call(open.url, 'GET /api/images', { token: mina.token });
    expect(images.body?.data.contents[0]?.id).to.equal(image.id);
    expect(await rowsOf(app.database, WRONG_COUNTERS)).to.deep.equal([]);
    expect(await rowsOf(app.database, WRONG_RECIPIENTS)).to.deep.equal([]);
    expect((await eventsOf(mina))[0]?.kind).to.equal('CONTENT_CLAIMED');
  });

  it('transfer the followers of an author, and leave the likes and bookmarks of the articles', async () => {
    const [author, member] = [await buildMember(open.url), await buildMember(open.url)];
    const readers = [await buildMember(open.url), await buildMember(open.url), member];
    const article = await buildArticle(open.url, { title: 'Owls' }, author);
    const put = async (path: string, ...by: BuiltMember[]) => {
      for (const { token } of by) expect((await call(open.url, `PUT /api/${path}`, { token })).status).to.equal(200);
    };
    await put(`members/${author.id}/follow`, ...readers);
    await put(`members/${member.id}/follow`, readers[0] as BuiltMember);
    await put(`articles/${article.id}/like`, ...readers);
    await put(`articles/${article.id}/bookmark`, readers[1] as BuiltMember);
    const announced = await buildArticle(open.url, { title: 'Larks' }, author);
    await runJobs(open);
    await app.database.sequelize.query(`update members set email = null, password_hash = null where id = ${author.id}`);
    await succeed('member', 'claim', String(author.id), '--for', member.email, '--yes');
    const profile = await call(open.url, `GET /api/members/${member.id}`);
    expect(profile.body?.data).to.deep.include({ followerCount: 2, articleCount: 2 });
    const [, bookmarking] = readers as [BuiltMember, BuiltMember];
    const bookmarks = await call(open.url, 'GET /api/bookmarks', { token: bookmarking.token });
    expect(bookmarks.body?.data.contents).to.have.length(1);
    expect(bookmarks.body?.data.contents[0]).to.deep.include({ id: article.id, likeCount: 3, memberId: member.id });
    const [received] = await notificationsOf(open.url, bookmarking);
    expect(received).to.deep.include({ articleId: announced.id, message: `${member.nickname} published “Larks”.` });
    expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
    await buildArticle(open.url, { title: 'Wrens' }, member);
    await runJobs(open);
    expect((await notificationsOf(open.url, bookmarking)).map(({ type }) => type)).to.deep.equal([
      'ARTICLE',
      'ARTICLE',
    ]);
  });

  it('transfer nothing if the member has no room for the drafts of the author', async () => {
    const [author, member] = [await buildMember(open.url), await buildMember(open.url)];
    for (const { token } of [author, author, member])
      await call(open.url, 'POST /api/drafts', { token, json: { title: 'T', content: 'Text' } });
    const article = await buildArticle(open.url, {}, author);
    await app.database.sequelize.query(`update members set email = null, password_hash = null where id = ${author.id};
      update draft_counts set drafts = 199 where member_id = ${member.id}`);
    expect(await fail('member', 'claim', String(author.id), '--for', member.email, '--yes')).to.equal(
      `Nothing was transferred: with the drafts of the author, ${member.nickname} (member ${member.id}) would have more than 200, or more than 50 MiB of text in them. The member has to publish or delete some first.\n`,
    );
    const { body } = await call(open.url, `GET /api/articles/${article.id}`);
    expect(body?.data.memberId).to.equal(author.id);
    await app.database.sequelize.query(
      `update draft_counts set drafts = 1, bytes = 52428797 where member_id = ${member.id}`,
    );
    await fail('member', 'claim', String(author.id), '--for', member.email, '--yes');
    await app.database.sequelize.query(`update draft_counts set bytes = 4 where member_id = ${member.id}`);
    expect(await succeed('member', 'claim', String(author.id), '--for', member.email, '--yes')).to.equal(
      `Transferred 1 article, 2 drafts and 0 comments to ${member.nickname} (member ${member.id}).\n`,
    );
  });

  it('transfer nothing if the member has no room for the series of the author', async () => {
    const [author, member] = [await buildMember(open.url), await buildMember(open.url)];
    await app.database.sequelize.query(`update members set email = null, password_hash = null where id = ${author.id};
      insert into series (member_id, title) select ${member.id}, n from generate_series(1, 99) n;
      insert into series (member_id, title) values (${author.id}, 'One'), (${author.id}, 'Two')`);
    expect(await fail('member', 'claim', String(author.id), '--for', member.email, '--yes')).to.equal(
      `Nothing was transferred: with the series of the author, ${member.nickname} (member ${member.id}) would have more than 100. The member has to delete some first.\n`,
    );
    expect((await call(open.url, `GET /api/members/${author.id}`)).status).to.equal(200);
  });

  async function addCategory({ token }: BuiltMember, categoryName: string): Promise<void> {
    expect((await call(open.url, 'POST /api/categories', { token, json: { categoryName } })).status).to.equal(201);
  }
});
