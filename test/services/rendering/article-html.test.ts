/** Stored article HTML: rendered once, when the content is written. */
import { expect } from 'chai';
import { replaceRendering } from '../../../src/models/article/html.js';
import { newImageKey } from '../../../src/services/images/store.js';
import { RenderingBudget } from '../../../src/services/rendering/budget.js';
import { toAbsoluteImageUrls, toRelativeImageUrls } from '../../../src/services/rendering/image-urls.js';
import { RENDERER_VERSION } from '../../../src/services/rendering/renderer.js';
import { useApp } from '../../support/app.js';
import { buildArticle, buildMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { readFeed } from '../../support/feeds.js';
import { load, rowsIn, rowsOf } from '../../support/imported.js';
import { scrapeGrowth } from '../../support/metrics.js';
import { occupyRenderer } from '../../support/renderer.js';
import { statementsDuring } from '../../support/statements.js';
import { until } from '../../support/until.js';
import { EXPORT } from '../../support/wordpress.js';

/** Keeps a Markdown parser busy for minutes. */
const HOSTILE = '***a_'.repeat(20_000);

// The statements of repeated reads are counted.
const app = useApp({ RESPONSE_CACHE_MB: '0' });
// Expensive contents of one test would use up the rendering time of the network for the next ones.
beforeEach(() => Object.assign(app.services.renderer, { budget: new RenderingBudget() }));

interface StoredRow {
  version: number;
  html: string;
}

async function storedOf(id: number): Promise<StoredRow | undefined> {
  const [row] = await rowsOf<StoredRow>(
    app.database,
    `select version, html from article_html where article_id = ${id}`,
  );
  return row;
}

async function forget(condition: string): Promise<void> {
  await app.database.sequelize.query(`delete from article_html where ${condition}`);
}

const READ = 'query ($id: ID!) { article(id: $id) { contentHtml } }';

async function read(id: number): Promise<string> {
  const { data, errors } = await graphql(app.url, READ, { id });
  expect(errors, JSON.stringify(errors)).to.equal(undefined);
  return data.article.contentHtml;
}

async function rendersDuring(work: () => Promise<unknown>): Promise<number> {
  return (await scrapeGrowth(app.url, work))('daybook_article_renders_total');
}

/** Blocks the render queue, with the given number of waiting tasks per key while `work` runs. */
async function whileBusy(waiting: Record<string, number>, work: () => Promise<void>): Promise<void> {
  const release = occupyRenderer(app);
  const keys = Object.entries(waiting).flatMap(([key, count]) => Array<string>(count).fill(key));
  const tasks = keys.map((key) => app.services.renderer.queue.run({ key }, async () => {}));
  try {
    await work();
  } finally {
    await Promise.all([release(), ...tasks]);
  }
}

describe('Stored article HTML', () => {
  it('is rendered and stored when the article is written, and read without rendering again', async () => {
    let id = 0;
    expect(
      await rendersDuring(async () => {
        ({ id } = await buildArticle(app.url, { content: '*a*' }));
      }),
    ).to.equal(1);
    expect(await storedOf(id)).to.deep.equal({ version: RENDERER_VERSION, html: '<p><em>a</em></p>\n' });
    expect(await rendersDuring(() => read(id))).to.equal(0);
    const statements = await statementsDuring(() => read(id));
    // With the begin and the end of the transaction.
    expect(statements, statements.join('\n')).to.have.length(4);
  });

  it('is rendered again only when the content changes', async () => {
    const { id, author } = await buildArticle(app.url, { content: '*a*' });
    const edit = (json: object) => call(app.url, `PUT /api/articles/${id}`, { token: author.token, json });
    expect(await rendersDuring(() => edit({ title: 'Another', content: '*a*' }))).to.equal(0);
    expect(await rendersDuring(() => edit({ title: 'Another', content: '*b*' }))).to.equal(1);
    expect((await storedOf(id))?.html).to.equal('<p><em>b</em></p>\n');
  });

  it('matches the new content when one GraphQL operation edits and reads twice', async () => {
    const { id, author } = await buildArticle(app.url);
    const edit = (content: string) =>
      `updateArticle(id: ${id}, input: { title: "t", content: "${content}" }) { contentHtml }`;
    const { data } = await graphql(app.url, `mutation { a: ${edit('x')} b: ${edit('y')} }`, {}, author.token);
    expect([data.a.contentHtml, data.b.contentHtml]).to.deep.equal(['<p>x</p>\n', '<p>y</p>\n']);
  });

  it('is escaped text when rendering times out, and readers do not render it again', async () => {
    const { id: other } = await buildArticle(app.url, { content: '*other*' });
    const growth = await scrapeGrowth(app.url, async () => {
      const { id } = await buildArticle(app.url, { content: HOSTILE });
      const readers = await Promise.all([read(id), read(other), read(id), read(other), read(id)]);
      expect(readers[0]).to.match(/^<pre>\*\*\*a_/);
      expect(readers[1]).to.equal('<p><em>other</em></p>\n');
    });
    expect(growth('daybook_article_renders_total', { outcome: 'escaped' })).to.equal(1);
  });

  it('is read and written while content of another member runs into the render timeout', async () => {
    const [hostile, member] = await Promise.all([buildMember(app.url), buildMember(app.url)]);
    const { id } = await buildArticle(app.url, { content: '*other*' });
    const writes = Array.from({ length: 2 }, (_, count) =>
      buildArticle(app.url, { content: `${count}${HOSTILE.slice(0, -1)}` }, hostile),
    );
    const order: string[] = [];
    const all = Promise.all(writes).then(() => order.push('hostile'));
    await read(id).then(() => order.push('read'));
    await buildArticle(app.url, { content: '*new*' }, member).then(() => order.push('written'));
    await all;
    expect(order).to.deep.equal(['read', 'written', 'hostile']);
  });

  it('is rendered on the first read when the render queue of the author was full at the write, with estimated counts until then', async () => {
    const author = await buildMember(app.url);
    const content = `*late* <!-- ${'hidden '.repeat(360)}-->`;
    const counts = async () => {
      const { wordCount, readingMinutes } = (await call(app.url, `GET /api/articles/${id}`)).body?.data ?? {};
      return [wordCount, readingMinutes];
    };
    let id = 0;
    await whileBusy({ [`m${author.id}`]: 100 }, async () => {
      ({ id } = await buildArticle(app.url, { content }, author));
    });
    expect(await storedOf(id)).to.equal(undefined);
    expect(await counts()).to.deep.equal([361, 2]);
    expect(await rendersDuring(() => read(id))).to.equal(1);
    expect((await storedOf(id))?.html)
      .to.include('<em>late</em>')
      .and.not.include('hidden');
    expect(await counts()).to.deep.equal([1, 1]);
  });

  it('is SERVICE_UNAVAILABLE with retryAfter when the render queue is full, unless it is stored', async () => {
    const { id } = await buildArticle(app.url);
    const { id: stored } = await buildArticle(app.url, { content: '*stored*' });
    await forget(`article_id = ${id}`);
    // 400 clients with one task each, so that no queued task is dropped in favor of another client.
    const clients = Object.fromEntries(Array.from({ length: 400 }, (_, number) => [`client ${number}`, 1]));
    await whileBusy(clients, async () => {
      expect(await read(stored)).to.equal('<p><em>stored</em></p>\n');
      const { errors } = await graphql(app.url, READ, { id });
      expect(errors?.[0]?.extensions).to.include({ code: 'SERVICE_UNAVAILABLE', retryAfter: 2 });
    });
  });

  it('is RATE_LIMITED with Retry-After when too many renderings wait for the network of the reader', async () => {
    const { id } = await buildArticle(app.url);
    await forget(`article_id = ${id}`);
    await whileBusy({ '127.0.0.1': 100 }, async () => {
      const { headers } = await expectStatus(call(app.url, `GET /api/articles/${id}/rendered`), 429, 'RATE_LIMITED');
      expect(Number(headers.get('Retry-After'))).to.be.within(1, 60);
    });
  });

  it('is rendered again and stored once for 20 parallel readers when its renderer version is older', async () => {
    const { id } = await buildArticle(app.url, { content: '*a*' });
    await app.database.sequelize.query(`update article_html set version = 0, html = 'old' where article_id = ${id}`);
    let statements: string[] = [];
    const renders = await rendersDuring(async () => {
      statements = await statementsDuring(async () => {
        const found = await Promise.all(Array.from({ length: 20 }, () => read(id)));
        expect(new Set(found)).to.deep.equal(new Set(['<p><em>a</em></p>\n']));
      });
    });
    expect(renders).to.equal(1);
    expect(statements.filter((text) => text.includes('insert into article_html'))).to.have.length(1);
    expect(await storedOf(id)).to.deep.equal({ version: RENDERER_VERSION, html: '<p><em>a</em></p>\n' });
  });

  it('is kept when its renderer version is newer, as in a rolling deployment', async () => {
    const { id } = await buildArticle(app.url);
    const newer = { version: RENDERER_VERSION + 1, html: 'newer' };
    await app.database.sequelize.query(`update article_html set version = version + 1, html = 'newer'
      where article_id = ${id}`);
    expect(await read(id)).to.equal('newer');
    expect(await storedOf(id)).to.deep.equal(newer);
  });

  it('does not change the ETag of the article when it is rendered again', async () => {
    const { id } = await buildArticle(app.url);
    const tag = async () => (await fetch(`${app.url}/api/articles/${id}`)).headers.get('ETag');
    const before = await tag();
    await forget(`article_id = ${id}`);
    await read(id);
    expect(await storedOf(id)).to.not.equal(undefined);
    expect(await tag()).to.equal(before);
  });

  it('is not stored for previous content during or after an edit', async () => {
    const { id } = await buildArticle(app.url, { content: 'former' });
    const former = { version: RENDERER_VERSION + 1, html: 'former', text: '\nformer', mentioned: [] };
    await app.database
      .transaction(async (db) => {
        await rowsIn(db, `update articles set content = 'new' where id = ${id}`);
        const replaced = replaceRendering(app.database, id, 'former', former);
        await until(async () => {
          const waiting = `select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%article_html as h%'`;
          return (await rowsOf(app.database, waiting)).length > 0;
        });
        return { replaced };
      })
      .then(({ replaced }) => replaced);
    expect(await storedOf(id)).to.equal(undefined);
    await replaceRendering(app.database, id, 'former', former);
    expect(await storedOf(id)).to.equal(undefined);
    expect(await read(id)).to.equal('<p>new</p>\n');
  });

  it('is read for a page in one additional statement, and only when it is selected', async () => {
    // Articles of other tests have no HTML, since they have used up the rendering time of the network.
    const author = await buildMember(app.url);
    const page = (fields: string) =>
      graphql(app.url, `{ articles(filter: { memberId: "${author.id}" }, size: 20) { contents { ${fields} } } }`);
    await Promise.all(Array.from({ length: 3 }, () => buildArticle(app.url, {}, author)));
    expect((await page('id contentHtml')).data.articles.contents).to.have.length(3);
    const [, list = '', html = '', commit, ...others] = await statementsDuring(() => page('id contentHtml'));
    expect([commit, ...others]).to.deep.equal(['commit']);
    expect(html).to.include('article_html');
    expect(list).to.not.match(/article_html|a\.content\b(?!, 4000)/);
    expect(await statementsDuring(() => page('id title excerpt content'))).to.have.length(1);
  });

  it('is not rendered for a feed when it is missing', async () => {
    await forget(`html like '<p>%'`);
    expect(await rendersDuring(() => readFeed(app.url, '/feed', 'json'))).to.equal(0);
  });

  it('is stored by an import, and not rendered when the posts are imported again', async () => {
    let articles = 0;
    const renders = await rendersDuring(async () => {
      articles = (await load(app.database, EXPORT)).added.articles;
    });
    expect(articles).to.be.above(0);
    expect(renders).to.equal(articles);
    expect(await rendersDuring(() => load(app.database, EXPORT))).to.equal(0);
  });
});

describe("URLs of the service's images in stored HTML", () => {
  const key = newImageKey();
  const path = `/images/${key}-320.webp`;

  it('are stored as relative URLs and resolved against the current PUBLIC_URL on read', async () => {
    const content = `![a](${app.url}${path}) <img alt="b" src="${path}"> [c](${app.url}${path})`;
    const { id } = await buildArticle(app.url, { content });
    expect((await storedOf(id))?.html).to.not.include(app.url);
    const html = await read(id);
    expect(html.split(`"${app.url}${path}"`)).to.have.length(4);
    const moved = toAbsoluteImageUrls((await storedOf(id))?.html ?? '', 'https://new.example/daybook');
    expect(moved).to.equal(html.replaceAll(app.url, 'https://new.example/daybook'));
  });

  it('are unchanged in text, in other attributes, and for URLs that are not images of the service', async () => {
    const others = [
      `<code>&lt;img src="${path}"&gt;</code>`,
      `<img alt=" src=&quot;${path}" />`,
      `<img alt="${path}" />`,
      `<a href="/images/a.png">x</a>`,
      `<a href="/images/${key}.webp/../../x">x</a>`,
      `<a href="https://evil.example${path}">x</a>`,
    ];
    for (const html of others) expect(toAbsoluteImageUrls(html, 'https://a.example')).to.equal(html);
    const text = '`<img src="https://a.example/images/x.webp">`';
    expect(toRelativeImageUrls(text, 'https://a.example')).to.equal(text);
    const source = `\`<img src="${path}">\``;
    const { id } = await buildArticle(app.url, { content: source });
    expect(await read(id)).to.equal(`<p><code>&lt;img src="${path}"&gt;</code></p>\n`);
  });
});
