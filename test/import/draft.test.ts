/** Import of posts that are not public: drafts, scheduled and private posts, and the slugs of all. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildMember } from '../support/build.js';
import { runDaybook } from '../support/cli.js';
import { call } from '../support/client.js';
import { testDatabase } from '../support/database.js';
import { load, rowsOf } from '../support/imported.js';
import { runJobs } from '../support/jobs.js';
import { comment, FOOT, HEAD, item, useFiles } from '../support/wordpress.js';

const app = useApp();
const fileOf = useFiles();

interface Draft {
  id: number;
  title: string;
  content: string;
  slug: string | null;
  category: string | null;
  tags: string[];
  publishAt: Date | null;
  created: string;
}

const DAY_MS = 86_400_000;
const stamp = (time: Date) => time.toISOString().slice(0, 19).replace('T', ' ');
const inDays = (days: number) => stamp(new Date(Date.now() + days * DAY_MS));

/** A post with this status. */
function post(
  id: number,
  status: string,
  { date = '2024-01-01 00:00:00', name = '', xml = '', title = `Title ${id}`, content = 'Text' } = {},
): string {
  return item(id, { title, content, xml: `<wp:post_name>${name}</wp:post_name>${xml}` })
    .replace('>publish<', `>${status}<`)
    .replace('2024-01-01 00:00:00', date);
}

