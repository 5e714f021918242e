/** Mentions of members in comments and articles: who is notified, once, and the links in the HTML of articles. */
import { expect } from 'chai';
import { FIND_MENTIONS } from '../../../src/models/mention.js';
import { NOTIFY_OF_MENTIONS } from '../../../src/models/notification/create.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { buildDraft, timeIn } from '../../support/drafts.js';
import { MANY_LINKS } from '../../support/held.js';
import { rowsIn, rowsOf } from '../../support/imported.js';
import { interleave } from '../../support/interleave.js';
import { addJobs, runJobs } from '../../support/jobs.js';
import { closeLiveClients, followEvents } from '../../support/live.js';
import { type Notified, notificationsOf, setNotificationType, unreadOf } from '../../support/notifications.js';
import { statementsDuring } from '../../support/statements.js';

const ENVIRONMENT = { MEMBER_URL: 'https://example.org/members/{id}?name={nickname}', LIMIT_WRITES: '1000/1m' };
const app = useApp(ENVIRONMENT);
const approving = useApp({ ...ENVIRONMENT, COMMENT_APPROVAL: 'all' });

let author: BuiltMember;
let writer: BuiltMember;
let mina: BuiltMember;
let blocker: BuiltMember;
let article: BuiltArticle;
let count = 0;
beforeEach(async () => {
  count++;
  author = await buildMember(app.url);
  writer = await buildMember(app.url);
  mina = await buildMember(app.url, { nickname: `mina_${count}` });
  blocker = await buildMember(app.url);
  article = await buildArticle(app.url, { title: 'Owls' }, author);
});
afterEach(closeLiveClients);

const send = (target: string, { token }: BuiltMember, json?: object) =>
  call(app.url, target, { token, ...(json && { json }) });
const kindsOf = async (member: BuiltMember) => (await notificationsOf(app.url, member)).map(({ type }) => type);
const comment = (content: string, by = writer, parent: object = {}) =>
  buildComment(app.url, article.id, { content, ...parent }, by);
const edit = (path: string, content: string, by: BuiltMember) => send(`PATCH /api/comments/${path}`, by, { content });
const put = (id: number, fields: object, by = author) =>
  send(`PUT /api/articles/${id}`, by, { title: 'Owls', content: 'Words', ...fields });
const htmlOf = async (id: number) => (await call(app.url, `GET /api/articles/${id}/rendered`)).body?.data.contentHtml;
const at = ({ nickname }: BuiltMember) => `@[${nickname}]`;
const linkTo = ({ id }: BuiltMember, name: string, text = name) =>
  `<a href="https://example.org/members/${id}?name=${encodeURIComponent(name)}">@${text}</a>`;

