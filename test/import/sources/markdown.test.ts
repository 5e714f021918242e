/** Markdown of other programs: what becomes of each field, and what is reported. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { SourceArticle, SourceItem } from '../../../src/import/source.js';
import { openSource } from '../../../src/import/sources/index.js';
import { ROOT } from '../../support/cli.js';
import { makeFolder } from '../../support/folder.js';
import { zipOf } from '../../support/zip.js';

const SAMPLES = `${ROOT}test/data/markdown/`;

interface Read {
  origin: string;
  recognition: string | undefined;
  /** By their places. */
  articles: Record<string, SourceArticle>;
  leftOut: Record<string, string>;
}

async function read(path: string): Promise<Read> {
  const { source, leftOut, close } = await openSource(path, { publishProtected: false, now: new Date('2026-01-01') });
  const { origin, recognition } = source;
  const result: Read = { origin, recognition, articles: {}, leftOut: {} };
  for (const { path, reason } of leftOut) result.leftOut[path] = reason;
  const keep = (item: SourceItem) => {
    if (item.kind === 'article') result.articles[item.place] = item;
    if (item.kind === 'left out')
      result.leftOut[item.place] = item.count ? `${item.count} ${item.reason}` : item.reason;
  };
  for await (const item of source.items()) keep(item);
  await close();
  return result;
}

async function readFiles(files: Record<string, string | Buffer>): Promise<Read> {
  const folder = await makeFolder();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return read(folder);
}

const one = async (text: string | Buffer) => {
  const { articles, leftOut } = await readFiles({ 'a.md': text });
  return { article: articles['a.md'], reason: leftOut['a.md'] };
};

const reasonsOf = ({ reduced }: SourceArticle) =>
  reduced.map(({ reason, detail, count }) => [reason, detail ?? '', count ?? 1].join(' | '));

function articleAt({ articles }: Read, place: string): SourceArticle {
  const article = articles[place];
  if (!article) throw new Error(`${place} is not an article of ${Object.keys(articles)}`);
  return article;
}

describe('Markdown of Hugo', () => {
  let hugo: Read;
  before(async () => {
    hugo = await read(`${SAMPLES}hugo`);
  });

  it('is read with all fields of its front matter', () => {
    const { images, image, comments, content, reduced, ...fields } = articleAt(hugo, 'content/posts/owl/index.md');
    expect(fields).to.deep.equal({
      kind: 'article',
      key: 'content/posts/owl/index.md',
      place: 'content/posts/owl/index.md',
      author: { key: 'Mina', name: 'Mina', email: 'mina@owls.test' },
      state: 'PUBLIC',
      title: 'An owl: in the "attic"',
      metadata: { description: 'About an owl', canonicalUrl: 'https://birds.example/owl', language: 'en-gb' },
      translationKey: 'owl',
      slug: 'attic-owl',
      categories: ['Birds', 'Nights'],
      tags: ['owl', '1.10', 'Attic'],
      createdAt: new Date('2020-01-01T18:04:05Z'),
      updatedAt: new Date('2020-02-03'),
      series: { title: 'Birds of the house', position: null },
      publishAt: null,
      addresses: [
        'https://markdown.invalid/content/posts/owl/index.md',
        'https://markdown.invalid/old/owl/',
        'https://owls.test/old/owl/',
        'https://markdown.invalid/posts/owl/',
        'https://owls.test/posts/owl/',
      ],
    });
    expect(hugo.origin).to.equal('owls.test');
    expect(image?.reference).to.equal('owl.png');
    expect(images.map(({ reference }) => reference)).to.deep.equal(['owl.png', '/images/beam.png']);
  });

  it('has the shortcodes that Markdown can express, outside of code', () => {
    const { content } = articleAt(hugo, 'content/posts/owl/index.md');
    expect(content).to.include(
      '<figure><img src="/images/beam.png" alt="A beam"><figcaption>The beam</figcaption></figure>',
    );
    expect(content).to.include('```go\nfmt.Println("hoo")\n```');
    expect(content).to.include('```go-html-template\n{{< spotify id="6" >}}\n```');
    expect(content).to.include('{{< spotify id="5" >}}');
    expect(content).to.include('[the other](night.md)');
  });

  it('reports what articles cannot have, with what and where', () => {
    expect(reasonsOf(articleAt(hugo, 'content/posts/owl/index.md'))).to.deep.equal([
      'further feature images: an article has one |  | 1',
      'shortcodes of Hugo without a counterpart: they stay as text | spotify | 1',
      'files other than pictures: links to them stay as they are | hoot.mp3 | 1',
      'pictures whose file is not in the source | gone.png | 1',
    ]);
  });

  it('is scheduled, private or a draft as Hugo would show it', () => {
    const stateOf = (name: string) => {
      const { state, publishAt } = articleAt(hugo, `content/posts/${name}.md`);
      return [state, publishAt?.toISOString() ?? null];
    };
    expect(['night', 'past', 'unfinished'].map(stateOf)).to.deep.equal([
      ['SCHEDULED', '2099-05-06T00:00:00.000Z'],
      ['PRIVATE', null],
      ['DRAFT', null],
    ]);
  });

  it('leaves out sections, pages and layouts with the reason', () => {
    expect(hugo.leftOut).to.deep.equal({
      'content/_index.md': 'pages of sections (_index.md)',
      'content/posts/_index.md': 'pages of sections (_index.md)',
      'content/about.md': 'pages: only posts become articles',
      'layouts/sample.md': 'layouts and templates',
    });
  });
});

