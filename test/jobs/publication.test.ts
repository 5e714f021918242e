/** The job that publishes scheduled drafts, and what its author sees of it. */
import { expect } from 'chai';
import { failPublication } from '../../src/commands/publish-draft.js';
import { backfills, schedule as cron } from '../../src/jobs/tasks.js';
import { ADD_RENDERING } from '../../src/models/article/html.js';
import type { ScheduledDraft } from '../../src/models/draft/publication.js';
import { LOCK_ACCOUNT, UNLOCK_ACCOUNT } from '../../src/models/member/administration.js';
import type { Scope } from '../../src/models/session/api-token.js';
import { buildApiToken } from '../support/api-tokens.js';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../support/build.js';
import { call, graphql } from '../support/client.js';
import { advance, type BuiltDraft, buildDraft, schedule } from '../support/drafts.js';
import { rowsOf } from '../support/imported.js';
import { interleave, untilWaiting } from '../support/interleave.js';
import { addJobs, runJobs, type WaitingJob, waitingJobs } from '../support/jobs.js';
import { closeLiveClients, FOLLOWERS, type LiveClient } from '../support/live.js';
import { type Notified, notificationsOf, setNotificationType } from '../support/notifications.js';
import { occupyRenderer } from '../support/renderer.js';
import { statementsDuring } from '../support/statements.js';
import { until } from '../support/until.js';

const app = useApp();
const query = (text: string) => app.database.sequelize.query(text);

async function draftOf({ id, author }: BuiltDraft) {
  return (await call(app.url, `GET /api/drafts/${id}`, { token: author.token })).body?.data;
}

/** Those of a member, oldest first. */
async function articlesOf({ id }: BuiltMember) {
  const { body } = await call(app.url, `GET /api/articles?memberId=${id}&size=100&sort=createdAt,asc`);
  return body?.data.contents;
}

/** What is stored of the articles of a member. */
function textsOf({ id }: BuiltMember) {
  return rowsOf(
    app.database,
    `select h.html, t.text, a.excerpt from articles a join article_html h on h.article_id = a.id
     join article_texts t on t.article_id = a.id where a.member_id = ${id}`,
  );
}

const TIDE = [{ html: '<p>The <strong>tide</strong>.</p>\n', text: '\nThe tide.', excerpt: 'The tide.' }];

async function scheduled(): Promise<WaitingJob[]> {
  return (await waitingJobs(app)).filter(({ task }) => task === 'publish-drafts');
}

async function publishDue(hours = 2): Promise<void> {
  await advance(app, hours);
  await runJobs(app);
}

/** The status of a draft that was not published, and the notification of it. */
async function expectFailure(draft: BuiltDraft, key: string): Promise<void> {
  const { publishAt, publicationError, title } = await draftOf(draft);
  expect([publishAt, publicationError]).to.deep.equal([null, key]);
  const [notified, ...others] = await notificationsOf(app.url, draft.author);
  expect(others.filter(({ draftId }) => draftId === draft.id)).to.deep.equal([]);
  expect(notified).to.deep.include({ type: 'PUBLICATION', draftId: draft.id, articleId: null, actor: null });
  expect(notified?.message).to.equal(`Your draft “${title}” could not be published as scheduled.`);
}

/** Before each test of the calling `describe`. */
function useEmptyQueue(): void {
  beforeEach(async () => {
    await query('delete from drafts');
    await query('delete from graphile_worker._private_jobs');
  });
}