describe('A mention in a comment', () => {
  it('notifies the member, in both languages and live, and links to the comment', async () => {
    const client = await followEvents(app.url, mina.token);
    const { id } = await comment(`Look, @${mina.nickname}!`);
    const [live] = await client.count(1);
    expect(live).to.include({ type: 'MENTION', commentId: id, articleId: article.id, actor: writer.nickname });
    const [first] = await notificationsOf(app.url, mina);
    expect(first?.message).to.equal(`${writer.nickname} mentioned you in a comment on “Owls”.`);
    const headers = { 'Accept-Language': 'ko' };
    const { body } = await call(app.url, 'GET /api/notifications', { token: mina.token, headers });
    expect(body?.data.contents[0].message).to.equal(`${writer.nickname} 님이 “Owls”의 댓글에서 회원님을 언급했습니다.`);
  });

  it('is written with or without brackets, without regard to case, over both APIs', async () => {
    const kim = await buildMember(app.url, { nickname: `Kim, Mina [${count}]` });
    const hangul = await buildMember(app.url, { nickname: `김미나-${count}` });
    const content = `@[${kim.nickname}] and @${hangul.nickname}, (@${mina.nickname.toUpperCase()}).`;
    const query = 'mutation ($input: CreateCommentInput!) { createComment(input: $input) { id } }';
    const { errors } = await graphql(app.url, query, { input: { articleId: article.id, content } }, writer.token);
    expect(errors).to.equal(undefined);
    for (const member of [kim, hangul, mina]) expect(await kindsOf(member), member.nickname).to.deep.equal(['MENTION']);
  });

  it('is text in code, links and email addresses, of unknown members, and of oneself', async () => {
    const name = mina.nickname;
    await comment(
      `\`@${name}\` https://example.org/@${name} [x](https://example.org/@${name}) a@${name} @${name}@example.org`,
    );
    await comment(`\`\`\`\n@${name}\n\`\`\` @${name}/x @[${name}](https://example.org) @nobody-${count} ${at(writer)}`);
    expect([await kindsOf(mina), await kindsOf(writer)]).to.deep.equal([[], []]);
  });

  it('notifies a member once per comment: REPLY, COMMENT, MENTION in this order, the first that is enabled', async () => {
    const theirs = await comment('Words', mina);
    const text = `@${mina.nickname} @[${mina.nickname}] ${at(author)}`;
    await comment(text, writer, { parentCommentId: theirs.id });
    expect(await kindsOf(mina)).to.deep.equal(['REPLY']);
    expect(await kindsOf(author)).to.deep.equal(['COMMENT', 'COMMENT']);
    await setNotificationType(app.url, author, 'COMMENT', false);
    await comment(text);
    expect((await kindsOf(author))[0]).to.equal('MENTION');
    await setNotificationType(app.url, mina, 'MENTION', false);
    await comment(text);
    expect(await kindsOf(mina)).to.deep.equal(['MENTION', 'REPLY']);
  });

  it('that an edit adds notifies, each member once for a comment, and no member of what was there', async () => {
    const other = await buildMember(app.url);
    const { id } = await comment(`@${mina.nickname}`);
    const texts = [`@${mina.nickname} ${at(other)}`, 'Nobody', `${at(other)} @${mina.nickname} ${at(author)}`];
    for (const text of texts) await expectStatus(edit(`${id}`, text, writer), 200, '1');
    for (const member of [mina, other]) expect(await kindsOf(member)).to.deep.equal(['MENTION']);
    // Notified of the comment before.
    expect(await kindsOf(author)).to.deep.equal(['COMMENT']);
    await send(`PUT /api/comments/${id}/hidden`, author, { hidden: true });
    const late = await buildMember(app.url);
    await expectStatus(edit(`${id}`, `${at(late)}`, writer), 200, '1');
    expect(await kindsOf(late)).to.deep.equal([]);
  });

  it('of a hidden comment notifies no member, also after it has waited for approval', async () => {
    const theirs = await comment('Words', mina);
    const { id } = await comment('Words', writer, { parentCommentId: theirs.id });
    await send(`PUT /api/comments/${id}/hidden`, author, { hidden: true });
    const before = [await kindsOf(blocker), await unreadOf(app.url, mina), await unreadOf(app.url, author)];
    for (const content of [`${at(blocker)} ${MANY_LINKS}`, at(blocker)]) {
      const { body } = await expectStatus(edit(`${id}`, content, writer), 200, '1');
      expect(body?.data.held).to.equal(content !== at(blocker));
    }
    expect([await kindsOf(blocker), await unreadOf(app.url, mina), await unreadOf(app.url, author)]).to.deep.equal([
      [],
      0,
      1,
    ]);
    expect(before).to.deep.equal([[], 1, 2]);
  });

  it('of a private article notifies no member', async () => {
    const { id } = await buildArticle(app.url, { visibility: 'PRIVATE' }, author);
    const own = await buildComment(app.url, id, { content: `@${mina.nickname}` }, author);
    await expectStatus(edit(`${own.id}`, `@${mina.nickname} ${at(writer)}`, author), 200, '1');
    expect([await kindsOf(mina), await kindsOf(writer)]).to.deep.equal([[], []]);
  });

  it('of a member who blocks the writer is 403, also in an edit; of a blocked member it notifies no member', async () => {
    const { id } = await comment('Words');
    const earlier = await comment(`@${mina.nickname}`);
    await expectStatus(send(`PUT /api/members/${writer.id}/block`, mina), 200, '1');
    const json = { content: `@${mina.nickname}` };
    await expectStatus(send(`POST /api/articles/${article.id}/comments`, writer, json), 403, 'BLOCKED');
    await expectStatus(edit(`${id}`, json.content, writer), 403, 'BLOCKED');
    await expectStatus(edit(`${earlier.id}`, `${json.content} again`, writer), 200, '1');
    expect(await kindsOf(mina)).to.deep.equal(['MENTION']);
    await comment(`${at(writer)}`, mina);
    expect(await kindsOf(writer)).to.deep.equal([]);
  });

  it('that waits for approval notifies when it is approved, and not a member who blocks its author then', async () => {
    const { id } = await buildComment(
      approving.url,
      article.id,
      { content: `@${mina.nickname} ${at(blocker)}` },
      writer,
    );
    expect([await kindsOf(mina), await kindsOf(author)]).to.deep.equal([[], []]);
    await expectStatus(
      call(approving.url, `PATCH /api/comments/${id}`, {
        token: writer.token,
        json: { content: `@${mina.nickname} ${at(blocker)} again` },
      }),
      200,
      '1',
    );
    await expectStatus(send(`PUT /api/members/${writer.id}/block`, blocker), 200, '1');
    await expectStatus(send(`PUT /api/comments/${id}/approval`, author, { approved: true }), 200, '1');
    for (const [member, kinds] of [
      [mina, ['MENTION']],
      [author, ['COMMENT']],
      [blocker, []],
    ] as const)
      expect(await kindsOf(member)).to.deep.equal(kinds);
    const json = { content: at(blocker) };
    const target = `POST /api/articles/${article.id}/comments`;
    await expectStatus(call(approving.url, target, { token: writer.token, json }), 403, 'BLOCKED');
  });

  it('needs no statement more than a comment with several', async () => {
    const texts = [`@${mina.nickname}`, `@${mina.nickname} @${writer.nickname} @${author.nickname}`];
    const counts = [];
    for (const content of texts) counts.push((await statementsDuring(() => comment(content))).length);
    expect(counts[1]).to.equal(counts[0]);
  });
});