describe('Markdown of Jekyll', () => {
  it('is read with dates and categories of names and folders, and without Liquid', async () => {
    const jekyll = await read(`${SAMPLES}jekyll`);
    const walk = articleAt(jekyll, '_posts/2020-01-02-winter-walk.md');
    expect([walk.slug, walk.title, walk.categories, walk.tags, walk.createdAt]).to.deep.equal([
      'winter-walk',
      'Winter walk',
      ['walks', 'winter'],
      ['snow', 'owls'],
      new Date('2020-01-02'),
    ]);
    expect(walk.metadata?.language).to.equal('en_US');
    expect(walk.content).to.equal(
      '![Snow](/assets/snow.png)\n\n```ruby\nputs "hoo"\n```\n\nAfter [the other](/_posts/2020-01-03-spring.md). {% include map.html %}\n',
    );
    expect(walk.images.map(({ reference }) => reference)).to.deep.equal(['/assets/snow.png']);
    expect(walk.addresses).to.include('https://owls.test/old-walk');
    expect(reasonsOf(walk)).to.deep.equal(['tags of Liquid without a counterpart: they stay as text | include | 1']);
    const spring = articleAt(jekyll, '_posts/2020-01-03-spring.md');
    expect([spring.state, spring.title, spring.content]).to.deep.equal(['DRAFT', 'Spring', '\nSoon.\n']);
    expect(spring.metadata?.language).to.equal('ko');
    expect(articleAt(jekyll, '_drafts/idea.md').state).to.equal('DRAFT');
    expect(jekyll.leftOut).to.deep.equal({ 'index.md': 'pages: only posts become articles' });
    expect(jekyll.origin).to.equal('owls.test/blog');
  });
});

describe('Markdown of Obsidian', () => {
  it('is read with its tags, links and pictures, and without comments', async () => {
    const vault = await read(`${SAMPLES}vault`);
    const note = articleAt(vault, 'notes/산책 일기.md');
    expect([note.title, note.tags, note.createdAt]).to.deep.equal([
      '산책 일기',
      ['walk', 'birds/owl', 'new-tag'],
      new Date('2020-01-02T08:00:00Z'),
    ]);
    expect(note.content).to.equal(
      [
        'We saw an owl #new-tag, C# and `#code`.\n',
        '![](/attachments/owl.png) and ![An owl](/attachments/owl.png)\n',
        '[Owls](/Owls.md) or [their food](/Owls.md), lost.  Done.\n',
        '[Owls](/Owls.md)\n',
      ].join('\n'),
    );
    expect(note.images.map(({ reference }) => reference)).to.deep.equal(['/attachments/owl.png']);
    expect(reasonsOf(note)).to.deep.equal([
      'dates without a time zone: read as UTC | 2020-01-02 08:00 | 1',
      'comments of Obsidian (%%): they are not imported |  | 1',
      'links to notes and files that are not in the source: now text | Nothing | 1',
      'notes embedded in notes: now links | Owls | 1',
    ]);
    const owls = articleAt(vault, 'Owls.md');
    expect([owls.title, owls.slug, owls.createdAt]).to.deep.equal(['About owls', 'Owls', null]);
    expect(owls.content).to.include(`[산책 일기](/notes/${encodeURI('산책 일기')}.md)`);
  });
});

