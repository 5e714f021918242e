/** Notifications of followers about articles: which articles are announced, to whom, and what happens between batches. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { insertArticle } from '../../src/commands/create-article.js';
import { loadExport } from '../../src/import/load.js';
import { Report } from '../../src/import/report.js';
import { deleteRowsOfReaders } from '../../src/jobs/cleanup.js';
import { announceArticle } from '../../src/jobs/notification-mails.js';
import { useApp } from '../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildMember } from '../support/build.js';
import { call, expectStatus, graphql } from '../support/client.js';
import { truncateAll } from '../support/database.js';
import { advance, buildDraft, schedule } from '../support/drafts.js';
import { makeFolder } from '../support/folder.js';
import { rowsOf } from '../support/imported.js';
import { interleave } from '../support/interleave.js';
import { runJobs, waitingJobs } from '../support/jobs.js';
import { closeLiveClients, followEvents } from '../support/live.js';
import { notificationsOf, setNotificationType, unreadOf } from '../support/notifications.js';
import { statementsDuring } from '../support/statements.js';
import { setPrivate } from '../support/visibility.js';

const app = useApp({ LIMIT_WRITES: '1000000/1m' });
afterEach(closeLiveClients);

let author: BuiltMember;
let reader: BuiltMember;
let other: BuiltMember;
beforeEach(async () => {
  await truncateAll(app.database);
  [author, reader, other] = [await buildMember(app.url), await buildMember(app.url), await buildMember(app.url)];
  for (const { token } of [reader, other]) await follow(token);
});

const follow = (token: string, method = 'PUT', { id } = author) =>
  expectStatus(call(app.url, `${method} /api/members/${id}/follow`, { token }), 200, '1');

const nextDay = () => app.database.sequelize.query('update member_counts set announced_on = announced_on - 1');

/** Titles of the announced articles, the newest first. */
async function announcedTo(member: BuiltMember): Promise<string[]> {
  const received = (await notificationsOf(app.url, member)).filter(({ type }) => type === 'ARTICLE');
  return received.map(({ message }) => /“(.*)”/.exec(message)?.[1] ?? '');
}

/** Members who only exist to follow. */
async function addFollowers({ id }: BuiltMember, count: number): Promise<void> {
  await app.database.sequelize.query(`with added as (
      insert into members (email, member_name, nickname)
      select 'f${id}-' || n || '@example.org', 'f', 'f${id}-' || n from generate_series(1, ${count}) n returning id
    ) insert into follows (follower_id, member_id) select id, ${id} from added`);
}

/** Rows of ARTICLE, members who have one, and the members whose counters differ from their rows. */
async function stateOf(articleId: number): Promise<[rows: number, members: number, wrong: number]> {
  const [found] = await rowsOf<{ rows: number; members: number; wrong: number }>(
    app.database,
    `select count(*)::int as rows, count(distinct n.member_id)::int as members,
       (select count(*)::int from notification_counts c where (c.total, c.unread) <>
          (select count(*), count(*) filter (where read_at is null) from notifications where member_id = c.member_id)) as wrong
     from notifications n where n.type = 'ARTICLE' and n.article_id = ${articleId}`,
  );
  return [found?.rows ?? -1, found?.members ?? -1, found?.wrong ?? -1];
}

const inProgress = async () =>
  (await rowsOf<{ id: number }>(app.database, 'select article_id as id from announcements order by 1')).map(
    ({ id }) => id,
  );
const announcements = async () => (await waitingJobs(app)).filter(({ task }) => task === 'announce-article').length;
const runBatch = (articleId: number) => announceArticle({ articleId }, app.services);