describe('A scheduled draft', () => {
  useEmptyQueue();
  it('is published at its time, and its author is notified', async () => {
    const draft = await buildDraft(app.url, { title: 'Tides', tags: ['sea'] });
    await schedule(app.url, draft);
    const [{ seconds = 0 } = {}] = await scheduled();
    expect(seconds).to.be.within(3_500, 3_600);
    await runJobs(app);
    expect(await articlesOf(draft.author)).to.deep.equal([]);
    const before = Math.floor(app.database.now() / 1_000) * 1_000;
    await publishDue();
    const [article, ...more] = await articlesOf(draft.author);
    expect(more).to.deep.equal([]);
    expect(article).to.deep.include({ title: 'Tides', tags: ['sea'], category: 'General' });
    expect(Date.parse(`${article.createdAt}Z`)).to.be.at.least(before);
    const { status } = await call(app.url, `GET /api/drafts/${draft.id}`, { token: draft.author.token });
    expect(status).to.equal(404);
    const [notified, ...others] = await notificationsOf(app.url, draft.author);
    expect(others).to.deep.equal([]);
    expect(notified).to.deep.include({ type: 'PUBLICATION', articleId: article.id, draftId: null, actor: null });
    expect(notified?.message).to.equal('“Tides” was published as scheduled.');
  });

  it('is published with what its author has changed since', async () => {
    const draft = await buildDraft(app.url);
    await schedule(app.url, draft);
    const json = { content: 'The **later** text.' };
    const { body } = await call(app.url, `PATCH /api/drafts/${draft.id}`, { token: draft.author.token, json });
    expect(body?.data.publishAt).to.be.a('string');
    await publishDue();
    const [{ id }] = await articlesOf(draft.author);
    expect((await call(app.url, `GET /api/articles/${id}`)).body?.data.content).to.equal('The **later** text.');
  });

  it('is published in the order of the times, after those that were due before', async () => {
    const author = await buildMember(app.url);
    const titles = ['third', 'first', 'second', 'fourth'];
    for (const [index, seconds] of [900, 300, 600, 1_200].entries()) {
      await schedule(app.url, await buildDraft(app.url, { title: titles[index] }, author), seconds);
    }
    // The job of the last one runs first.
    await advance(app, 2);
    await query(`update graphile_worker._private_jobs set run_at = now() - interval '1 day'
      where id = (select max(id) from graphile_worker._private_jobs)`);
    await runJobs(app);
    const published = (await articlesOf(author)).map(({ title }: { title: string }) => title);
    expect(published).to.deep.equal(['first', 'second', 'third', 'fourth']);
    expect(await scheduled()).to.deep.equal([]);
  });

  it('is published before most of those that other members have scheduled earlier', async () => {
    const accounts = await Promise.all(Array.from({ length: 5 }, () => buildMember(app.url)));
    for (const [index, account] of accounts.entries()) {
      for (let count = 0; count < 4; count++) {
        await schedule(app.url, await buildDraft(app.url, { title: `x${index}` }, account), 300);
      }
    }
    const other = await buildDraft(app.url, { title: 'other' });
    await schedule(app.url, other, 600);
    await publishDue();
    const { body } = await call(app.url, 'GET /api/articles?size=21');
    const titles = body?.data.contents.map(({ title }: { title: string }) => title).reverse();
    const members = ['x0', 'x1', 'x2', 'x3', 'x4'];
    expect(titles).to.deep.equal([...members, 'other', ...members, ...members, ...members]);
  });

  it('is public with its HTML and excerpt at once, also where many are due at one time', async () => {
    const drafts = await Promise.all(
      Array.from({ length: 6 }, () => buildDraft(app.url, { content: 'The **tide**.\n\n```\ncode\n```' })),
    );
    for (const draft of drafts) await schedule(app.url, draft);
    const statements = await statementsDuring(() => publishDue());
    for (const { author } of drafts) {
      const { body } = await call(app.url, `GET /api/articles?memberId=${author.id}&include=contentHtml`);
      expect(body?.data.contents).to.have.length(1);
      expect(body?.data.contents[0].contentHtml).to.include('<strong>tide</strong>');
    }
    // None is rendered after its publication, which would be a change of the article.
    const rendered = statements.filter((sql) => sql.includes('insert into article_html'));
    expect(rendered).to.deep.equal(drafts.map(() => ADD_RENDERING.text));
  });

  it('waits for its HTML while the renderer is occupied, and is published by the next attempt', async () => {
    const draft = await buildDraft(app.url, { content: 'The **tide**.' });
    await schedule(app.url, draft);
    const release = occupyRenderer(app);
    await publishDue();
    await release();
    expect(await articlesOf(draft.author)).to.deep.equal([]);
    expect(await draftOf(draft)).to.deep.include({ publicationError: null });
    await publishDue();
    expect(await textsOf(draft.author)).to.deep.equal(TIDE);
  });

  it('is published at the fifth attempt while the renderer is occupied, and rendered by a job afterwards', async () => {
    const draft = await buildDraft(app.url, { content: 'The **tide**.' });
    await schedule(app.url, draft);
    await advance(app, 2);
    await query('update graphile_worker._private_jobs set attempts = 4');
    const release = occupyRenderer(app);
    const running = runJobs(app);
    await until(async () => (await articlesOf(draft.author)).length === 1);
    await Promise.all([release(), running]);
    expect(await textsOf(draft.author)).to.deep.equal(TIDE);
    expect(await waitingJobs(app)).to.satisfy((jobs: WaitingJob[]) =>
      jobs.every(({ task }) => task !== 'render-articles'),
    );
  });

  it('has a job at most a day ahead, which adds the next one', async () => {
    const draft = await buildDraft(app.url);
    await schedule(app.url, draft, 3 * 86_400);
    for (let day = 0; day < 2; day++) {
      const [{ seconds = 0 } = {}, ...others] = await scheduled();
      expect(others).to.deep.equal([]);
      expect(seconds).to.be.within(86_000, 86_400);
      await publishDue(24);
    }
    expect(await articlesOf(draft.author)).to.deep.equal([]);
    await publishDue(24);
    expect(await articlesOf(draft.author)).to.have.length(1);
    expect(await scheduled()).to.deep.equal([]);
  });

  it('waits an hour longer when the clock of the database is set back by an hour', async () => {
    const draft = await buildDraft(app.url);
    await schedule(app.url, draft, 300);
    await advance(app, 1);
    await query(`update drafts set publish_at = publish_at + interval '1 hour'`);
    await runJobs(app);
    expect(await articlesOf(draft.author)).to.deep.equal([]);
    const [{ seconds = 0 } = {}, ...others] = await scheduled();
    expect(others).to.deep.equal([]);
    expect(seconds).to.be.within(200, 300);
    await publishDue(1);
    expect(await articlesOf(draft.author)).to.have.length(1);
  });

  it('is an edit of its article', async () => {
    const article = await buildArticle(app.url, { title: 'Before', tags: ['old'] });
    const { author } = article;
    const started = await call(app.url, `PUT /api/articles/${article.id}/draft`, { token: author.token });
    const draft = { id: started.body?.data.id, author };
    const json = { title: 'After', tags: ['new'] };
    await call(app.url, `PATCH /api/drafts/${draft.id}`, { token: author.token, json });
    await schedule(app.url, draft);
    const before = (await call(app.url, `GET /api/articles/${article.id}`)).body?.data;
    await publishDue();
    const after = (await call(app.url, `GET /api/articles/${article.id}`)).body?.data;
    expect(after).to.deep.include({ title: 'After', tags: ['new'], revision: 2, createdAt: before.createdAt });
    expect((await notificationsOf(app.url, author))[0]).to.deep.include({ articleId: article.id, draftId: null });
  });
});

