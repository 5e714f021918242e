/** Import of a WordPress export: mapping of posts, authors and metadata. */
import { expect } from 'chai';
import type { Report } from '../../src/import/report.js';
import { useApp } from '../support/app.js';
import { call } from '../support/client.js';
import { testDatabase } from '../support/database.js';
import { articleOf, load, rowsOf } from '../support/imported.js';
import { EXPORT } from '../support/wordpress.js';

const app = useApp();

describe('npm run import', () => {
  let report: Report;
  before(async () => {
    await testDatabase();
    report = await load(app.database, EXPORT);
  });

  it('adds published posts, approved comments and their authors', () => {
    expect(report.added).to.deep.equal({ members: 8, categories: 4, tags: 13, articles: 6, drafts: 2, comments: 27 });
    expect(report.replies).to.equal(14);
  });

  it('reports what it skipped, with reasons', () => {
    expect(report.counts('skipped')).to.deep.equal({
      'comments that were not approved': 1,
      'pingbacks: links from other sites, not comments': 1,
      'trackbacks: links from other sites, not comments': 1,
      'comments marked as spam': 1,
      'comments in the trash': 1,
      'comments without text': 1,
      'comments of another type, created by a plugin': 1,
      'comments that occur more than once in the file': 1,
      'comments on items that are not imported': 2,
      'comments on drafts': 1,
      'items of type page: only posts become articles': 1,
      'items of type attachment: only posts become articles': 1,
      'items of type nav_menu_item: only posts become articles': 1,
      'posts without <wp:post_id>: they could not be identified in a repeated import': 1,
    });
  });

  it('reports what it changed', () => {
    expect(report.counts('reduced')).to.deep.equal({
      'articles that were password-protected: now public': 1,
      'articles dated in the time zone of the blog only: read as UTC': 1,
      'articles without a date: set to the date of the export': 1,
      'articles without a title: set to "Untitled"': 1,
      'articles without content: replaced by the excerpt': 1,
      'articles without content: replaced by the title': 1,
      'blocks that WordPress computes when it shows them: left out': 1,
      'titles shortened to 100 characters': 1,
      'terms that are neither category nor tag: skipped': 2,
      'tags shortened to 30 characters': 1,
      'tags skipped: an article can have at most 10': 21,
      'comments shortened to 1000 characters': 1,
      'names that another member has, that are too long or that are not permitted: now different': 1,
      'comments dated in the time zone of the blog only: read as UTC': 1,
      'comments without a date: set to the date of the article': 1,
      'replies without an imported parent comment: imported as top-level comments': 4,
    });
  });

  it('keeps dates, and converts titles, names and tags to plain text in NFC', async () => {
    const { id, ...article } = await articleOf(app.database, 101);
    expect(article).to.deep.equal({
      title: '첫 글 — 봄',
      content: '한글 본문\n\na \\]\\]> b & c',
      author: '하늘',
      category: '일상',
      tags: ['서울', 'seoul', '여행'],
      created: '2024-03-01 00:00:00',
      updated: '2024-05-06 07:08:09',
    });
    expect(id).to.be.a('number');
  });

  it('indexes the text that readers see, without elements and classes of the editor', async () => {
    const { id } = await articleOf(app.database, 102);
    const search = async (keyword: string) =>
      (await call(app.url, `GET /api/articles?keyword=${encodeURIComponent(keyword)}`)).body?.data.contents;
    const [article] = await search('블록이다');
    expect(article).to.include({ id, excerpt: '블록이다', snippet: '<mark>블록이다</mark>' });
    for (const keyword of ['figure', 'wp-block', 'strong', 'more--'])
      expect(await search(keyword), keyword).to.deep.equal([]);
  });

  it('keeps HTML that Markdown does not have, without the comments and classes of the editor', async () => {
    const { content, author } = await articleOf(app.database, 102);
    expect([content, author]).to.deep.equal(['<figure><p>블<strong>록</strong>이다</p></figure>', '민수 & 친구들']);
  });

  it('shortens a long title, and falls back to another date field', async () => {
    const { title, author, category, created } = await articleOf(app.database, 103);
    expect(title).to.equal(`${'A'.repeat(60)}${'가'.repeat(39)}…`);
    expect([author, category, created]).to.deep.equal(['김1', 'Uncategorized', '2024-03-04 05:06:07']);
  });

  it('uses fallbacks for empty fields and missing dates', async () => {
    const { title, content, author, created } = await articleOf(app.database, 104);
    expect([title, content, author]).to.deep.equal(['Untitled', '요약이 남았다.', '하늘']);
    expect(created).to.equal('2026-11-20 09:30:00');
    const bare = await articleOf(app.database, 105);
    expect([bare.content, bare.author, bare.category]).to.deep.equal(['내용 없는 글', 'ghost', 'General']);
    expect([bare.created, bare.updated]).to.deep.equal(['2024-03-06 09:00:00', '2024-03-06 09:00:00']);
  });

  it('keeps ten tags, with post tags before additional categories', async () => {
    const { category, tags } = await articleOf(app.database, 104);
    const others = [2, 3, 4, 5, 6, 7, 8, 9].map((number) => `분류 ${number}`);
    expect(category).to.equal('분류 1');
    expect(tags).to.deep.equal([`아주-긴-꼬리표-${'ㄱ'.repeat(20)}…`, 'q&a', ...others]);
  });

  it('creates members without a login, with a default category, whose email can be registered', async () => {
    const members = await rowsOf(
      app.database,
      `select from members m where email is not null or password_hash is not null
       or not exists (select from categories k where k.member_id = m.id and k.is_default)`,
    );
    expect(members).to.deep.equal([]);
    const json = { email: 'haneul@example.org', password: 'a long password', memberName: '하늘' };
    const { status, body } = await call(app.url, 'POST /api/auth/register', { json });
    expect([status, body?.data.nickname]).to.deep.equal([201, '하늘2']);
  });
});