describe('Markdown of Velog backups', () => {
  it('is read although titles are not quoted, in any encoding', async () => {
    const velog = await read(`${SAMPLES}velog`);
    const closure = articleAt(velog, '[JS] 클로저: 정리.md');
    expect([closure.title, closure.tags, closure.createdAt]).to.deep.equal([
      '[JS] 클로저: 정리',
      ['JavaScript', '클로저'],
      new Date('2021-03-04T05:06:07Z'),
    ]);
    expect(closure.content).to.include('![](https://images.velog.io/images/mina/post/1/image.png)');
    expect(reasonsOf(closure)).to.include('front matter that is not valid YAML: read line by line |  | 1');
    const old = articleAt(velog, 'old.md');
    expect([old.title, old.content]).to.deep.equal(['옛 글', '예전에 쓴 글.\n']);
  });
});

describe('Front matter', () => {
  it('keeps the texts of scalars as they are written', async () => {
    const { article } = await one('---\ntitle: 1.10\ntags: [2020, yes, null, "null", 0x10]\nslug: "~"\n---\nx');
    expect([article?.title, article?.tags, article?.slug]).to.deep.equal([
      '1.10',
      ['2020', 'yes', 'null', '0x10'],
      '~',
    ]);
  });

  it('is only at the beginning, and ends', async () => {
    for (const text of ['---\nA rule.', 'x\n---\ntitle: y\n---\n', '']) {
      const { article } = await one(text);
      expect([article?.title, article?.content], text).to.deep.equal(['a', text]);
    }
  });

  it('in JSON is rejected, and not published as a text', async () => {
    const { article, reason } = await one('{\n  "title": "T",\n  "draft": true\n}\nx');
    expect(article).to.equal(undefined);
    expect(reason).to.match(/front matter cannot be read: it is JSON, expected YAML/);
  });

  it('says in several ways that a text is not public', async () => {
    for (const [line, state] of [
      ['status: draft', 'DRAFT'],
      ['status: Private', 'PRIVATE'],
      ['visibility: private', 'PRIVATE'],
      ['status: published', 'PUBLIC'],
      ['title: a: b\ndraft: true # later', 'DRAFT'],
    ] as const) {
      const { article } = await one(`---\n${line}\n---\nx`);
      expect(article?.state, line).to.equal(state);
      expect(article && reasonsOf(article).filter((reason) => reason.startsWith('fields')), line).to.deep.equal([]);
    }
    const { article } = await one('---\nstatus: growing\n---\nx');
    expect(article && reasonsOf(article)).to.deep.equal([
      'fields of front matter that articles do not have | status | 1',
    ]);
  });

  it('may be all of the file', async () => {
    for (const text of ['---\ntitle: T\n---', '+++\ntitle = "T"\n+++\n', '---\r\ntitle: T\r\n...\r\n']) {
      const { article } = await one(text);
      expect([article?.title, article?.content], text).to.deep.equal(['T', '']);
    }
  });

  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefgh'.split('').map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`)}]`),
  ];
  const rejected: [name: string, text: string, reason: RegExp][] = [
    ['with references that multiply', `---\n${bomb.join('\n')}\n---\nx`, /stand for more than 100 values/],
    ['with a reference to itself', '---\na: &a [*a]\n---\nx', /stand for more than 100 values|more than 20 levels/],
    ['with tags of programs', '---\ntitle: !!js/function x\n---\nx', /it has a tag/],
    ['with own tags', '---\ntitle: !secret x\n---\nx', /it has a tag/],
    ['that is too long', `---\ntitle: ${'x'.repeat(70_000)}\n---\nx`, /more than 65536 characters/],
    ['of commas', `---\na: [${','.repeat(60_000)}\n---\nx`, /it has 60003 lines, brackets, commas .* at most 5000/],
    ['of exclamation marks', `---\n${'! '.repeat(30_000)}\n---\nx`, /at most 5000/],
    ['of commas in TOML', `+++\na = [${'1,'.repeat(30_000)}]\n+++\nx`, /at most 5000/],
    ['with deep lists', `---\na: ${'['.repeat(30_000)}\n---\nx`, /more than 20 levels/],
    ['with deep blocks', `---\n${'- '.repeat(30_000)}x\n---\nx`, /more than 20 levels/],
    ['with 30 levels', `---\na: ${'['.repeat(30)}${']'.repeat(30)}\n---\nx`, /more than 20 levels/],
    ['in invalid TOML', '+++\ntitle = \n+++\nx', /it is not valid TOML/],
    ['with deep TOML', `+++\na = ${'['.repeat(9000)}${']'.repeat(9000)}\n+++\nx`, /TOML|20 levels/],
  ];
  for (const [name, text, reason] of rejected) {
    it(`${name} is reported, and the file is skipped`, async () => {
      const found = await one(text);
      expect(found.article).to.equal(undefined);
      expect(found.reason).to.match(/^files whose front matter cannot be read: [^\n]+$/);
      expect(found.reason).to.match(reason);
    });
  }

  it('with names of prototypes is harmless', async () => {
    const { article } = await one('---\n__proto__: {title: bad}\nconstructor: x\ntitle: good\n---\nx');
    expect(article?.title).to.equal('good');
  });

  it('has dates in many forms', async () => {
    const dates: [text: string, iso: string | null][] = [
      ['2020-01-02T03:04:05+09:00', '2020-01-01T18:04:05.000Z'],
      ['2020-01-02 03:04:05 +0900', '2020-01-01T18:04:05.000Z'],
      ['2020-01-02', '2020-01-02T00:00:00.000Z'],
      ['2020-1-2', '2020-01-02T00:00:00.000Z'],
      ['January 2, 2020', '2020-01-02T00:00:00.000Z'],
      ['Thu, 02 Jan 2020 03:04:05 +0000', '2020-01-02T03:04:05.000Z'],
      ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
      ['2020-02-30', null],
      ['0000-00-00', null],
      ['yesterday', null],
    ];
    for (const [text, iso] of dates) {
      const { article } = await one(`---\ndate: ${text}\n---\nx`);
      expect(article?.createdAt?.toISOString() ?? null, text).to.equal(iso);
      const isReported = article?.reduced.some(({ reason }) => reason === 'dates that cannot be read');
      expect(isReported, text).to.equal(iso === null);
    }
  });
});