describe('Mentions of one text', () => {
  it('leave out a member who withdraws at the same time', async () => {
    const { id } = await comment('Words');
    for (const request of [
      (content: string) => send(`POST /api/articles/${article.id}/comments`, writer, { content }),
      (content: string) => edit(`${id}`, content, writer),
      (content: string) => put(article.id, { content }),
      (content: string) => send('POST /api/articles', author, { title: 'Owls', content }),
    ]) {
      const leaving = await buildMember(app.url);
      const { status, body } = await interleave(app, {
        lock: `select from members where id = ${leaving.id} for update`,
        request: () => request(`${at(leaving)} @${mina.nickname}`),
        change: `delete from members where id = ${leaving.id}`,
      });
      expect(status, JSON.stringify(body)).to.be.oneOf([200, 201]);
    }
    expect(await kindsOf(mina)).to.deep.equal(Array(4).fill('MENTION'));
  });

  it('are at most 10 members: further names are text', async () => {
    const members: BuiltMember[] = [];
    for (let number = 0; number < 12; number++) members.push(await buildMember(app.url));
    const names = members.map(({ nickname }) => `@[${nickname}]`).join(' ');
    await comment(`@nobody-${count} ${names}`);
    const { id } = await buildArticle(app.url, { content: names }, author);
    const kinds = await Promise.all(members.map(kindsOf));
    expect(kinds).to.deep.equal([...Array(10).fill(['MENTION', 'MENTION']), [], []]);
    expect((await htmlOf(id)).match(/<a /g)).to.have.lengthOf(10);
  });

  it('of one member by another notify at most 20 times a day', async () => {
    for (let times = 0; times < 22; times++) await comment(`@${mina.nickname} ${times}`);
    expect(await kindsOf(mina)).to.have.lengthOf(20);
    await comment(`@${mina.nickname}`, await buildMember(app.url));
    expect(await kindsOf(mina)).to.have.lengthOf(21);
  });
});