describe('ARTICLE', () => {
  it('notifies followers of a new article, in both APIs and languages, and no other member', async () => {
    const stranger = await buildMember(app.url);
    const live = await followEvents(app.url, reader.token);
    const { id } = await buildArticle(app.url, { title: 'Owls' }, author);
    await runJobs(app);
    const [received, ...others] = await notificationsOf(app.url, reader);
    expect(others).to.deep.equal([]);
    expect(received).to.deep.include({
      type: 'ARTICLE',
      message: `${author.nickname} published “Owls”.`,
      articleId: id,
      commentId: null,
      draftId: null,
      actor: author.nickname,
      read: false,
    });
    expect((await live.count(1))[0]).to.deep.equal(received);
    const headers = { 'Accept-Language': 'ko' };
    const korean = await call(app.url, 'GET /api/notifications', { token: other.token, headers });
    expect(korean.body?.data.contents[0].message).to.equal(`${author.nickname} 님이 “Owls” 글을 발행했습니다.`);
    const query =
      '{ me { unreadNotifications } notifications { contents { type actorName actor { id } article { id title } } } }';
    const { data } = await graphql(app.url, query, {}, reader.token);
    expect(data).to.deep.equal({
      me: { unreadNotifications: 1 },
      notifications: {
        contents: [
          {
            type: 'ARTICLE',
            actorName: author.nickname,
            actor: { id: String(author.id) },
            article: { id: String(id), title: 'Owls' },
          },
        ],
      },
    });
    expect(await announcedTo(stranger)).to.deep.equal([]);
    // Only that of each new follower.
    expect((await notificationsOf(app.url, author)).map(({ type }) => type)).to.deep.equal(['FOLLOW', 'FOLLOW']);
    expect(await inProgress()).to.deep.equal([]);
  });

  it('can be switched off and on, and is on at first', async () => {
    await setNotificationType(app.url, reader, 'ARTICLE', false);
    await buildArticle(app.url, { title: 'Owls' }, author);
    await runJobs(app);
    expect([await announcedTo(reader), await announcedTo(other)]).to.deep.equal([[], ['Owls']]);
    await setNotificationType(app.url, reader, 'ARTICLE', true);
    await buildArticle(app.url, { title: 'Larks' }, author);
    await runJobs(app);
    expect(await announcedTo(reader)).to.deep.equal(['Larks']);
  });

  it('is caused once by each way in which an article first becomes public, and by no other change', async () => {
    const { token } = author;
    const put = (path: string, json: object) => expectStatus(call(app.url, `PUT ${path}`, { token, json }), 200, '1');
    const publish = (id: number) => expectStatus(call(app.url, `POST /api/drafts/${id}/publish`, { token }), 200, '1');

    const created = await buildArticle(app.url, { title: 'created' }, author);
    const create = 'mutation ($input: CreateArticleInput!) { createArticle(input: $input) { id } }';
    await graphql(app.url, create, { input: { title: 'over GraphQL', content: 'x' } }, token);
    await publish((await buildDraft(app.url, { title: 'a draft' }, author)).id);
    await schedule(app.url, await buildDraft(app.url, { title: 'scheduled' }, author));
    await advance(app, 2);
    await runJobs(app);
    const hidden = await buildArticle(app.url, { title: 'private before', visibility: 'PRIVATE' }, author);
    await runJobs(app);
    const first = ['scheduled', 'a draft', 'over GraphQL', 'created'];
    expect(await announcedTo(reader)).to.deep.equal(first);
    await setPrivate(app.url, hidden, false);
    await runJobs(app);
    expect(await announcedTo(reader)).to.deep.equal(['private before', ...first]);
    await nextDay();

    const edited = await buildArticle(app.url, { title: 'private, edited', visibility: 'PRIVATE' }, author);
    await put(`/api/articles/${edited.id}`, { title: 'edited', content: 'x', visibility: 'PUBLIC' });
    const drafted = await buildArticle(app.url, { title: 'private, with a draft', visibility: 'PRIVATE' }, author);
    const started = await call(app.url, `PUT /api/articles/${drafted.id}/draft`, { token });
    const changes = { title: 'from its draft', visibility: 'PUBLIC' };
    await expectStatus(call(app.url, `PATCH /api/drafts/${started.body?.data.id}`, { token, json: changes }), 200, '1');
    await publish(started.body?.data.id);
    await runJobs(app);
    const all = ['from its draft', 'edited', 'private before', ...first];
    expect(await announcedTo(reader)).to.deep.equal(all);
    await nextDay();

    await put(`/api/articles/${created.id}`, { title: 'created', content: 'another text' });
    for (const { id } of [edited, created]) {
      await setPrivate(app.url, { id, author });
      await setPrivate(app.url, { id, author }, false);
    }
    expect(await announcements()).to.equal(0);
    await runJobs(app);
    expect(await announcedTo(reader)).to.deep.equal(all.filter((title) => title !== 'created' && title !== 'edited'));
    expect((await stateOf(created.id))[2]).to.equal(0);
  });

  it('is not caused by articles from before the migration, by imports and by backdated articles', async () => {
    const { id } = await buildArticle(app.url, { title: 'before' }, author);
    await app.database.sequelize.query('delete from announcements');
    await runJobs(app);
    await setPrivate(app.url, { id, author });
    await setPrivate(app.url, { id, author }, false);
    const file = join(await makeFolder(), 'import.md');
    await writeFile(file, '---\ntitle: imported\n---\n\nText\n');
    const report = new Report();
    await loadExport(async () => app.database, file, report, { authorEmail: author.email });
    const [imported] = await rowsOf<{ id: number }>(app.database, `select id from articles where title = 'imported'`);
    expect(imported?.id).to.be.above(id);
    await setPrivate(app.url, { id: imported?.id ?? 0, author });
    await setPrivate(app.url, { id: imported?.id ?? 0, author }, false);
    const backdated = {
      memberId: author.id,
      input: { title: 'backdated', content: 'x' },
      rendered: null,
      createdAt: new Date(0),
    };
    await app.database.transaction((db) => insertArticle(db, backdated));
    expect(await announcements()).to.equal(0);
    await runJobs(app);
    expect(await announcedTo(reader)).to.deep.equal([]);
  });

  it('is caused by five articles of an author in a day, also by parallel ones, and by none of an author without followers', async () => {
    await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        const hidden = await buildArticle(app.url, { visibility: n < 4 ? 'PRIVATE' : 'PUBLIC' }, author);
        if (n < 4) await setPrivate(app.url, hidden, false);
      }),
    );
    const alone = await buildArticle(app.url, {}, other);
    expect(await announcements()).to.equal(5);
    await runJobs(app);
    expect(await announcedTo(reader)).to.have.length(5);
    const [found] = await notificationsOf(app.url, reader);
    await expectStatus(call(app.url, `DELETE /api/articles/${found?.articleId}`, { token: author.token }), 200, '1');
    await buildArticle(app.url, {}, author);
    await runJobs(app);
    expect(await announcedTo(reader), 'after a deletion').to.have.length(4);
    await nextDay();
    await buildArticle(app.url, { title: 'Tomorrow' }, author);
    await follow(reader.token, 'PUT', other);
    await setPrivate(app.url, alone);
    await setPrivate(app.url, alone, false);
    await runJobs(app);
    expect((await announcedTo(reader))[0]).to.equal('Tomorrow');
    expect(await announcedTo(reader)).to.have.length(5);
  });

  it('adds one statement to the creation of an article, and a rolled back one causes none', async () => {
    const created = await statementsDuring(() => buildArticle(app.url, {}, author));
    expect(created.filter((text) => text.includes('announcements'))).to.have.length(1);
    const json = { title: 'In vain', content: 'x', slug: 'taken' };
    await buildArticle(app.url, { slug: 'taken' }, author);
    await expectStatus(call(app.url, 'POST /api/articles', { token: author.token, json }), 409, 'SLUG_TAKEN');
    expect(await announcements()).to.equal(2);
  });
});

