/** `/llms.txt`: its format, its links, and its validators. */
import { expect } from 'chai';
import { HEADING } from '../../src/models/article/text.js';
import { renderHtml } from '../../src/services/rendering/render-worker.js';
import { visibleText } from '../../src/services/rendering/visible-text.js';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember } from '../support/build.js';
import { call, expectStatus } from '../support/client.js';
import { ageStamps } from '../support/stamps.js';
import { statementsDuring } from '../support/statements.js';

const app = useApp({ SITE_TITLE: 'My *journal*' });

async function read(headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/llms.txt`, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Of the section with the articles. */
const linesOf = (text: string) =>
  text
    .slice(text.indexOf('## Articles'), text.indexOf('## API'))
    .split('\n')
    .filter((line) => line.startsWith('- '));

const HOSTILE = [
  'a [link](https://evil.example) b',
  '<b>bold</b> &amp; <script>alert(1)</script>',
  '`code` *x* _y_ ~~z~~ \\*',
  '](https://evil.example) x',
  '# no heading ![x](y)',
  '봄날의 산책 🦉',
  'www.evil.example, WWW.evil.example and owl@evil.example',
];

describe('GET /llms.txt', () => {
  let author: BuiltMember;
  before(async () => {
    author = await buildMember(app.url);
  });

  it('has a title, a description and sections, also without articles', async () => {
    const { status, headers, text } = await read();
    expect([status, headers.get('Content-Type')]).to.deep.equal([200, 'text/plain; charset=utf-8']);
    expect(text).to.match(/^# My \\\*journal\\\*\n\n> The newest articles.*\n/);
    expect(text).to.include('\n## Articles\n\n\n## API\n\n').and.include(`](${app.url}/sitemap.xml)`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are not permitted.
    expect(text).to.not.match(/[\u0000-\u0009\u000b-\u001f]/);
    const [title] = visibleText(renderHtml(text, Number.POSITIVE_INFINITY)).split('\n');
    expect(title).to.equal(`${HEADING}My *journal*`);
  });

  it('has the addresses of the API, which exist', async () => {
    const { text } = await read();
    const section = text.slice(text.indexOf('## API'), text.indexOf('## Optional'));
    const paths = [...section.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map(([, url = '']) => new URL(url).pathname);
    expect(paths).to.deep.equal(['/docs', '/openapi.json', '/schema.graphql', '/mcp', '/api/changes']);
    for (const path of paths) expect((await fetch(app.url + path)).status, path).to.equal(path === '/mcp' ? 405 : 200);
  });

  for (const title of HOSTILE) {
    it(`shows the title and the beginning ${JSON.stringify(title)} as they are, with one link to the file`, async () => {
      const { id } = await buildArticle(app.url, { title, content: 'One' }, author);
      // The excerpt follows from the content, which would be rendered.
      await app.database.sequelize.query(`update all_articles set excerpt = $$${title}$$ where id = ${id}`);
      const [line = ''] = linesOf((await read()).text);
      // As the parser of llmstxt.org reads it.
      expect(line).to.match(/^- \[[^\]]+\]\(http:[^)]+\): \S.*$/);
      const html = renderHtml(line, Number.POSITIVE_INFINITY);
      expect(visibleText(html)).to.equal(`\n${title}: ${title}`);
      const links = [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href);
      expect(links.slice(0, 1)).to.deep.equal(links.filter((link) => link?.startsWith(app.url)));
      const response = await fetch(links[0] ?? '', { redirect: 'error' });
      expect(await response.text()).to.include(`title: ${JSON.stringify(title)}`);
    });
  }

  it('changes with articles, but not with comments; is read with two statements, and validated with one', async () => {
    const { id } = await buildArticle(app.url, { title: 'First' }, author);
    await ageStamps(app.database);
    const first = await read();
    const current = { 'If-None-Match': first.headers.get('ETag') ?? '' };
    expect(await statementsDuring(async () => expect((await read(current)).status).to.equal(304))).to.have.lengthOf(1);
    expect(await statementsDuring(read)).to.have.lengthOf(1);
    await buildComment(app.url, id, {}, author);
    expect((await read(current)).status).to.equal(304);
    const json = { title: 'Second', content: 'Text' };
    await expectStatus(call(app.url, `PUT /api/articles/${id}`, { token: author.token, json }), 200, '1');
    expect(await statementsDuring(() => read(current))).to.have.lengthOf(2);
    const changed = await read(current);
    expect(changed.text).to.include('[Second]').and.not.include('[First]');
    const ignored = await read({ Authorization: 'Bearer bad' });
    expect([ignored.status, ignored.text]).to.deep.equal([200, changed.text]);
  });

  it('has the newest 100 articles, newest first', async () => {
    for (let number = 1; number <= 101; number++) await buildArticle(app.url, { title: `Number ${number}` }, author);
    const titles = linesOf((await read()).text).map((line) => /\[(.*?)\]/.exec(line)?.[1]);
    expect(titles).to.deep.equal(Array.from({ length: 100 }, (_, index) => `Number ${101 - index}`));
  });
});