describe('A changed schedule', () => {
  useEmptyQueue();
  const publishAt = (hours: number) => `update drafts set publish_at = now() + ${hours} * interval '1 hour'`;
  const lock = 'select from drafts for update';
  let draft: BuiltDraft;
  beforeEach(async () => {
    draft = await buildDraft(app.url);
    await schedule(app.url, draft);
  });

  it('has one job, at its new time', async () => {
    await schedule(app.url, draft, 7_200);
    const [{ seconds = 0 } = {}, ...others] = await scheduled();
    expect(others).to.deep.equal([]);
    expect(seconds).to.be.within(7_000, 7_200);
  });

  for (const [name, change] of [
    ['later', publishAt(1)],
    ['removed', 'update drafts set publish_at = null'],
    ['with its draft', 'delete from drafts'],
  ] as const) {
    it(`does not run if it is changed (${name}) while its job waits for the draft`, async () => {
      await advance(app, 2);
      await interleave(app, { lock, request: () => runJobs(app), change });
      expect(await articlesOf(draft.author)).to.deep.equal([]);
      expect(await notificationsOf(app.url, draft.author)).to.deep.equal([]);
    });
  }

  it('publishes what is saved while its job waits for the draft', async () => {
    await advance(app, 2);
    const change = `update drafts set content = 'Saved *late*.', revision = revision + 1`;
    await interleave(app, { lock, request: () => runJobs(app), change });
    const text = '{ articles(size: 1) { contents { content contentHtml } } }';
    const { data } = await graphql(app.url, text);
    const [article] = data.articles.contents;
    expect(article).to.deep.equal({ content: 'Saved *late*.', contentHtml: '<p>Saved <em>late</em>.</p>\n' });
  });

  it('has the HTML of what is saved twice while its job waits for the draft', async () => {
    await advance(app, 2);
    const save = (content: string) => `update drafts set content = '${content}', revision = revision + 1`;
    const running = interleave(app, { lock, request: () => runJobs(app), change: save('Once.'), waiting: 2 });
    await untilWaiting(app.database, 1);
    await interleave(app, { lock, request: async () => {}, change: save('The **tide**.') });
    await running;
    expect(await textsOf(draft.author)).to.deep.equal(TIDE);
  });

  it('is published with a text that is corrected while its job waits for the draft', async () => {
    await query(`update drafts set content = ''`);
    await advance(app, 2);
    const change = `update drafts set content = 'Corrected.', revision = revision + 1`;
    await interleave(app, { lock, request: () => runJobs(app), change });
    expect(await articlesOf(draft.author)).to.have.length(1);
  });

  it('does not run if it is removed over the API, and has no error then', async () => {
    const { token } = draft.author;
    const { body } = await call(app.url, `DELETE /api/drafts/${draft.id}/schedule`, { token });
    expect(body?.data).to.deep.include({ publishAt: null, publicationError: null });
    await publishDue();
    expect(await articlesOf(draft.author)).to.deep.equal([]);
  });
});