describe('The batches of followers', () => {
  let article: BuiltArticle;
  /** Two batches of 200, and one of two: the last followers are `late`. */
  let late: BuiltMember[];
  beforeEach(async () => {
    await addFollowers(author, 398);
    late = [await buildMember(app.url), await buildMember(app.url)];
    for (const { token } of late) await follow(token);
    article = await buildArticle(app.url, { title: 'Owls' }, author);
  });

  it('take turns with those of another author, who has few followers', async () => {
    await follow(reader.token, 'PUT', other);
    const small = await buildArticle(app.url, { title: 'Larks' }, other);
    await runJobs(app);
    const order = await rowsOf<{ id: number; first: number; last: number }>(
      app.database,
      `select article_id as id, min(id) as first, max(id) as last from notifications where type = 'ARTICLE' group by 1`,
    );
    const [owls, larks] = [article.id, small.id].map((id) => order.find((row) => row.id === id));
    expect(larks?.first)
      .to.be.above(owls?.first ?? 0)
      .and.below(owls?.last ?? 0);
    expect([await stateOf(article.id), await stateOf(small.id)]).to.deep.equal([
      [402, 402, 0],
      [1, 1, 0],
    ]);
  });

  it('are notified once each if jobs run again, or at the same time in several processes', async () => {
    await Promise.all([runBatch(article.id), runBatch(article.id)]);
    expect(await stateOf(article.id)).to.deep.equal([400, 400, 0]);
    await runJobs(app);
    await runBatch(article.id);
    expect(await stateOf(article.id)).to.deep.equal([402, 402, 0]);
    expect([await inProgress(), await announcements()]).to.deep.equal([[], 0]);
  });

  it('check again who follows, who has switched the type off, and whom the author has blocked', async () => {
    const blocked = await buildMember(app.url);
    await follow(blocked.token);
    await runBatch(article.id);
    const [left, off] = late as [BuiltMember, BuiltMember];
    await follow(left.token, 'DELETE');
    await expectStatus(call(app.url, `PUT /api/members/${blocked.id}/block`, { token: author.token }), 200, '1');
    await setNotificationType(app.url, off, 'ARTICLE', false);
    const joined = await buildMember(app.url);
    await follow(joined.token);
    await runJobs(app);
    for (const member of [left, off, blocked]) expect(await announcedTo(member)).to.deep.equal([]);
    expect(await announcedTo(joined)).to.deep.equal(['Owls']);
  });

  it('end when the article becomes private or is deleted, and leave no notification', async () => {
    const deleted = await buildArticle(app.url, { title: 'Larks' }, author);
    for (const { id } of [article, deleted]) await runBatch(id);
    expect((await stateOf(article.id))[0]).to.equal(200);
    await setPrivate(app.url, article);
    await expectStatus(call(app.url, `DELETE /api/articles/${deleted.id}`, { token: author.token }), 200, '1');
    await setPrivate(app.url, article, false);
    await runJobs(app);
    expect([await stateOf(article.id), await stateOf(deleted.id)]).to.deep.equal([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    expect([await inProgress(), await unreadOf(app.url, reader), await announcements()]).to.deep.equal([[], 0, 0]);
  });

  it('leave no notification when the article becomes private at the same time', async () => {
    await runBatch(article.id);
    await interleave(app, {
      lock: `select from all_articles where id = ${article.id} for update`,
      request: () => runBatch(article.id),
      change: `update all_articles set is_private = true where id = ${article.id}`,
    });
    expect([await stateOf(article.id), await inProgress()]).to.deep.equal([[0, 0, 0], []]);
    const second = await buildArticle(app.url, {}, author);
    const changes = [runBatch(second.id), setPrivate(app.url, second), runBatch(second.id), runBatch(second.id)];
    await Promise.all(changes);
    expect([await stateOf(second.id), await inProgress()]).to.deep.equal([[0, 0, 0], []]);
  });

  it('leave out members who withdraw at the same time, and end with the author', async () => {
    const [left] = late as [BuiltMember];
    await runBatch(article.id);
    const leave = ({ token, password }: BuiltMember) =>
      expectStatus(call(app.url, 'DELETE /api/members/me', { token, json: { password } }), 200, '1');
    await Promise.all([runBatch(article.id), leave(left), runBatch(article.id)]);
    await deleteRowsOfReaders({}, app.services, { signal: new AbortController().signal });
    expect(await stateOf(article.id)).to.deep.equal([401, 401, 0]);
    await leave(author);
    await runJobs(app);
    expect(await stateOf(article.id)).to.deep.equal([0, 0, 0]);
  });

  it('are announced to streams with one message of the database each', async () => {
    const client = new pg.Client({ connectionString: app.database.url });
    await client.connect();
    const payloads: string[] = [];
    client.on('notification', ({ payload = '' }) => payloads.push(payload));
    await client.query('listen daybook_notifications');
    const live = await followEvents(app.url, (late[0] as BuiltMember).token);
    await runJobs(app);
    expect((await live.count(1)).map(({ type }) => type)).to.deep.equal(['ARTICLE']);
    await client.query('select 1');
    await client.end();
    expect(payloads.map((payload) => payload.split(',').length)).to.deep.equal([200, 200, 1, 1]);
  });
});