describe('Import of posts that are not public', () => {
  beforeEach(testDatabase);
  const drafts = () =>
    rowsOf<Draft>(
      app.database,
      `select d.id, d.title, d.content, d.slug, k.name as category, d.tags, d.publish_at as "publishAt",
         to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD') as created
       from drafts d left join categories k on k.id = d.category_id order by d.id`,
    );
  const articles = () =>
    rowsOf<{ title: string; slug: string; private: boolean }>(
      app.database,
      'select title, slug, is_private as private from all_articles order by id',
    );
  const importPosts = async (...posts: string[]) => load(app.database, await fileOf(HEAD + posts.join('') + FOOT));

  it('adds drafts and posts pending review as drafts, which may lack a title and a content', async () => {
    const terms = '<category domain="category">Sea</category><category domain="post_tag">Fog</category>';
    const undated = {
      date: '0000-00-00 00:00:00',
      xml: '<wp:post_modified_gmt>2024-02-03 04:05:06</wp:post_modified_gmt>',
    };
    const report = await importPosts(
      post(1, 'draft', { xml: terms, name: '%EB%B4%84-a' }),
      post(2, 'pending', { ...undated, title: '', content: '' }),
    );
    expect(report.added).to.include({ articles: 0, drafts: 2, categories: 1 });
    expect(report.counts('skipped')).to.deep.equal({});
    expect(report.counts('reduced')).to.deep.equal({ 'posts pending review: now drafts': 1 });
    const [first, second] = await drafts();
    expect(first).to.deep.include({
      title: 'Title 1',
      content: 'Text',
      category: 'Sea',
      tags: ['fog'],
      slug: '봄-a',
      publishAt: null,
    });
    expect(second).to.deep.include({
      title: '',
      content: '',
      category: null,
      tags: [],
      slug: null,
      created: '2024-02-03',
    });
    expect((await call(app.url, 'GET /api/articles')).body?.data.pagination.totalElements).to.equal(0);
    const again = await importPosts(post(1, 'draft', { xml: terms }));
    const existing = (['members', 'categories', 'drafts'] as const).map((kind) => again.existingCount(kind));
    expect(existing).to.deep.equal([1, 1, 1]);
  });

  it('schedules posts for the future, and does not publish those whose time has passed', async () => {
    const [soon, past] = [inDays(2), inDays(-2)];
    const report = await importPosts(post(1, 'future', { date: soon }), post(2, 'future', { date: past }));
    expect(report.added.drafts).to.equal(2);
    expect(report.counts('reduced')).to.deep.equal({
      'scheduled posts whose time has passed: drafts without a schedule': 1,
    });
    await runJobs(app);
    expect((await drafts()).map(({ publishAt }) => publishAt && stamp(publishAt))).to.deep.equal([soon, null]);
    await app.database.sequelize.query(`update drafts set publish_at = now() where publish_at is not null`);
    await app.database.sequelize.query('update graphile_worker._private_jobs set run_at = now()');
    await runJobs(app);
    expect((await articles()).map(({ title }) => title)).to.deep.equal(['Title 1']);
  });

  it('adds private posts as private articles, with their comments', async () => {
    const report = await importPosts(post(1, 'private', { xml: comment(10) }), post(2, 'publish'));
    expect(report.added).to.include({ articles: 2, drafts: 0, comments: 1 });
    expect(await articles()).to.deep.equal([
      { title: 'Title 1', slug: 'title-1', private: true },
      { title: 'Title 2', slug: 'title-2', private: false },
    ]);
    const { body } = await call(app.url, 'GET /api/articles');
    expect(body?.data.contents.map(({ title }: { title: string }) => title)).to.deep.equal(['Title 2']);
    const later = await importPosts(post(1, 'private', { xml: comment(10) + comment(11) }));
    expect([later.added.articles, later.added.comments]).to.deep.equal([0, 1]);
  });

  it('keeps slugs: percent-encoded, cut, taken and missing ones', async () => {
    await importPosts(
      post(1, 'publish', { name: '%eb%b4%84%eb%82%a0-%ec%82%b0%ec%b1%85' }),
      post(2, 'publish', { name: 'cut-%eb%b4' }),
      post(3, 'publish', { name: 'owls' }),
      post(4, 'publish', { name: 'owls' }),
      post(5, 'publish', { title: 'No name' }),
    );
    expect((await articles()).map(({ slug }) => slug)).to.deep.equal([
      '봄날-산책',
      'cut-eb-b4',
      'owls',
      'owls-2',
      'no-name',
    ]);
  });

  it('adds nothing twice, also after a draft was published or deleted, here or there', async () => {
    const posts = [post(1, 'draft'), post(2, 'draft'), post(3, 'private'), post(4, 'future', { date: inDays(2) })];
    await importPosts(...posts);
    const [first, second] = await drafts();
    const { token } = await claim();
    expect((await call(app.url, `POST /api/drafts/${first?.id}/publish`, { token })).status).to.equal(200);
    expect((await call(app.url, `DELETE /api/drafts/${second?.id}`, { token })).status).to.equal(200);
    const before = [await articles(), await drafts()];
    const again = await importPosts(...posts);
    expect([again.added.articles, again.added.drafts]).to.deep.equal([0, 0]);
    expect([again.existingCount('articles'), again.existingCount('drafts')]).to.deep.equal([1, 3]);
    const published = [1, 2, 3, 4].map((id) => post(id, 'publish', { xml: comment(id) }));
    const later = await importPosts(...published);
    expect([later.added.articles, later.added.comments]).to.deep.equal([0, 1]);
    expect(later.counts('skipped')).to.deep.equal({
      'posts that were imported as drafts before they were published': 3,
      'comments on posts that were imported as drafts': 3,
    });
    expect(await importPosts(post(3, 'draft'))).to.have.nested.property('added.drafts', 0);
    expect([await articles(), await drafts()]).to.deep.equal(before);
  });

  it('reports what it skips: other statuses, comments on drafts, and drafts for which there is no room', async () => {
    await importPosts(post(1, 'draft'));
    await app.database.sequelize.query('update draft_counts set drafts = 199');
    const report = await importPosts(
      post(2, 'draft', { xml: comment(20) }),
      post(3, 'draft'),
      post(4, 'trash'),
      post(5, 'auto-draft'),
    );
    expect(report.added.drafts).to.equal(1);
    expect(report.counts('skipped')).to.deep.equal({
      'comments on drafts': 1,
      'drafts beyond 200 or 50 MiB of their author: delete some, and run the import again': 1,
      'posts with status trash': 1,
      'posts with status auto-draft': 1,
    });
    await app.database.sequelize.query('update draft_counts set drafts = 2');
    expect((await importPosts(post(3, 'draft'))).added.drafts).to.equal(1);
  });

  it('replaces links in drafts, and leaves links to drafts', async () => {
    const link = (id: number) => `https://made.example/?p=${id}`;
    const address = (id: number) => `<link>${link(id)}</link>`;
    const content = `<![CDATA[<a href="${link(1)}">one</a> <a href="${link(2)}">two</a>]]>`;
    const file = HEAD + post(1, 'publish', { xml: address(1) }) + post(2, 'draft', { xml: address(2), content }) + FOOT;
    await load(app.database, await fileOf(file), { articleUrl: 'https://new.example/{id}' });
    expect((await drafts())[0]?.content).to.equal(`[one](https://new.example/1) [two](${link(2)})`);
  });

  it('transfers drafts with the content of an author, and their categories and limits', async () => {
    await importPosts(post(1, 'draft', { xml: '<category domain="category">Sea</category>' }), post(2, 'draft'));
    const member = await claim();
    const { body } = await call(app.url, 'GET /api/drafts', member);
    expect(body?.data.contents.map(({ title, category }: Draft) => [title, category])).to.deep.equal([
      ['Title 2', null],
      ['Title 1', 'Sea'],
    ]);
    expect(await rowsOf(app.database, 'select member_id as id, drafts, bytes from draft_counts')).to.deep.equal([
      { id: member.id, drafts: 2, bytes: 8 },
    ]);
  });

  /** The author of all posts becomes a member who is logged in. */
  async function claim() {
    const member = await buildMember(app.url);
    const [author] = await rowsOf<{ id: number }>(app.database, `select id from members where email is null`);
    const command = ['member', 'claim', String(author?.id), '--for', member.email, '--yes'];
    const { code, stderr } = await runDaybook(command, { DATABASE_URL: process.env.TEST_DATABASE_URL ?? '' });
    expect(code, stderr).to.equal(0);
    return member;
  }
});