describe('The files of a source of Markdown', () => {
  const POST = '---\ntitle: Post\ndate: 2021-03-04\n---\n';
  const OTHER = 'texts in other formats than Markdown and HTML';
  const PAGE = 'pages: only posts become articles';

  it('of Jekyll are imported in HTML, R Markdown and Quarto, and otherwise named', async () => {
    const html = [
      '<p>The <b>nest</b> of {{ site.baseurl }}<a href="{% post_url 2021-03-05-b %}">b</a></p>',
      '{% highlight js %}a < b{% endhighlight %}{% raw %}{{ x }}{% endraw %} {% gist mina/1 %}',
    ];
    const { articles, leftOut } = await readFiles({
      '_config.yml': 'title: Finch',
      '_posts/2021-03-04-a.html': POST + html.join('\n'),
      '_posts/2021-03-05-b.Rmd': `${POST}\`\`\`{r}\n%%x%%\n\`\`\`\n`,
      '_posts/2021-03-06-c.qmd': POST,
      '_posts/2021-03-07-d.txt': POST,
      '_posts/2021-03-08-e.njk': POST,
      '_posts/2021-03-09-f.html': '<p>No front matter</p>',
      '_posts/2021-03-10-g': POST,
      '_posts/picture.png': 'x',
      '_drafts/h.htm': '---\ntitle: H\n---\n<p>Soon</p>',
      'about.html': POST,
      'feed.xml': POST,
      'style.scss': POST,
      'old/page.html': '<p>x</p>',
      'old/other.html': '<p>x</p>',
      '_layouts/default.html': POST,
      '_includes/a.html': '<p>',
      '_includes/b.html': '<p>',
      'assets/app.js': '---\n---\n',
    });
    expect(articles['_posts/2021-03-04-a.html']?.content).to.equal(
      'The **nest** of [b](/_posts/2021-03-05-b.Rmd)\n\n```js\na < b\n```\n\n{{ x }} <https://gist.github.com/mina/1>',
    );
    expect(articles['_posts/2021-03-05-b.Rmd']?.content).to.equal('```{r}\n%%x%%\n```\n');
    expect(Object.values(articles).map(({ slug, state }) => `${slug} ${state}`)).to.deep.equal([
      'h DRAFT',
      'a PUBLIC',
      'b PUBLIC',
      'c PUBLIC',
    ]);
    expect(leftOut).to.deep.equal({
      '_posts/2021-03-07-d.txt': OTHER,
      '_posts/2021-03-08-e.njk': OTHER,
      '_posts/2021-03-09-f.html': 'HTML files without front matter',
      '_posts/2021-03-10-g': OTHER,
      'about.html': PAGE,
      'old/': '2 HTML files without front matter',
      '_layouts/': '1 layouts and templates',
      '_includes/': '2 layouts and templates',
    });
  });

  it('of Hugo are imported in HTML, and otherwise named', async () => {
    const { articles, leftOut } = await readFiles({
      'hugo.toml': 'title = "x"',
      'content/a.html': `${POST}<p>An <i>owl</i> {{< youtube abc >}}</p>`,
      'content/b.org': '#+title: B',
      'content/c.pandoc': POST,
      'content/d/index.adoc': '= D',
      'content/d/table.csv': 'x',
      'content/_index.html': POST,
      'layouts/index.html': '{{ define "main" }}',
      'public/a/index.html': '<p>An owl</p>',
      'index.html': POST,
    });
    expect(Object.values(articles).map(({ content }) => content)).to.deep.equal([
      'An *owl* <https://www.youtube.com/watch?v=abc>',
    ]);
    expect(leftOut).to.deep.equal({
      'content/_index.html': 'pages of sections (_index.md)',
      'content/b.org': OTHER,
      'content/c.pandoc': OTHER,
      'content/d/index.adoc': OTHER,
      'index.html': PAGE,
      'layouts/': '1 layouts and templates',
      'public/a/': '1 layouts and templates',
    });
  });

  it('of other programs are imported in HTML with a date, and otherwise named', async () => {
    const { articles, leftOut } = await readFiles({
      'posts/a.md': POST,
      'posts/b.html': `${POST}<p>An owl</p>`,
      'posts/c.html': '---\nlayout: base.njk\n---\n<p>An owl</p>',
      'posts/d.njk': POST,
      'posts/e.docx': 'x',
      'any/f.unknown': POST,
      'any/g.unknown': 'x',
      Makefile: 'x',
      'robots.md': 'x',
      'any/h.liquid': 'x',
      'themes/a/i.hbs': POST,
      'notes.txt': 'x',
      'robots.txt': 'x',
    });
    expect(Object.keys(articles)).to.deep.equal(['posts/a.md', 'posts/b.html', 'robots.md']);
    expect(leftOut).to.deep.equal({
      'posts/c.html': PAGE,
      'posts/d.njk': OTHER,
      'posts/e.docx': OTHER,
      'any/f.unknown': OTHER,
      'any/g.unknown': OTHER,
      Makefile: 'files about a project (README, LICENSE, …)',
      'any/': '1 layouts and templates',
      'themes/a/': '1 layouts and templates',
      'notes.txt': OTHER,
      'robots.txt': 'files about a project (README, LICENSE, …)',
    });
  });

  it('can all be HTML', async () => {
    const { articles } = await readFiles({ '_posts/2021-03-04-a.html': `${POST}<p>An owl</p>` });
    expect(Object.keys(articles)).to.deep.equal(['_posts/2021-03-04-a.html']);
  });
});