describe('A publication that fails', () => {
  useEmptyQueue();
  let draft: BuiltDraft;
  beforeEach(async () => {
    draft = await buildDraft(app.url);
    await schedule(app.url, draft);
  });

  it('names what the article lacks', async () => {
    const { token } = draft.author;
    await call(app.url, `PATCH /api/drafts/${draft.id}`, { token, json: { content: '' } });
    await publishDue();
    await expectFailure(draft, 'VALIDATION_FAILED');
    await runJobs(app);
    await expectFailure(draft, 'VALIDATION_FAILED');
  });

  it('does not overwrite an article that has been changed', async () => {
    const article = await buildArticle(app.url, {}, draft.author);
    const { token } = draft.author;
    const { body } = await call(app.url, `PUT /api/articles/${article.id}/draft`, { token });
    const edit = { id: body?.data.id, author: draft.author };
    await schedule(app.url, edit);
    const json = { title: 'Changed', content: 'Meanwhile' };
    await call(app.url, `PUT /api/articles/${article.id}`, { token, json });
    await call(app.url, `DELETE /api/drafts/${draft.id}`, { token });
    await publishDue();
    await expectFailure(edit, 'REVISION_CONFLICT');
    expect((await call(app.url, `GET /api/articles/${article.id}`)).body?.data.title).to.equal('Changed');
  });

  it('is recorded only for the text and the time that were read', async () => {
    const [rows] = await query('select id, publish_at as "publishAt", revision from drafts');
    const read = rows[0] as ScheduledDraft;
    const later = new Date(read.publishAt.getTime() + 1);
    for (const outdated of [{ revision: read.revision + 1 }, { publishAt: later }]) {
      await failPublication(app.database, { ...read, ...outdated }, 'SLUG_TAKEN');
      expect(await draftOf(draft)).to.deep.include({ publicationError: null });
      expect(await notificationsOf(app.url, draft.author)).to.deep.equal([]);
    }
    await failPublication(app.database, read, 'SLUG_TAKEN');
    await expectFailure(draft, 'SLUG_TAKEN');
  });

  it('does not take the slug of another article', async () => {
    await call(app.url, `PATCH /api/drafts/${draft.id}`, { token: draft.author.token, json: { slug: 'low-tide' } });
    await buildArticle(app.url, { slug: 'low-tide' });
    await publishDue();
    await expectFailure(draft, 'SLUG_TAKEN');
  });

  it('is that of a locked account, also if it is locked while the job waits', async () => {
    await advance(app, 2);
    const lock = 'select from members for no key update';
    const change = `update members set locked_at = now() where id = ${draft.author.id}`;
    await interleave(app, { lock, request: () => runJobs(app), change });
    await app.database.query(UNLOCK_ACCOUNT, [draft.author.id]);
    await expectFailure(draft, 'ACCOUNT_LOCKED');
  });

  it('publishes nothing of a locked account, and everything of others', async () => {
    const other = await buildDraft(app.url);
    await schedule(app.url, other);
    await app.database.query(LOCK_ACCOUNT, [draft.author.id]);
    await publishDue();
    expect(await articlesOf(draft.author)).to.deep.equal([]);
    expect(await articlesOf(other.author)).to.have.length(1);
  });

  it('ends with the next schedule, and its notification with the draft', async () => {
    const { token } = draft.author;
    await call(app.url, `PATCH /api/drafts/${draft.id}`, { token, json: { title: '' } });
    await publishDue();
    const [notified] = await notificationsOf(app.url, draft.author);
    expect(notified?.message).to.equal('Your draft without a title could not be published as scheduled.');
    await call(app.url, `PATCH /api/drafts/${draft.id}`, { token, json: { title: 'Now with one' } });
    await schedule(app.url, draft);
    expect(await draftOf(draft)).to.deep.include({ publicationError: null });
    await publishDue();
    expect((await notificationsOf(app.url, draft.author)).map(({ draftId }) => draftId)).to.deep.equal([null]);
  });

  it('that is not the fault of the author is tried again, and does not delay others', async () => {
    await query(`update drafts set title = 'Fails'`);
    const other = await buildDraft(app.url);
    await schedule(app.url, other);
    await query(`alter table all_articles add constraint failing check (title <> 'Fails') not valid`);
    await publishDue();
    expect(await articlesOf(other.author)).to.have.length(1);
    expect(await draftOf(draft)).to.deep.include({ publicationError: null });
    const [job, ...others] = await scheduled();
    expect(others).to.deep.equal([]);
    expect(job?.attempts).to.equal(1);
    await query('alter table all_articles drop constraint failing');
    await publishDue();
    expect(await articlesOf(draft.author)).to.have.length(1);
    expect(await scheduled()).to.deep.equal([]);
  });
});

