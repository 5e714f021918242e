/** Pictures of an imported blog: galleries, downloads with `--images`, and what they reject. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { runImport } from '../../src/cli/import/run.js';
import { addressesIn, PICTURES, replaceReferences } from '../../src/import/content-references.js';
import { download } from '../../src/import/download.js';
import { loadSource } from '../../src/import/load.js';
import { Report } from '../../src/import/report.js';
import { MediaLibrary } from '../../src/import/sources/wordpress/galleries.js';
import { MAX_IMAGE_BYTES } from '../../src/services/images/image.js';
import { useApp } from '../support/app.js';
import { runDaybook } from '../support/cli.js';
import { call } from '../support/client.js';
import { testDatabase } from '../support/database.js';
import { flat } from '../support/images.js';
import { sourceArticle, sourceOf } from '../support/import-source.js';
import { articleOf, load, rowsOf } from '../support/imported.js';
import { FOOT, HEAD, item, useFiles } from '../support/wordpress.js';

const app = useApp();
const fileOf = useFiles();

/** A server that is permitted, and records the requests. */
let server: Server;
let host: string;
let requests: string[] = [];
before(async () => {
  const png = await flat(700, 10).png().toBuffer();
  server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    if (path.startsWith('/to')) response.writeHead(302, { Location: decodeURIComponent(path.slice(4)) }).end();
    else if (path === '/page.png') response.end('<html>Not found</html>');
    else if (path === '/large.png') response.end(Buffer.alloc(MAX_IMAGE_BYTES + 1));
    else if (path === '/silent.png') response.socket?.destroy();
    else if (path === '/switched.png')
      response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n');
    else if (/^\/[a-z&=?0-9]+\.png/.test(path)) response.end(png);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => void server.close());
beforeEach(async () => {
  requests = [];
  await testDatabase();
});

const isAllowed = (address: string) => address === '127.0.0.1';
const openPictures = async () => ({ images: app.services.images, publicUrl: app.url, isAllowed });
const escaped = (html: string) => html.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const post = (id: number, content: string) => item(id, { content: escaped(content) });
const attachment = (id: number, parent: number, url: string) =>
  item(id, {
    title: `Picture ${id}`,
    xml: `<wp:post_parent>${parent}</wp:post_parent><wp:attachment_url>${url}</wp:attachment_url>`,
  }).replace('<wp:post_type>post<', '<wp:post_type>attachment<');
const exportOf = (...items: string[]) => fileOf(HEAD + items.join('') + FOOT);

async function htmlOf(post: number): Promise<string> {
  const { id } = await articleOf(app.database, post);
  return (await call(app.url, `GET /api/articles/${id}/rendered`)).body?.data.contentHtml;
}

describe('npm run import without --images', () => {
  it('leaves pictures on their host, and reports them', async () => {
    const content = `[![](${host}/a.png)](${host}/a.png) ![](${host}/b.png)`;
    const html = `<a href="${host}/a.png"><img src="${host}/a.png"></a> <img src="${host}/b.png">`;
    const report = await load(app.database, await exportOf(post(1, html)));
    expect(report.counts('skipped')).to.include({
      'pictures: they stay on their old host (--images downloads them)': 2,
    });
    expect([(await articleOf(app.database, 1)).content, requests]).to.deep.equal([content, []]);
  });

  it('converts galleries whose pictures are in the file, also after the post', async () => {
    const file = await exportOf(
      post(1, 'Two:\n[gallery ids="12,11" columns="2"]\n[[gallery]] [gallery ids="99"]'),
      post(2, '[gallery]'),
      attachment(11, 2, `${host}/a.png`),
      attachment(12, 0, `${host}/b.png?x=1&amp;y.png`),
      attachment(13, 2, `${host}/notes.pdf`),
    );
    const report = await load(app.database, file);
    expect(report.counts('changed')).to.deep.equal({ 'galleries: now a list of pictures': 2 });
    expect(report.counts('skipped')).to.include({
      'galleries whose pictures are not in the file: they stay as text': 1,
    });
    const { content } = await articleOf(app.database, 1);
    expect(content).to.include(`<figure><img src="${host}/b.png?x=1&amp;y.png" alt="Picture 12"></figure>\n<figure>`);
    expect(content).to.include('\\[gallery\\]\n\n[gallery ids="99"]');
    expect(await htmlOf(2)).to.include(`<img src="${host}/a.png" alt="Picture 11" loading="lazy" />`);
    expect((await load(app.database, file)).counts('changed')).to.deep.equal({});
  });
});

describe('The feature image of a WordPress post', () => {
  const meta = (key: string, value: string) =>
    `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value>${value}</wp:meta_value></wp:postmeta>`;
  const featured = (id: number, attachmentId: number) =>
    item(id, { xml: meta('title', 'Other') + meta('_thumbnail_id', String(attachmentId)) + meta('_edit_last', '1') });
  const described = (id: number, path: string, alt: string) =>
    attachment(id, 0, `${host}/${path}`).replace('</item>', `${meta('_wp_attachment_image_alt', alt)}</item>`);
  const file = () =>
    exportOf(
      featured(1, 11),
      featured(2, 99),
      featured(3, 12).replace('>publish<', '>draft<'),
      described(11, 'a.png', 'Owls &amp; sea'),
      described(12, 'b.png', 'x'.repeat(301)),
    );

  it('is missing without --images, which is reported', async () => {
    const report = await load(app.database, await file());
    expect(report.counts('reduced')).to.deep.equal({
      'feature images: they are missing without --images, which downloads them': 2,
      'feature images whose address is not in the source': 1,
    });
    expect(await articleOf(app.database, 1)).to.include({ title: 'Title 1' });
  });

  it('is downloaded with --images, with its alternative text, also for a draft', async () => {
    await load(app.database, await file());
    const dry = await load(app.database, await file(), { openPictures, isDryRun: true });
    const report = await load(app.database, await file(), { openPictures });
    for (const { pictures } of [dry, report]) expect(pictures).to.include({ added: 2, existing: 0, failed: 0 });
    expect(report.counts('reduced')).to.deep.equal({
      'feature images whose address is not in the source': 1,
      'alternative texts of feature images shortened to 300 characters': 1,
    });
    const { id } = await articleOf(app.database, 1);
    const { body } = await call(app.url, `GET /api/articles/${id}`);
    expect((await fetch(body?.data.articleImg)).status).to.equal(200);
    expect(body?.data.articleImgAlt).to.equal('Owls & sea');
    const [draft] = await rowsOf<{ alt: string; image: number }>(
      app.database,
      'select image_alt as alt, image_id as image from drafts',
    );
    expect(draft?.alt).to.equal(`${'x'.repeat(299)}…`);
    expect(draft?.image).to.be.greaterThan(0);
  });
});

describe('The feature image of another host', () => {
  it('can have an alternative text of any length', async () => {
    const image = { reference: `${host}/a.png`, alt: 'x'.repeat(301), open: null };
    const report = new Report();
    await loadSource(app.database, sourceOf([sourceArticle('1', { image })]), report, { openPictures });
    expect(report.pictures).to.include({ added: 1, failed: 0 });
    const [article] = await rowsOf<{ alt: string }>(app.database, 'select image_alt as alt from articles');
    expect(article?.alt).to.equal(`${'x'.repeat(299)}…`);
  });
});

describe('npm run import of a text of the block editor', () => {
  it('converts it to Markdown, with galleries between its blocks', async () => {
    const content = `<!-- wp:paragraph -->\n<p>Hi <strong>you</strong></p>\n<!-- /wp:paragraph -->

<!-- wp:shortcode -->\n[gallery ids="11"]\n<!-- /wp:shortcode -->

<!-- wp:list -->\n<ul><li>one</li><li>two</li></ul>\n<!-- /wp:list -->`;
    await load(app.database, await exportOf(post(1, content), attachment(11, 0, `${host}/a.png`)));
    expect((await articleOf(app.database, 1)).content.replace(/\n{3,}/g, '\n\n')).to.equal(
      `Hi **you**\n\n<figure><img src="${host}/a.png" alt="Picture 11"></figure>\n\n- one\n- two`,
    );
  });
});

describe('npm run import --images', () => {
  it('stores each picture once as an image of the author, and refers to it', async () => {
    const content = `<a href="${host}/a.png"><img src='${host}/a.png'></a> <img src="${host}/b.png"> <img src="/c.png">`;
    const again = `<img src="${host}/a.png?x=1&amp;y=2"> <img src="${host}/a.png">`;
    const file = await exportOf(post(1, content), post(2, again));
    const report = await load(app.database, file, { openPictures });
    expect(report.pictures).to.include({ added: 3, existing: 1, failed: 1, articles: 2, articlesDone: 2 });
    const images = await rowsOf<{ key: string; referenced: boolean }>(
      app.database,
      'select key, unreferenced_at is null as referenced from images order by id',
    );
    expect(images.map(({ referenced }) => referenced)).to.deep.equal([true, true, true]);
    const first = (await articleOf(app.database, 1)).content;
    expect(first.match(/\/images\/[0-9a-f]{32}\.webp/g)).to.have.length(3);
    expect(first).to.include('![](/c.png)').and.not.include(host);
    expect(await htmlOf(2))
      .to.match(/srcset=.*700w/)
      .and.not.include(host);
    const { id, updated } = await articleOf(app.database, 1);
    expect(updated).to.equal('2024-01-01 00:00:00');
    expect(
      await rowsOf(app.database, `select number, content from article_revisions where article_id = ${id}`),
    ).to.deep.equal([{ number: 1, content: `[![](${host}/a.png)](${host}/a.png) ![](${host}/b.png) ![](/c.png)` }]);
  });

  it('stores the pictures of drafts and private posts', async () => {
    const withStatus = (id: number, status: string) =>
      post(id, `<img src="${host}/a.png">`).replace('>publish<', `>${status}<`);
    const file = await exportOf(withStatus(1, 'draft'), withStatus(2, 'private'));
    const report = await load(app.database, file, { openPictures });
    expect(report.pictures).to.include({ added: 1, existing: 1, failed: 0 });
    const texts = await rowsOf<{ content: string; revision: number }>(
      app.database,
      'select content, revision from drafts union all select content, revision from all_articles',
    );
    expect(texts.map(({ revision }) => revision)).to.deep.equal([2, 2]);
    for (const { content } of texts) expect(content).to.match(/\/images\/[0-9a-f]{32}\.webp/);
    await app.database.sequelize.query('delete from all_articles');
    expect(await rowsOf(app.database, 'select unreferenced_at as since from images')).to.deep.equal([{ since: null }]);
  });

  it('downloads nothing again in a second run, and completes an import without pictures', async () => {
    const file = await exportOf(
      post(1, `<img src="${host}/a.png">`),
      post(2, `<img src="${host}/a.png"> <img src="${host}/no.jpg">`),
    );
    await load(app.database, file);
    expect(requests).to.deep.equal([]);
    const first = await load(app.database, file, { openPictures });
    expect(first.pictures).to.include({ added: 1, existing: 1, failed: 1 });
    expect(first.added.articles).to.equal(0);
    requests = [];
    const second = await load(app.database, file, { openPictures });
    expect(second.pictures).to.include({ added: 0, existing: 0, failed: 1 });
    expect(requests).to.deep.equal(['/no.jpg']);
    expect(await rowsOf(app.database, 'select from images')).to.have.length(1);
  });

  it('stores the pictures of galleries', async () => {
    const file = await exportOf(post(1, '[gallery]'), attachment(2, 1, `${host}/a.png`));
    expect((await load(app.database, file, { openPictures })).pictures.added).to.equal(1);
    expect(await htmlOf(1)).to.match(/<figure><img src="[^"]+\/images\/[0-9a-f]{32}\.webp" srcset/);
  });

  it('keeps the address of what it cannot store, with the reason in the report', async () => {
    const names = [
      'page.png',
      'large.png',
      'silent.png',
      'none.jpg',
      `to/${encodeURIComponent('http://10.0.0.1/a.png')}`,
    ];
    const content = names.map((name) => `<img src="${host}/${name}">`).join('');
    const report = await load(app.database, await exportOf(post(1, content)), { openPictures });
    expect(report.pictures).to.include({ added: 0, failed: names.length });
    const markdown = names.map((name) => `![](${host}/${name})`).join('');
    expect((await articleOf(app.database, 1)).content).to.equal(markdown);
    const reasons = Object.keys(report.counts('skipped')).join('\n');
    expect(reasons).to.include('could not be stored: The file is an HTML page');
    expect(reasons).to.include(`it has more than ${MAX_IMAGE_BYTES / 1024 / 1024} MiB`);
    expect(reasons).to.include('the server cannot be reached (ECONNRESET)');
    expect(reasons).to.include('the server responded with status 404');
    expect(reasons).to.include('its server has no public address');
  });

  it('leaves the other pictures of a host that does not respond for the next run', async () => {
    const content = Array.from({ length: 30 }, (_, number) => `<img src="${host}/silent.png?${number}">`).join('');
    await load(app.database, await exportOf(post(1, content)), { openPictures });
    expect(requests.length).to.be.at.most(30);
    const closed = Array.from({ length: 30 }, (_, number) => `<img src="http://127.0.0.1:1/${number}.png">`).join('');
    const report = await load(app.database, await exportOf(post(2, closed)), { openPictures });
    expect(report.counts('skipped')).to.include({
      'pictures that could not be stored: 127.0.0.1:1 does not respond': 20,
    });
  });

  it('shows its progress, adds a row to the report, and stops on a signal', async () => {
    const stop = new AbortController();
    const file = await exportOf(post(1, `<img src="${host}/a.png">`));
    const written = { stdout: '', stderr: '' };
    const options = {
      connect: async () => ({ database: app.database, close: async () => {} }),
      stdout: { write: (text: string) => (written.stdout += text) },
      stderr: { write: (text: string) => (written.stderr += text) },
      openPictures,
    };
    expect(await runImport(file, options)).to.equal(0);
    expect(written.stdout).to.match(/\npictures +1 +0\n/);
    stop.abort();
    expect(await runImport(file, { ...options, signal: stop.signal })).to.equal(1);
    expect(written.stderr).to.include('the import was stopped');
  });

  it('is an option of the command, which rejects addresses of the local network', async () => {
    const file = await exportOf(
      post(1, `<img src="${host}/a.png"><img src="http://localhost:${host.split(':')[2]}/a.png">`),
    );
    const { TEST_DATABASE_URL: DATABASE_URL = '' } = process.env;
    const environment = { DATABASE_URL, DATA_DIR: app.dataDir, PUBLIC_URL: app.url };
    const { code, stdout } = await runDaybook(['import', '--images', file], environment);
    expect([code, requests]).to.deep.equal([0, []]);
    expect(stdout).to.match(/ 2 {2}pictures that could not be stored: its server has no public address\n/);
  }).timeout(60_000);
});

describe('A download', () => {
  const messageOf = (url: string, options = {}) =>
    download(new URL(url), options).then(
      () => 'downloaded',
      (error: Error) => error.message,
    );

  it('fails when the server switches to another protocol', async () => {
    expect(await messageOf(`${host}/switched.png`, { isAllowed })).to.equal(
      'the server cannot be reached (NO_RESPONSE)',
    );
  });

  it('checks the address of each redirect, and ends after five', async () => {
    const to = (url: string) => `${host}/to/${encodeURIComponent(url)}`;
    expect((await download(new URL(to(`${host}/a.png`)), { isAllowed })).length).to.be.above(50);
    expect(await messageOf(to('http://127.0.0.2/a.png'), { isAllowed })).to.equal('its server has no public address');
    expect(await messageOf(to('file:///etc/passwd'), { isAllowed })).to.equal('its address is not http or https');
    expect(await messageOf(`${host}/to//to//to//to//to//to//to//to/`, { isAllowed })).to.match(/redirected|status/);
    let looped = `${host}/a.png`;
    for (let hop = 0; hop < 6; hop++) looped = to(looped);
    expect(await messageOf(looped, { isAllowed })).to.equal('it was redirected more than 5 times');
  });

  it('connects only to addresses that passed the check, whatever the name', async () => {
    for (const name of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '0.0.0.0'])
      expect(await messageOf(`${host.replace('127.0.0.1', name)}/a.png`), name).to.equal(
        'its server has no public address',
      );
    expect(requests).to.deep.equal([]);
  });
});