describe('The texts of two products in one folder', () => {
  const GHOST = JSON.stringify({ db: [{ meta: {}, data: { posts: [], users: [] } }] });
  const HASHNODE = JSON.stringify({ posts: [{ cuid: 'x', title: 'X', contentMarkdown: 'x' }] });
  const WXR = '<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"><channel></channel></rss>';
  const MARKDOWN_FILES = 'Markdown and HTML files beside the export that is read';
  const beside = (name: string) => `exports beside what is read (${name}): import each by itself`;

  it('are named where an export in JSON is read', async () => {
    const { leftOut, recognition } = await readFiles({
      '_config.yml': 'title: x',
      '_posts/2021-03-04-a.md': 'x',
      'about.md': 'x',
      'archive/hashnode.json': HASHNODE,
      'data/numbers.json': '{"a":[1]}',
      'old-ghost.json': GHOST,
      'older/deep/ghost.json': GHOST,
      'old.xml': WXR,
      'old.zip': 'x',
      'feed.xml': '<rss version="2.0"><channel></channel></rss>',
    });
    expect(leftOut).to.deep.equal({
      '_posts/2021-03-04-a.md': MARKDOWN_FILES,
      'about.md': PAGES,
      'archive/hashnode.json': beside('a Hashnode export (JSON)'),
      'older/deep/ghost.json': beside('a Ghost export (JSON, or ZIP with images)'),
      'old.xml': beside('a WordPress export (WXR)'),
      'old.zip': 'archives in the source: unpack them, or import each by itself',
    });
    expect(recognition).to.equal('a Ghost export, since old-ghost.json is one');
  });

  const PAGES = 'pages: only posts become articles';

  it('are named where the Markdown is read', async () => {
    const { articles, leftOut } = await readFiles({
      'content/a.md': 'x',
      'old/deep/ghost.json': GHOST,
      'old.xml': WXR,
      'notion/Page 0123456789abcdef.html': '<html><body>x</body></html>',
      'notion/Part-1.zip': 'x',
      '.obsidian/plugins/a/data.json': GHOST,
    });
    expect(Object.keys(articles)).to.deep.equal(['content/a.md']);
    expect(leftOut).to.deep.equal({
      'old/deep/ghost.json': beside('a Ghost export (JSON, or ZIP with images)'),
      'old.xml': beside('a WordPress export (WXR)'),
      'notion/': '1 HTML files without front matter',
      'notion/Part-1.zip': 'archives in the source: unpack them, or import each by itself',
    });
  });

  it('are named where the posts of Medium are read', async () => {
    const post = '<article class="h-entry"><section data-field="body"><p>x</p></section></article>';
    const { leftOut } = await readFiles({ 'posts/2020-01-02_a.html': post, 'notes/b.md': 'x', 'old.xml': WXR });
    expect(leftOut).to.include({ 'notes/b.md': MARKDOWN_FILES, 'old.xml': beside('a WordPress export (WXR)') });
  });

  it('are named where none is read', async () => {
    const message = await readFiles({ 'old.xml': WXR }).catch((error: Error) => error.message);
    expect(message).to.match(/\. Not read of it: exports beside what is read \(a WordPress .*, such as old\.xml$/);
  });
});

describe('What a folder of Markdown is read as', () => {
  it('is said with the reason, and what would be read otherwise', async () => {
    for (const [path, start, since] of [
      ['_config.yml', 'a site of Jekyll', '_config.yml'],
      ['_posts/2020-01-02-a.md', 'a site of Jekyll', '_posts/2020-01-02-a.md'],
      ['content/_index.md', 'a site of Hugo', 'content/_index.md'],
      ['.obsidian/app.json', 'a vault of Obsidian', '.obsidian/app.json'],
    ] as const) {
      const { recognition } = await readFiles({ 'a.md': 'x', [path]: '' });
      expect(recognition).to.match(new RegExp(`^${start}, since it has ${since}: `));
      expect(recognition).to.include('Otherwise it would be read as Markdown of no certain program');
    }
    expect((await readFiles({ 'a.md': 'x' })).recognition).to.match(
      /^Markdown of no certain program, since it has neither settings of Hugo, /,
    );
  });
});

describe('Dates of a source of Markdown', () => {
  const siteIn = (zone: string, files: Record<string, string>) =>
    readFiles({ '_config.yml': `title: x\ntimezone: ${zone}`, ...files });
  const timesOf = ({ articles }: Read) => Object.values(articles).map(({ createdAt }) => createdAt?.toISOString());

  it('without a time zone are those of the settings of the site', async () => {
    const texts = {
      '_posts/2025-01-01-a.md': '---\ndate: 2025-01-01 08:30:00\nupdated: 2025-01-02 08:30\n---\nx',
      '_posts/2025-01-01-b.md': 'x',
      '_posts/2025-01-01-c.md': '---\ndate: 2025-01-01 08:30:00 +0000\n---\nx',
      '_posts/2025-01-01-d.md': '---\ndate: January 1, 2025\n---\nx',
    };
    const site = await siteIn('Asia/Seoul', texts);
    expect(timesOf(site)).to.deep.equal([
      '2024-12-31T23:30:00.000Z',
      '2024-12-31T15:00:00.000Z',
      '2025-01-01T08:30:00.000Z',
      '2024-12-31T15:00:00.000Z',
    ]);
    const first = articleAt(site, '_posts/2025-01-01-a.md');
    expect([first.updatedAt?.toISOString(), reasonsOf(first)]).to.deep.equal(['2025-01-01T23:30:00.000Z', []]);
    expect(site.recognition).to.include('Dates without a time zone are those of Asia/Seoul');
    const keysOf = ({ articles }: Read) => Object.values(articles).map(({ key }) => key);
    expect(keysOf(site)).to.deep.equal(keysOf(await siteIn('', texts)));
    const hugo = await readFiles({
      'hugo.toml': 'timeZone = "America/New_York"',
      'content/a.md': '+++\ndate = 2025-07-01T08:30:00\n+++\nx',
    });
    expect(timesOf(hugo)).to.deep.equal(['2025-07-01T12:30:00.000Z']);
  });

  it('are the first of two times, and after a gap, where clocks are changed', async () => {
    const texts = {
      '_posts/2021-03-14-a.md': '---\ndate: 2021-03-14 02:30:00\n---\nx',
      '_posts/2021-11-07-b.md': '---\ndate: 2021-11-07 01:30:00\n---\nx',
    };
    expect(timesOf(await siteIn('America/New_York', texts))).to.deep.equal([
      '2021-03-14T07:30:00.000Z',
      '2021-11-07T05:30:00.000Z',
    ]);
  });

  it('are in UTC where the settings name no time zone, which is reported', async () => {
    const site = await siteIn('Asia/Soul', { '_posts/2025-01-01-a.md': '---\ndate: 2025-01-01 08:30\n---\nx' });
    expect(timesOf(site)).to.deep.equal(['2025-01-01T08:30:00.000Z']);
    expect(reasonsOf(articleAt(site, '_posts/2025-01-01-a.md'))).to.deep.equal([
      'dates without a time zone: read as UTC, since "Asia/Soul" in the settings is no time zone | 2025-01-01 08:30 | 1',
    ]);
  });

  it('can end with abbreviations of time zones', async () => {
    for (const [text, iso] of [
      ['2020-01-02 10:00:00 KST', '2020-01-02T01:00:00.000Z'],
      ['2020-01-02 10:00 PST', '2020-01-02T18:00:00.000Z'],
      ['Thu, 02 Jul 2020 03:04:05 CEST', '2020-07-02T01:04:05.000Z'],
      ['2020-01-02 10:00:00 XYZ', undefined],
    ] as const) {
      const { article } = await one(`---\ndate: ${text}\n---\nx`);
      expect(article?.createdAt?.toISOString(), text).to.equal(iso);
      expect(article?.reduced.length, text).to.equal(iso === undefined ? 1 : 0);
    }
  });

  it('are in the names of daily notes, which are their titles', async () => {
    const names = ['2024-05-01', '2024_05_02', '2024.05.03', '20240504', '2024-13-05', '2024-05-06 Rain'];
    const { articles } = await readFiles(Object.fromEntries(names.map((name) => [`journals/${name}.md`, 'x'])));
    expect(names.map((name) => articles[`journals/${name}.md`])).to.have.lengthOf(6);
    const read = names.map((name) => articleAt({ articles } as Read, `journals/${name}.md`));
    expect(read.map(({ createdAt }) => createdAt?.toISOString().slice(0, 10))).to.deep.equal([
      '2024-05-01',
      '2024-05-02',
      '2024-05-03',
      '2024-05-04',
      undefined,
      '2024-05-06',
    ]);
    expect(read.map(({ title }) => title)).to.deep.equal([...names.slice(0, 5), 'Rain']);
    expect(read[0]?.key).to.equal('journals/2024-05-01.md 2024-05-01');
  });
});

describe('A source of Markdown', () => {
  it('has the first heading as its title, without the number signs after it', async () => {
    const titles = {
      '# Learn C#': 'Learn C#',
      '# Owls ##': 'Owls',
      '#  F# and C# #': 'F# and C#',
      '# #': 'a',
      '#owls': 'a',
    };
    for (const [line, title] of Object.entries(titles)) {
      const { article } = await one(`${line}\n\nText`);
      const content = title === 'a' ? `${line}\n\nText` : 'Text';
      expect([article?.title, article?.content.trim()], line).to.deep.equal([title, content]);
    }
  });

  it('leaves out only files about a project, and no texts whose names begin like theirs', async () => {
    const names = [
      'README.md',
      'readme.ko.md',
      'README-pt-BR.md',
      'CHANGELOG.md',
      'license-to-kill.md',
      'contributing-to-linux.md',
    ];
    const { articles } = await readFiles(Object.fromEntries(names.map((name) => [name, 'Text'])));
    expect(Object.keys(articles)).to.deep.equal(['contributing-to-linux.md', 'license-to-kill.md']);
  });

  it('reports a date once that is both of creation and of publication', async () => {
    const { article } = await one('---\npubDate: 2020-01-02 08:00\n---\nText');
    expect(article && reasonsOf(article)).to.deep.equal([
      'dates without a time zone: read as UTC | 2020-01-02 08:00 | 1',
    ]);
  });

  it('is a ZIP archive with one folder', async () => {
    const path = join(await makeFolder(), 'blog.zip');
    const zip = zipOf([
      { name: 'blog-main/_config.yml', content: 'title: x' },
      { name: 'blog-main/_posts/2020-01-02-a.md', content: '---\ntitle: A\nimage: /assets/a.png\n---\nx' },
      { name: 'blog-main/assets/a.png', content: 'x' },
      { name: 'blog-main/../../etc/b.md', content: 'x' },
    ]);
    await writeFile(path, zip);
    const { articles, leftOut } = await read(path);
    expect(Object.keys(articles)).to.deep.equal(['blog-main/_posts/2020-01-02-a.md']);
    expect(articles['blog-main/_posts/2020-01-02-a.md']?.image?.open).to.be.a('function');
    expect(Object.values(leftOut)).to.deep.equal(['files with a path that leads out of the folder or is invalid']);
  });

  it('is one file, if it has front matter', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'any.txt'), '---\ntitle: A\n---\nx');
    await writeFile(join(folder, 'other.txt'), '# A\nx');
    expect(Object.keys((await read(join(folder, 'any.txt'))).articles)).to.deep.equal(['any.txt']);
    const message = await read(join(folder, 'other.txt')).catch((error: Error) => error.message);
    expect(message).to.match(/^it is none of the formats that can be imported: .*Markdown/);
  });

  it('has other keys for texts with equal paths in other folders', async () => {
    const keys = await Promise.all(
      ['2020-01-02', '2020-01-03'].map(async (date) => {
        const { articles } = await readFiles({ 'a.md': `---\ndate: ${date}\n---\nx` });
        return articles['a.md']?.key;
      }),
    );
    expect(new Set(keys).size).to.equal(2);
  });

  it('does not read files outside of it', async () => {
    const { articles } = await readFiles({
      'a.md': '---\nimage: ../../../../etc/hostname.png\n---\n![x](../../../../etc/hostname) ![y](/etc/hostname.png)',
    });
    expect([articles['a.md']?.image, articles['a.md']?.images]).to.deep.equal([null, []]);
  });

  it('has the same keys as an archive with its folder, also when another folder is beside it later', async () => {
    const keysOf = ({ articles }: Read) => Object.values(articles).map(({ key }) => key);
    const texts = { 'posts/a.md': '---\ntitle: A\n---\nx', 'posts/b/index.md': 'y' };
    const keys = keysOf(await readFiles(texts));
    const path = join(await makeFolder(), 'blog.zip');
    await writeFile(
      path,
      zipOf(Object.entries(texts).map(([name, content]) => ({ name: `blog-main/${name}`, content }))),
    );
    expect(keysOf(await read(path))).to.deep.equal(keys);
    expect(keysOf(await readFiles({ ...texts, 'notes/c.md': 'z' }))).to.include.members(keys);
    const [inner = ''] = keysOf(await readFiles({ 'journal/a.md': 'x' }));
    expect(keysOf(await readFiles({ 'journal/a.md': 'x', 'c.md': 'z' }))).to.include(inner);
  });
});