describe('A scheduled draft whose category is deleted', () => {
  useEmptyQueue();
  for (const isEdit of [false, true]) {
    for (const isFirst of [true, false]) {
      const order = `${isEdit ? 'as an edit, ' : ''}${isFirst ? 'before' : 'after'} the deletion waits for its row`;
      it(`is published in the default category, ${order}`, async () => {
        const author = await buildMember(app.url);
        const { token } = author;
        const json = { categoryName: 'Shelf' };
        const shelf = (await call(app.url, 'POST /api/categories', { token, json })).body?.data.id;
        const edited = isEdit ? await buildArticle(app.url, { category: 'Shelf' }, author) : null;
        const started = edited && (await call(app.url, `PUT /api/articles/${edited.id}/draft`, { token })).body?.data;
        const draft = edited ? { id: started.id, author } : await buildDraft(app.url, { category: 'Shelf' }, author);
        await schedule(app.url, draft);
        await advance(app, 2);
        const requests = [() => runJobs(app), () => call(app.url, `DELETE /api/categories/${shelf}`, { token })];
        const running: Promise<unknown>[] = [];
        await interleave(app, {
          lock: edited
            ? `select from all_articles where id = ${edited.id} for update`
            : `select from drafts where id = ${draft.id} for update`,
          request: async () => {
            for (const [index, request] of (isFirst ? requests : requests.toReversed()).entries()) {
              await untilWaiting(app.database, index);
              running.push(request());
            }
          },
          change: 'select',
          waiting: 2,
        });
        const responses = (await Promise.all(running)).filter((response) => response !== undefined);
        expect(responses).to.have.nested.property('[0].status', 200);
        const [published, ...others] = await articlesOf(author);
        expect([published.category, others]).to.deep.equal(['General', []]);
        expect((await notificationsOf(app.url, author))[0]).to.include({
          type: 'PUBLICATION',
          articleId: published.id,
        });
      });
    }
  }
});