describe('The search for pictures', () => {
  it('takes linear time for any content', function () {
    this.timeout(20_000);
    for (const fragment of [
      '<img ',
      '<img src',
      '![',
      '![](',
      '<a href=',
      '[gallery ',
      '<img src="x',
      'a.png"',
      '<a href="x.',
    ])
      for (const content of [
        fragment.repeat(100_000 / fragment.length),
        fragment + ' '.repeat(100_000),
        fragment + 'x'.repeat(100_000),
      ]) {
        addressesIn(PICTURES, content, 'https://blog.example');
        new MediaLibrary().complete('1', content);
        replaceReferences(content, new Map([['a.png', 'b.png']]));
      }
  });

  it('ignores what is not on the web, and images of this service', () => {
    const own = `https://daybook.example/images/${'a'.repeat(32)}-320.webp`;
    const content = `<img src="data:image/png;base64,AA"><img src="${own}"><a href="mailto:a@b.png">x</a>
      <a href="//cdn.example/a.JPG">x</a> <a href="https://blog.example/page">x</a> <img alt="x" src=b.gif>`;
    expect(addressesIn(PICTURES, content, 'blog.example')).to.deep.equal([
      'https://blog.example/b.gif',
      'https://cdn.example/a.JPG',
    ]);
  });
});
