/** The front page: its content in both languages, validators, and what it shows without articles or without the database. */
import { expect } from 'chai';
import { models } from '../../src/models/index.js';
import { type Database, openDatabase } from '../../src/platform/database/pool.js';
import { useApp } from '../support/app.js';
import { buildArticle, buildComment } from '../support/build.js';
import { readableLog } from '../support/log.js';
import { statementsDuring } from '../support/statements.js';

async function open(url: string, headers: Record<string, string> = {}) {
  // Without this header, fetch adds Cache-Control: no-cache to a request with a validator.
  const response = await fetch(`${url}/`, { headers: { 'Cache-Control': 'max-age=0', ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('The front page', () => {
  const app = useApp({ ARTICLE_URL: 'https://example.org/a/{slug}' });
  const withoutTools = useApp({ MCP: 'false' });

  it('names the commands that fill an empty journal', async () => {
    const { status, text } = await open(app.url);
    expect(status).to.equal(200);
    expect(text).to.include('npx daybook seed').and.not.include('<ol');
  });

  it('shows the five newest articles, the numbers of articles and tags, and requests with an existing id', async () => {
    const { author } = await buildArticle(app.url, { title: 'The oldest', tags: ['sea'] });
    let id = 0;
    for (let number = 2; number <= 6; number++) {
      ({ id } = await buildArticle(app.url, { title: `Number ${number}`, tags: ['sea', `of ${number}`] }, author));
    }
    await buildComment(app.url, id);
    const { text } = await open(app.url);
    const titles = [...text.matchAll(/<bdi>(Number \d|The oldest)/g)].map(([, title]) => title);
    expect(titles).to.deep.equal(['Number 6', 'Number 5', 'Number 4', 'Number 3', 'Number 2']);
    expect(text).to.include(`href="https://example.org/a/number-6"`).and.include('1 comment<');
    expect(text).to.include('6 articles, 6 tags').and.include(`/api/articles/${id}/comments`);
    expect(text).to.not.include('npx daybook seed');
  });

  it('has no link to a website that is not configured', async () => {
    expect((await open(app.url)).text).to.include('<ul class="links">\n<li><a href="/graphiql">');
  });

  it('says how to read, write, connect an agent, and follow changes', async () => {
    const { text } = await open(app.url);
    const [requests = ''] = /<h2>Read<.*/s.exec(text) ?? [];
    const headings = [...requests.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, heading]) => heading);
    expect(headings).to.deep.equal([
      'Read',
      'Create an account and write',
      'Connect an agent, which drafts what you publish',
      'Follow what changes, for copies, builds and other programs',
    ]);
    expect(requests).to.include('/mcp \\').and.include('/api/changes?since=latest');
    expect((await open(withoutTools.url)).text)
      .to.include('Follow what changes')
      .and.not.include('/mcp');
  });

  it('is in the language of the request', async () => {
    const korean = await open(app.url, { 'Accept-Language': 'ko-KR,ko;q=0.9,en;q=0.8' });
    expect(korean.text)
      .to.include('<html lang="ko">')
      .and.include('최신 글')
      .and.match(/<time [^>]*>\d+년 \d+월 \d+일</);
    expect(korean.headers.get('Content-Language')).to.equal('ko');
    expect(korean.headers.get('Vary')).to.include('Accept-Language');
    const other = await open(app.url, { 'Accept-Language': 'fr' });
    expect(other.text).to.include('<html lang="en">').and.include('Newest articles');
  });

  it('is read with three statements, and then validated with one until an article changes', async () => {
    const { author } = await buildArticle(app.url);
    const statements = async () => (await statementsDuring(() => open(app.url))).length;
    expect([await statements(), await statements()]).to.deep.equal([3, 1]);
    const first = await open(app.url);
    expect(first.headers.get('Content-Security-Policy')).to.include("style-src 'self'");
    const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' };
    expect((await open(app.url, headers)).status).to.equal(304);
    await buildArticle(app.url, { title: 'A new one' }, author);
    const changed = await open(app.url, headers);
    expect([changed.status, changed.text.includes('A new one')]).to.deep.equal([200, true]);
  });

  it('escapes texts of members, and isolates their direction', async () => {
    const titles = ['<script>alert("x")</script>&amp;', 'W'.repeat(100), 'שלום (עולם)', `'"><img src=x>`];
    for (const title of titles) await buildArticle(app.url, { title });
    const { text } = await open(app.url);
    expect(text).to.not.match(/<script|<img src=x/);
    expect(text).to.include('<bdi>&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;amp;</bdi>');
    expect(text)
      .to.include(`<bdi>${'W'.repeat(100)}</bdi>`)
      .and.include('<bdi>שלום (עולם)</bdi>');
  });
});

describe('The front page without its database', () => {
  // No server listens on port 1.
  const lost = openDatabase('postgres://someone:hushhush@127.0.0.1:1/nowhere', {
    models,
    poolSize: 2,
    statementTimeoutMs: 1000,
  });
  after(() => lost.close());
  const { log, lines } = readableLog();
  const refused = useApp({}, { database: lost, log });
  let isSilent = false;
  const query: Database['query'] = (...sent) => (isSilent ? new Promise(() => {}) : lost.query(...sent));
  const silent = useApp({}, { database: { ...lost, query } });
  before(() => {
    isSilent = true;
  });

  it('has its links, and says that the articles cannot be read', async () => {
    for (const { url } of [refused, silent]) {
      const { status, headers, text } = await open(url);
      expect([status, headers.get('Cache-Control'), headers.get('ETag')]).to.deep.equal([200, 'no-store', null]);
      expect(text).to.include('href="/docs"').and.include('cannot be read at the moment');
      expect(text).to.not.include('npx daybook seed');
    }
    expect(lines.filter((line) => line.includes('request failed'))).to.have.lengthOf(1);
  });
});

describe('The front page of a journal with a website', () => {
  const app = useApp({
    SITE_URL: 'https://example.org/?a=1&b=2',
    SITE_TITLE: 'Owls & others',
    ARTICLE_URL: 'https://example.org/a/{slug}',
  });

  it('links to it first, and its newest articles lead there', async () => {
    await buildArticle(app.url, { title: 'In the attic' });
    const { text } = await open(app.url);
    expect(text).to.include(
      '<ul class="links">\n<li><a href="https://example.org/?a=1&amp;b=2"><strong>Owls &amp; others</strong>',
    );
    expect(text).to.include('href="https://example.org/a/in-the-attic"');
  });
});
