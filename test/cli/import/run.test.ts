/** The import command: invalid files, limits, output and exit codes. */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { describeProgress, type ImportOptions, runImport } from '../../../src/cli/import/run.js';
import { ProgressLine } from '../../../src/cli/terminal.js';
import { Report } from '../../../src/import/report.js';
import { readExport } from '../../../src/import/sources/wordpress/reader.js';
import { useApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { makeFolder } from '../../support/folder.js';
import { articleOf, countRows, load, rowsOf } from '../../support/imported.js';
import { comment, EXPORT, FOOT, HEAD, item, useFiles } from '../../support/wordpress.js';

const app = useApp();
const fileOf = useFiles();

/** Runs the command. `closed` counts how often it closed its connection. */
async function run(path: string, options: Partial<ImportOptions> = {}) {
  const result = { code: -1, stdout: '', stderr: '', opened: 0, closed: 0 };
  const connect = async () => {
    result.opened++;
    return { database: app.database, close: async () => void result.closed++ };
  };
  const stdout = { write: (text: string) => (result.stdout += text) };
  const stderr = { write: (text: string) => (result.stderr += text) };
  result.code = await runImport(path, { connect, stdout, stderr, ...options });
  return result;
}

const BOMB = '<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>';

/** Files that are not an export, with the expected error message. */
const BAD_FILES: [name: string, content: string | Buffer, message: RegExp][] = [
  ['an empty file', '', /it is none of the formats that can be imported/],
  ['text', 'Dear diary', /it is none of the formats that can be imported/],
  ['an image', Buffer.from('89504e470d0a1a0affd8', 'hex'), /it is none of the formats that can be imported/],
  ['a web page', '<html><body/></html>', /it is none of the formats that can be imported/],
  ['another RSS file', '<rss><channel><link>x</link><item/></channel></rss>', /it has no <wp:wxr_version>/],
  [
    'an export of no blog',
    '<rss><channel><wp:wxr_version>1</wp:wxr_version><item/></channel></rss>',
    /the URL of the blog is missing/,
  ],
  [
    'an unknown encoding',
    '<?xml version="1.0" encoding="klingon"?><rss></rss>',
    /its encoding klingon is not supported/,
  ],
  ['a file cut off', `${HEAD}<item><title>x`, /the file is truncated at line 1: the export is not complete/],
  [
    'overlapping elements',
    `${HEAD}<item><title></item></title>`,
    /not well-formed XML at line 1: Unexpected close tag/,
  ],
  [
    'an entity bomb',
    BOMB + HEAD + item(1, { title: '&b;' }) + FOOT,
    /not well-formed XML at line 1: Invalid character/,
  ],
  ['very deep elements', HEAD + '<a>'.repeat(200), /elements are nested more than 100 levels deep/],
  ['a very long text', HEAD + item(1, { content: 'x'.repeat(2 ** 24 + 1) }) + FOOT, /<content:encoded> is longer than/],
];

describe('npm run import with a file', () => {
  beforeEach(testDatabase);

  for (const [name, content, message] of BAD_FILES) {
    it(`exits with 1 and one line for ${name}`, async () => {
      const { code, stderr, opened, closed } = await run(await fileOf(content));
      // Lines of progress may precede it on a busy machine.
      expect(stderr.replace(/^Importing: .*\n/gm, '')).to.match(/^"export-\d+\.xml" was not imported: [^\n]*\.\n$/);
      expect(stderr).to.match(message);
      expect([code, opened - closed]).to.deep.equal([1, 0]);
      expect((await countRows(app.database)).imported_records).to.equal(0);
    });
  }

  it('exits with 1 for a missing file and for an empty folder', async () => {
    expect(await run('/nowhere/export.xml')).to.include({ code: 1, opened: 0 });
    expect((await run('/nowhere/export.xml')).stderr).to.equal('"export.xml" was not imported: it does not exist.\n');
    expect((await run(await makeFolder())).stderr).to.match(/it is none of the formats that can be imported/);
  });

  it('exits with 0 and a report', async () => {
    const { code, stdout, stderr, closed } = await run(EXPORT);
    expect([code, stderr, closed]).to.deep.equal([0, '', 1]);
    expect(stdout).to.match(/^ +added +already there\nmembers +8 +0\n/);
    expect(stdout).to.match(
      /\narticles +5 +0\ndrafts +2 +0\ncomments +26 +0\n +\(comments added: 12 top-level, 14 replies\)\n/,
    );
    expect(stdout).to.match(/\n +1 {2}pingbacks: [^\n]+\n +comment 304\n/);
  });

  it('exits with 1 and a report of the imported part when the end of the file is invalid', async () => {
    const { code, stdout, stderr } = await run(await fileOf(`${HEAD}${item(1)}<item>`));
    expect(code).to.equal(1);
    expect(stdout).to.match(/articles +1 +0\n/);
    expect(stderr).to.match(
      /was not imported to its end: .*the command adds the others after the source is corrected\.\n$/,
    );
    const dry = await run(await fileOf(`${HEAD}${item(2)}<item>`), { isDryRun: true });
    expect(dry.stderr).to.match(/was not imported to its end: [^.]*\.\n$/);
  });

  it('repairs what can be read in one way only, and reports its lines', async () => {
    const file = [
      `<?xml version="1.0"?><!-- a & b -->${HEAD}`,
      item(1, { title: 'a & b &nbsp;c &eacute; &amp; &#38; AT&T', content: '<![CDATA[x & y &nbsp; z]]>' }),
      item(2, { title: 'c\u0007&#7;&#xfffe; < d &', xml: '<category domain="a&b">x & y</category>' }),
      `${item(3, { content: '&lt;b&gt;&lt;/b&gt; 1 < 2 && 3' })}${FOOT}`,
    ];
    const path = await fileOf(file.join('\n'));
    const report = await load(app.database, path);
    expect(
      (await rowsOf(app.database, 'select title, content from articles order by id')).map(Object.values),
    ).to.deep.equal([
      ['a & b c é & & AT&T', 'x & y \u00a0 z'],
      ['c < d &', 'Content'],
      ['Title 3', '1 < 2 && 3'],
    ]);
    expect(report.counts('changed')).to.deep.equal({
      'raw & in the file, which has to be &amp;: repaired': 7,
      'raw < in the file, which has to be &lt;: repaired': 2,
      'entities of HTML in the file, such as &nbsp;, which XML does not have: repaired': 2,
      'control characters in the file, which XML does not permit: left out': 3,
    });
    expect(`${report}`).to.match(/raw < in the file, which has to be &lt;: repaired\n +line 5\n +line 8\n/);
  });

  it('names the line of what it cannot repair, and not to repeat the command as it is', async () => {
    const path = await fileOf(`${HEAD}\n${item(1)}\n<item><title>a</b></title></item>${FOOT}`);
    const { code, stderr } = await run(path);
    expect(code).to.equal(1);
    expect(stderr).to.match(/not well-formed XML at line 5: Unexpected close tag\. Correct this line\. The records/);
    expect(stderr).to.match(/the command adds the others after the source is corrected\.\n$/);
  });

  it('skips password-protected posts, and publishes them with publishProtected', async () => {
    const { stdout } = await run(EXPORT);
    expect(stdout).to.match(/articles +5 +0\n/);
    expect(stdout).to.match(/1 {2}posts protected by a password \(--publish-protected makes them public\)\n/);
    const published = await run(EXPORT, { publishProtected: true });
    expect(published.stdout).to.match(/articles +1 +5\n/);
    expect(published.stdout).to.match(/1 {2}articles that were password-protected: now public\n/);
  });

  it('writes a report as JSON, with the old addresses of the articles', async () => {
    const reportPath = join(await makeFolder(), 'report.json');
    const post = (id: number, address: string) => item(id, { xml: `<link>${address}</link>` });
    const posts = [post(1, 'https://made.example/2024/one/'), post(2, 'https://made.example/?p=2'), item(3)];
    const path = await fileOf(HEAD + posts.join('') + FOOT);
    const { code } = await run(path, { reportPath });
    const ids = await Promise.all([1, 2].map(async (id) => (await articleOf(app.database, id)).id));
    const { added, skipped, reduced, changed, articles, items, results } = JSON.parse(
      await readFile(reportPath, 'utf8'),
    );
    expect([code, added.articles, skipped, reduced, changed]).to.deep.equal([0, 3, [], [], []]);
    expect(results).to.deep.equal({ created: 3, updated: 0, unchanged: 0, skipped: 0, reduced: 0 });
    expect(items[1]).to.deep.equal({ place: 'post 2', title: 'Title 2', result: 'created' });
    expect(articles).to.deep.equal([
      { address: 'https://made.example/2024/one/', articleId: ids[0] },
      { address: 'https://made.example/?p=2', articleId: ids[1] },
    ]);
    await run(path, { reportPath });
    const again = JSON.parse(await readFile(reportPath, 'utf8'));
    expect([again.added.articles, again.existing.articles, again.articles]).to.deep.equal([0, 3, articles]);
  });

  it('does not replace the source with the report', async () => {
    const path = await fileOf(HEAD + item(1) + FOOT);
    const { code, stderr, opened } = await run(path, { reportPath: `${dirname(path)}/./${basename(path)}` });
    expect([code, opened]).to.deep.equal([1, 0]);
    expect(stderr).to.match(/was not imported: --report names the same file\.\n$/);
    expect(await readFile(path, 'utf8')).to.equal(HEAD + item(1) + FOOT);
  });

  it('imports nothing when the report cannot be written', async () => {
    const { code, stderr, opened } = await run(EXPORT, { reportPath: '/nowhere/report.json' });
    expect([code, opened]).to.deep.equal([1, 0]);
    expect(stderr).to.contain('the report cannot be written to "/nowhere/report.json" (ENOENT)');
  });

  it('replaces links between articles by the addresses of their pages, also to later posts', async () => {
    const link = (address: string) => `&lt;a href="${address}"&gt;x&lt;/a&gt;`;
    const content = [
      link('https://www.made.example/two'),
      link('/two/#more'),
      link('http://made.example/?p=2'),
      link('https://made.example/two/'),
      link('https://made.example/three/'),
      link('https://elsewhere.example/two/'),
    ].join('\n');
    const address = (text: string) => `<link>https://made.example/${text}</link>`;
    const posts = [
      item(1, { content, xml: address('one/') }),
      item(2, { xml: address('two/') }),
      item(4, { xml: address('?p=2') }),
    ];
    const path = await fileOf(HEAD + posts.join('') + FOOT);
    const { stdout } = await run(path);
    expect(stdout).to.match(/3 {2}links to other articles: they lead to the old host \(set ARTICLE_URL/);
    const before = await articleOf(app.database, 1);
    const relinked = await run(path, { articleUrl: 'https://new.example/a/{id}' });
    expect(relinked.stdout).to.match(/4 {2}links to other articles: now to their new pages\n/);
    const [two, four] = [(await articleOf(app.database, 2)).id, (await articleOf(app.database, 4)).id];
    const expected = before.content
      .replaceAll(/https:\/\/(?:www\.)?made\.example\/two\/?|\/two\/#more/g, `https://new.example/a/${two}`)
      .replace('http://made.example/?p=2', `https://new.example/a/${four}`)
      .replace('https://elsewhere.example/two/', 'https://elsewhere.example/two/');
    const after = await articleOf(app.database, 1);
    expect(after.content).to.equal(
      expected.replace(`elsewhere.examplehttps://new.example/a/${two}`, 'elsewhere.example/two/'),
    );
    expect(after.updated).to.equal(before.updated);
  });

  it('leaves links to articles that have become private', async () => {
    const html = '&lt;a href="https://made.example/two/"&gt;x&lt;/a&gt;';
    const content = '[x](https://made.example/two/)';
    const two = item(2, { xml: '<link>https://made.example/two/</link>' });
    const path = await fileOf(HEAD + item(1, { content: html }) + two + FOOT);
    await run(path);
    const { id } = await articleOf(app.database, 2);
    const setPrivate = (isPrivate: boolean) =>
      app.database.sequelize.query(`update all_articles set is_private = ${isPrivate} where id = ${id}`);
    await setPrivate(true);
    await run(path, { articleUrl: 'https://new.example/a/{id}' });
    expect((await articleOf(app.database, 1)).content).to.equal(content);
    await setPrivate(false);
    await run(path, { articleUrl: 'https://new.example/a/{id}' });
    expect((await articleOf(app.database, 1)).content).to.equal(`[x](https://new.example/a/${id})`);
  });

  it('reports embedded pages and media, which become links', async () => {
    const content = '&lt;iframe width="1" src="https://video.example/1"&gt;&lt;/iframe&gt; &lt;video&gt;&lt;/video&gt;';
    const items = item(1, { content }) + item(2, { content: `Text\n\n${content}` });
    const { stdout } = await run(await fileOf(HEAD + items + FOOT));
    expect(stdout).to.match(/4 {2}embedded pages and media: now links\n.*video\.example\/1/);
    expect((await articleOf(app.database, 1)).content).to.include('<https://video.example/1>');
  });

  it('reads the file incrementally', async () => {
    const path = await fileOf(HEAD + item(1) + item(2, { content: 'x'.repeat(5_000_000) }) + FOOT);
    let last = 0;
    const file = { open: async () => createReadStream(path) };
    for await (const record of readExport(file, { onBytes: (read) => (last = read) }))
      if (record.kind === 'item') break;
    expect(last).to.be.within(1, 1_000_000);
  });

  it('reads files in another encoding, by declaration or byte order mark', async () => {
    const xml = HEAD + item(1, { title: '가나다' }) + FOOT;
    await load(app.database, await fileOf(Buffer.from(`\ufeff${xml}`, 'utf16le')));
    expect((await articleOf(app.database, 1)).title).to.equal('가나다');
  });

  it('reads all characters of Windows-1252 and CP949, whatever the chunks are', async () => {
    const head = (encoding: string) => Buffer.from(`<?xml version="1.0" encoding="${encoding}"?>${HEAD}`);
    for (const [encoding, bytes, title] of [
      ['iso-8859-1', '93713f942080', '“q?” €'],
      ['euc-kr', '8c6320b9e6b0a220bc84', '똠 방각 펲'],
    ] as const) {
      const [before = '', after = ''] = (item(1, { title: '@' }) + FOOT).split('@');
      const file = Buffer.concat([head(encoding), Buffer.from(before), Buffer.from(bytes, 'hex'), Buffer.from(after)]);
      for (const size of [1, 7, 1e6]) {
        const chunks = Array.from({ length: Math.ceil(file.length / size) }, (_, at) =>
          file.subarray(at * size, (at + 1) * size),
        );
        // The declaration has to be in the first one.
        const open = async () => Readable.from([Buffer.concat(chunks.splice(0, 60)), ...chunks]);
        const records = await Readable.from(readExport({ open })).toArray();
        expect(records.find(({ kind }) => kind === 'item')?.title, `${encoding} ${size}`).to.equal(title);
      }
    }
  });

  it('shortens a content of more than 100,000 characters, not within a tag', async () => {
    const content = `${'😀'.repeat(99_990)}&lt;a href="https://example.org"&gt;x&lt;/a&gt;`;
    const report = await load(app.database, await fileOf(HEAD + item(1, { content }) + FOOT));
    expect(report.counts('reduced')).to.deep.equal({ 'contents shortened to 100000 characters': 1 });
    expect((await articleOf(app.database, 1)).content).to.equal(`<p>${'😀'.repeat(99_990)}…`);
  });

  it('gives an author at most 20 categories; the others become tags', async () => {
    const of = (id: number) => item(id, { xml: `<category domain="category">Shelf ${id}</category>${comment(id)}` });
    const posts = Array.from({ length: 22 }, (_, index) => of(index + 1));
    const report = await load(app.database, await fileOf(HEAD + posts.join('') + FOOT));
    expect(report.added).to.include({ categories: 20, articles: 22, comments: 22 });
    expect(Object.values(report.counts('reduced'))).to.deep.equal([2]);
    const { category, tags } = await articleOf(app.database, 22);
    expect([category, tags]).to.deep.equal(['General', ['shelf 22']]);
    expect(await rowsOf(app.database, 'select from categories where not is_default')).to.have.length(20);
  });
});

describe('The progress of an import', () => {
  it('is one line that changes on a terminal, and a line every five seconds elsewhere', () => {
    for (const [isTTY, shown] of [
      [true, ['\rImporting: 50 % read, 0 articles, 0 comments\u001b[K', '\r\u001b[K']],
      [false, ['Importing: 50 % read, 0 articles, 0 comments\n']],
    ] as const) {
      const written: string[] = [];
      let now = 0;
      const line = new ProgressLine({ isTTY, write: (text) => written.push(text) }, () => now);
      for (const time of [50, isTTY ? 100 : 5_000, isTTY ? 150 : 9_000]) {
        now = time;
        line.show(() => describeProgress({ read: 5, size: 10, report: new Report() }));
      }
      line.end();
      expect(written).to.deep.equal(shown);
    }
  });
});