describe('Jobs of schedules that were lost', () => {
  useEmptyQueue();
  const jobs = 'graphile_worker._private_jobs';
  const resume = async () => {
    await addJobs(app.database, 'resume-schedules', [{}]);
    await runJobs(app);
  };

  it('are added again each hour and at each start, and the others stay', async () => {
    const author = await buildMember(app.url);
    const drafts: BuiltDraft[] = [];
    for (const title of ['Deleted', 'Failed', 'Waiting']) drafts.push(await buildDraft(app.url, { title }, author));
    for (const one of drafts) await schedule(app.url, one);
    const [deleted, failed, waiting] = drafts.map(({ id }) => `publish-drafts:${id}`);
    await query(`delete from ${jobs} where key = '${deleted}'`);
    await query(`update ${jobs} set attempts = max_attempts, last_error = 'x' where key = '${failed}'`);
    await query(`update ${jobs} set attempts = 1, run_at = now() + interval '5 minutes' where key = '${waiting}'`);
    for (let hour = 0; hour < 2; hour++) await resume();
    const states = (await scheduled()).map(({ payload, attempts, seconds }) => [payload, attempts, seconds > 600]);
    const [draftId, failedId, waitingId] = drafts.map(({ id }) => id);
    expect(states).to.have.deep.members([
      [{ draftId }, 0, true],
      // The failed job stays for operators, without its key.
      [{ draftId: failedId }, 25, true],
      [{ draftId: failedId }, 0, true],
      [{ draftId: waitingId }, 1, false],
    ]);
    await publishDue();
    expect(await articlesOf(author)).to.have.length(3);
    expect(cron.map(({ task, match }) => ({ task, match }))).to.deep.include({
      task: 'resume-schedules',
      match: '47 * * * *',
    });
    expect(backfills.map(({ name }) => name)).to.include('resume-schedules');
  });

  it('are added in batches', async () => {
    const members = 6;
    for (let number = 0; number < members; number++) {
      const { id } = await buildMember(app.url);
      await query(`insert into drafts (member_id, title, content, publish_at)
        select ${id}, 'Tides', 'x', now() + n * interval '1 hour' from generate_series(1, 200) n`);
    }
    const statements = await statementsDuring(resume);
    expect(statements.filter((text) => text.includes('from batch'))).to.have.length(3);
    expect(await scheduled()).to.have.length(members * 200);
    const [{ seconds = 0 } = {}] = (await scheduled()).toSorted((one, other) => other.seconds - one.seconds);
    expect(seconds).to.be.at.most(86_400);
  });

  it('are not added for a draft that is published meanwhile', async () => {
    const draft = await buildDraft(app.url);
    await schedule(app.url, draft);
    await query(`delete from ${jobs}`);
    await call(app.url, `POST /api/drafts/${draft.id}/publish`, { token: draft.author.token });
    await resume();
    expect(await scheduled()).to.deep.equal([]);
  });
});