describe('A mention in an article', () => {
  it('notifies the member once, and an edit only members whom it adds', async () => {
    const other = await buildMember(app.url);
    const { id } = await buildArticle(app.url, { title: 'Owls', content: `By @${mina.nickname}.` }, author);
    const [notified] = (await notificationsOf(app.url, mina)) as [Notified];
    expect(notified).to.include({
      type: 'MENTION',
      articleId: id,
      commentId: null,
      message: `${author.nickname} mentioned you in “Owls”.`,
    });
    for (const content of ['Nobody', `@${mina.nickname} ${at(other)}`]) await put(id, { content });
    for (const member of [mina, other]) expect(await kindsOf(member)).to.deep.equal(['MENTION']);
  });

  it('is text in code, links and email addresses', async () => {
    const name = mina.nickname;
    const content = `\`@${name}\`\n\n    @${name}\n\n~~~\n@${name}\n~~~\n\n<code>@${name}</code> [@${name}](https://example.org) a@${name}.org <https://example.org/@${name}>`;
    const { id } = await buildArticle(app.url, { content }, author);
    expect(await kindsOf(mina)).to.deep.equal([]);
    expect(await htmlOf(id)).to.not.include('/members/');
  });

  it('of a private article notifies when it becomes public, once', async () => {
    const { id } = await buildArticle(app.url, { content: `@${mina.nickname}`, visibility: 'PRIVATE' }, author);
    expect(await kindsOf(mina)).to.deep.equal([]);
    const setVisibility = (visibility: string) => send(`PUT /api/articles/${id}/visibility`, author, { visibility });
    await expectStatus(setVisibility('PUBLIC'), 200, '1');
    expect(await kindsOf(mina)).to.deep.equal(['MENTION']);
    await setVisibility('PRIVATE');
    expect(await kindsOf(mina)).to.deep.equal([]);
    await setVisibility('PUBLIC');
    expect(await kindsOf(mina)).to.deep.equal([]);
  });

  it('of a draft notifies at its publication, also at a time', async () => {
    const content = `@${mina.nickname}`;
    const draft = await buildDraft(app.url, { title: 'Owls', content }, author);
    const scheduled = await buildDraft(app.url, { title: 'Late owls', content }, author);
    await expectStatus(
      send(`PUT /api/drafts/${scheduled.id}/schedule`, author, { publishAt: timeIn(3_600) }),
      200,
      '1',
    );
    expect(await kindsOf(mina)).to.deep.equal([]);
    await send(`POST /api/drafts/${draft.id}/publish`, author);
    expect(await kindsOf(mina)).to.deep.equal(['MENTION']);
    await app.database.sequelize.query(`update drafts set publish_at = now() where id = ${scheduled.id}`);
    await addJobs(app.database, 'publish-drafts', [{ draftId: scheduled.id }]);
    await runJobs(app);
    expect(await kindsOf(mina)).to.deep.equal(['MENTION', 'MENTION']);
  });

  it('of a member who blocks the author is 403, also in a draft at its time, unless it was there before the block', async () => {
    const content = `@${mina.nickname}`;
    const { id } = await buildArticle(app.url, { content }, author);
    const hidden = await buildArticle(app.url, { content, visibility: 'PRIVATE' }, author);
    await expectStatus(send(`PUT /api/members/${author.id}/block`, mina), 200, '1');
    await expectStatus(send('POST /api/articles', author, { title: 'Owls', content }), 403, 'BLOCKED');
    await expectStatus(put(article.id, { content }), 403, 'BLOCKED');
    await expectStatus(put(id, { content: `${content} again` }), 200, '1');
    await expectStatus(send(`PUT /api/articles/${hidden.id}/visibility`, author, { visibility: 'PUBLIC' }), 200, '1');
    const draft = await buildDraft(app.url, { title: 'Owls', content }, author);
    await send(`PUT /api/drafts/${draft.id}/schedule`, author, { publishAt: timeIn(3_600) });
    await app.database.sequelize.query(`update drafts set publish_at = now() where id = ${draft.id}`);
    await addJobs(app.database, 'publish-drafts', [{ draftId: draft.id }]);
    await runJobs(app);
    expect((await send(`GET /api/drafts/${draft.id}`, author)).body?.data.publicationError).to.equal('BLOCKED');
    expect(await kindsOf(mina)).to.deep.equal(['MENTION']);
  });

  it('is a link in its HTML, also after the member is renamed, and text after the member withdraws', async () => {
    const name = mina.nickname;
    const content = `@${name}, **@${name.toUpperCase()}** \`@${name}\` @[${name}] & @nobody-${count} @toString`;
    const { id } = await buildArticle(app.url, { content }, author);
    const expected = (nickname: string) => {
      const [plain, upper] = [linkTo(mina, nickname, name), linkTo(mina, nickname, name.toUpperCase())];
      return `<p>${plain}, <strong>${upper}</strong> <code>@${name}</code> ${plain} &amp; @nobody-${count} @toString</p>\n`;
    };
    expect(await htmlOf(id)).to.equal(expected(name));
    expect(await statementsDuring(() => htmlOf(id))).to.have.lengthOf.at.most(2);
    const nickname = `Renamed & ${count}`;
    expect((await send('PATCH /api/members/me', mina, { nickname })).status).to.equal(204);
    expect(await htmlOf(id)).to.equal(expected(nickname));
    await send('DELETE /api/members/me', mina, { password: mina.password });
    expect(await htmlOf(id)).to.include(`<p>@${name},`);
    expect(await htmlOf(id)).to.not.include('/members/');
  });

  it('is a link behind a share link of the article, whether or not its HTML is stored', async () => {
    const { id } = await buildArticle(app.url, { content: at(mina), visibility: 'PRIVATE' }, author);
    const shared = (await send(`POST /api/articles/${id}/share`, author)).body?.data;
    const htmlOfShared = async () => (await call(app.url, `GET /api/shared/${shared.token}`)).body?.data.contentHtml;
    const expected = `<p>${linkTo(mina, mina.nickname)}</p>\n`;
    expect(await htmlOfShared()).to.equal(expected);
    await app.database.sequelize.query(`delete from article_html where article_id = ${id}`);
    expect(await htmlOfShared()).to.equal(expected);
  });

  it('locks pairs of members for those in the content only, however many others were in it before', async () => {
    await app.database.sequelize.query(`with added as (
        insert into members (email, member_name, nickname)
        select 'past${count}-' || n || '@example.org', 'p', 'past${count}-' || n from generate_series(1, 40) n returning id
      ) insert into article_mentions (article_id, member_id, names) select ${article.id}, id, '{}' from added`);
    const locks = await app.database.transaction(async (db) => {
      await db.query(FIND_MENTIONS, [author.id, [mina.nickname], article.id]);
      const held = await rowsIn(db, `select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`);
      return held.length;
    });
    expect(locks).to.equal(1);
  });

  it('is found without the renderer too', async () => {
    const [row] = await rowsOf<{ count: number }>(
      app.database,
      `select count(*)::integer as count from article_mentions where article_id = ${article.id}`,
    );
    expect(row?.count).to.equal(0);
    const { renderer } = app.services;
    const { run } = renderer.queue;
    renderer.queue.run = () => Promise.reject(new Error('busy'));
    try {
      await put(article.id, { content: `@${mina.nickname} \`${at(writer)}\`` });
    } finally {
      renderer.queue.run = run;
    }
    expect([await kindsOf(mina), await kindsOf(writer)]).to.deep.equal([['MENTION'], []]);
    expect(await htmlOf(article.id)).to.include(linkTo(mina, mina.nickname));
  });

  it('needs no further statement for an article without names', async () => {
    const texts = await statementsDuring(() => buildArticle(app.url, { content: 'Words' }, author));
    expect(texts.filter((text) => text.includes('article_mentions'))).to.deep.equal([]);
    await app.database.query(NOTIFY_OF_MENTIONS, [article.id]);
    expect(await kindsOf(mina)).to.deep.equal([]);
  });
});