describe('Notifications of publications', () => {
  useEmptyQueue();
  it('are not created where the type is disabled', async () => {
    const draft = await buildDraft(app.url);
    await setNotificationType(app.url, draft.author, 'PUBLICATION', false);
    await schedule(app.url, draft);
    await publishDue();
    expect(await notificationsOf(app.url, draft.author)).to.deep.equal([]);
    expect(await articlesOf(draft.author)).to.have.length(1);
  });

  it('over GraphQL have a draft or an article', async () => {
    const draft = await buildDraft(app.url);
    const failing = await buildDraft(app.url, {}, draft.author);
    for (const one of [draft, failing]) await schedule(app.url, one);
    await query(`update drafts set title = '' where id = ${failing.id}`);
    await publishDue();
    const text = '{ notifications { contents { type articleId draftId article { title } actor { id } outcome } } }';
    const { data } = await graphql(app.url, text, {}, draft.author.token);
    const common = { type: 'PUBLICATION', actor: null, outcome: null };
    const [{ id, title }] = await articlesOf(draft.author);
    expect(data.notifications.contents).to.deep.equal([
      { ...common, articleId: null, draftId: String(failing.id), article: null },
      { ...common, articleId: String(id), draftId: null, article: { title } },
    ]);
  });
});

/** Scopes of tokens, and whether each notification that they see is about the draft, newest first. */
const READERS: readonly [scopes: readonly Scope[], ...isOfDraft: boolean[]][] = [
  [['notifications']],
  [['notifications', 'read'], false],
  [['notifications', 'articles'], true, false],
];

describe('Private texts', () => {
  useEmptyQueue();
  afterEach(closeLiveClients);

  it('are published as such, and shown in notifications only to tokens that can read them', async () => {
    const draft = await buildDraft(app.url, { visibility: 'PRIVATE' });
    const failing = await buildDraft(app.url, {}, draft.author);
    for (const one of [draft, failing]) await schedule(app.url, one);
    await query(`update drafts set content = '' where id = ${failing.id}`);
    await publishDue();
    expect(await articlesOf(draft.author)).to.deep.equal([]);
    const own = await call(app.url, 'GET /api/articles/me', { token: draft.author.token });
    expect(own.body?.data.contents.map(({ visibility }: { visibility: string }) => visibility)).to.deep.equal([
      'PRIVATE',
    ]);
    for (const [scopes, ...expected] of READERS) {
      const { token } = await buildApiToken(app.url, draft.author, scopes);
      for (const unreadOnly of [true, false]) {
        const { body } = await call(app.url, `GET /api/notifications?unreadOnly=${unreadOnly}`, { token });
        const isOfDraft = body?.data.contents.map(({ draftId }: Notified) => draftId !== null);
        expect([isOfDraft, body?.data.pagination.totalElements]).to.deep.equal([expected, expected.length]);
      }
    }
  });

  it('are delivered by streams, and marked, only with tokens that can read them', async () => {
    const draft = await buildDraft(app.url, { visibility: 'PRIVATE' });
    const failing = await buildDraft(app.url, {}, draft.author);
    for (const one of [draft, failing]) await schedule(app.url, one);
    await query(`update drafts set content = '' where id = ${failing.id}`);
    const streams: LiveClient[][] = [];
    for (const [scopes] of READERS) {
      const { token } = await buildApiToken(app.url, draft.author, scopes);
      streams.push(await Promise.all(Object.values(FOLLOWERS).map((follow) => follow(app.url, token))));
    }
    await publishDue();
    const [failure] = await notificationsOf(app.url, draft.author);
    expect(failure?.draftId).to.equal(failing.id);
    // The last reader receives both after the others would have.
    for (const [index, [scopes, ...expected]] of READERS.toReversed().entries()) {
      for (const stream of streams.toReversed()[index] ?? [])
        expect(await stream.count(expected.length), scopes.join()).to.have.length(expected.length);
      const { token } = await buildApiToken(app.url, draft.author, scopes);
      const { status } = await call(app.url, `PUT /api/notifications/${failure?.id}`, { token });
      expect(status, scopes.join()).to.equal(expected.includes(true) ? 200 : 404);
    }
  });
});

describe('Scheduled drafts', () => {
  useEmptyQueue();
  it('end with the account of their author', async () => {
    const draft = await buildDraft(app.url);
    await schedule(app.url, draft);
    const { token, password } = draft.author;
    expect((await call(app.url, 'DELETE /api/members/me', { token, json: { password } })).status).to.equal(200);
    await publishDue();
    expect(await articlesOf(draft.author)).to.deep.equal([]);
    expect(await scheduled()).to.deep.equal([]);
  });
});
