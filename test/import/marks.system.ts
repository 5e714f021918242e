/** Texts of strangers that consist of one mark: an import takes about the time of an ordinary text of the same length. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { addressesIn, LINKS, mayHavePictures, PICTURES } from '../../src/import/content-references.js';
import { MAX_TEXT_BYTES } from '../../src/import/input.js';
import { personOf } from '../../src/import/person.js';
import { planArticle } from '../../src/import/plan.js';
import type { SourceItem } from '../../src/import/source.js';
import { openSource } from '../../src/import/sources/index.js';
import { makeFolder } from '../support/folder.js';
import { FOOT, HEAD, item } from '../support/wordpress.js';

const LENGTH = 1_000_000;
/** The slowest ones need seven times the time of an ordinary text, since what is made of them is as much longer. */
const MOST_TIMES = 15;

type Mark = readonly [begin: string, end: string];

const HTML: readonly Mark[] = [
  ['<span style="line-through', '"></span>'],
  ['<span style="text-decoration:line-through">', '</span>'],
  [' style="line-through', '"'],
  ['<iframe src="', '"></iframe>'],
  ['<script>', '</script>'],
  ['<video ', '</video>'],
  ['<pre>', '</pre>'],
  ['<code>', '</code>'],
  ['<!--', '-->'],
  ['<a href="', '">'],
  ["<a title='", "'>"],
  ['<img src=', '>'],
  ['<b a="', '">'],
];
const CODE: readonly Mark[] = [
  ['`', '`'],
  ['\\`', '``'],
  ['```\n', '\n```'],
  ['> ', '\n'],
  ['- ', '\n'],
  ['1. ', '\n\n'],
  ['    a\n\n', ''],
  ['<div>\n', '\n\n'],
  ['[^a]: ', '\n'],
  ['![a](', ')'],
  ['[a]: ', '\n'],
  ['$$', '$$'],
];
const TEXT: readonly Mark[] = [
  ['| a ', '|\n'],
  ['- ', '\n'],
  ['_a', '_ '],
  ['**a ', '**(a)'],
];
const ADDED: Readonly<Record<string, readonly Mark[]>> = {
  hugo: [
    ['{{< ref "', '" >}}'],
    ['{{< a `', '` >}}'],
    ['## a {#a ', '}\n'],
    ['{{< a ', ' >}}'],
    ['{{< details summary="', '" >}}a{{< /details >}}'],
    ['{{< highlight go >}}', '{{< /highlight >}}'],
    ['{{</* ', ' */>}}'],
    ['{#a ', '}'],
  ],
  jekyll: [
    ['{{ "', '" | relative_url }}'],
    ['{% post_url ', ' %}'],
    ['{% include youtube id="', '" %}'],
    ['- a\n{:toc', '}\n'],
    ['<div markdown="1" ', '>\n'],
    ['{% a ', ' %}'],
    ['{% raw %}', '{% endraw %}'],
    ['{% highlight a %}', '{% endhighlight %}'],
    ['{% comment %}', '{% endcomment %}'],
    ['{: a="', '"}'],
    ['{::comment}', '{:/comment}'],
    ['*[a', ']: b\n'],
    ['*a ', '*'],
    ['_a *b __c **d ', ''],
    ['**a ', '**(a)'],
    ['    - b\n__', ''],
    ['a | b\n', '---|---\n'],
    ['a\n: ', '\n'],
  ],
  hexo: [
    ['{% img "', '" %}'],
    ['{% asset_img a ', ' %}'],
    ['{% codeblock ', '%}a{% endcodeblock %}'],
  ],
  obsidian: [
    ['[[#a', '^]]'],
    ['- [x', '] \n'],
    ['![a|1', '](b)'],
    ['[[', ']]'],
    ['![[a|', ']]'],
    ['==a', '=='],
    ['%%', '%%'],
    ['^[a', ']'],
    ['^[a] [^note-', ']'],
    ['> [!a', ']\n'],
    ['$a', '$ '],
    ['#a', ' '],
    [' ^a', '\n\n'],
  ],
  velog: [
    ['!youtube[', ']'],
    ['$', '$'],
  ],
  zenn: [
    ['![a](b =1x', ')'],
    ['$$\n', '$$\n'],
    ['@[youtube](', ')'],
    [':::message\n', '\n:::\n'],
    [':::details a\n', '\n:::\n'],
  ],
  plain: [
    [':::note\n', '\n:::\n'],
    ['::: {.a ', '}\n'],
    ['!!! note "', '"\n'],
    ['!!! note\n    ', '\n'],
    ['=== "', '"\n'],
  ],
  wordpress: [
    ['[gallery ids="1,', ' "]'],
    ['[latex]', '[/latex]'],
    ['[a="', '"]'],
    ['[[', 'gallery]]'],
    ['[caption]<img ', '>[/caption]'],
    ['<b>\n\n', 'a</b>'],
    ['<br>', '\n'],
    ['[gallery ', ']'],
    ['[caption]', '[/caption]'],
    ['[caption ', ']'],
    ['gallery', 'x'],
    ['<!-- wp:a ', ' -->'],
    ['[embed]', '[/embed]'],
    ['[code ', ']'],
    ['\n\n', '\n'],
  ],
  hashnode: [
    ['%[https://a.test/', ']\n'],
    ['![a](b align="left"', ')'],
  ],
  medium: [
    ['<script src="', '"></script>'],
    ['<pre data-code-block-lang="', '"></pre>'],
    ['<section data-field="body">', '</section>'],
    ['<a href="', '" class="p-canonical"></a>'],
  ],
  ghost: [
    ['"/content/images/', '"'],
    ['<img class="kg-image" width="', '1">'],
    ['<div class="kg-audio-player">', '</div>'],
  ],
};

const front = (fields: string, text: string) => `---\ntitle: T\ndate: 2026-01-02\n${fields}---\n${text}`;
const hashnode = (post: object) =>
  JSON.stringify({ posts: [{ cuid: 'a', title: 'T', dateAdded: '2026-01-02', ...post }] });
const ghost = (post: object) =>
  JSON.stringify({ db: [{ meta: {}, data: { posts: [{ id: 'a', title: 'T', status: 'published', ...post }] } }] });
const card = (markdown: string) => JSON.stringify({ root: { children: [{ type: 'markdown', markdown }] } });

/** The files of an export with one text. */
const PRODUCTS: Readonly<Record<string, { marks: readonly Mark[]; files: (text: string) => Record<string, string> }>> =
  {
    hugo: { marks: [], files: (text) => ({ 'hugo.toml': '', 'content/a.md': front('', text) }) },
    jekyll: { marks: [], files: (text) => ({ '_config.yml': '', '_posts/a.md': front('', text) }) },
    hexo: { marks: [], files: (text) => ({ '_config.yml': '', 'source/_posts/a.md': front('', text) }) },
    obsidian: { marks: [], files: (text) => ({ '.obsidian/app.json': '{}', 'a.md': front('', text) }) },
    velog: { marks: [], files: (text) => ({ 'a.md': front('released_at: 2026-01-02\n', text) }) },
    zenn: { marks: [], files: (text) => ({ 'a.md': front('emoji: a\ntype: tech\ntopics: [a]\n', text) }) },
    plain: { marks: HTML, files: (text) => ({ 'a.md': front('', text) }) },
    wordpress: {
      marks: HTML,
      files: (text) => ({
        'a.xml': `${HEAD}${item(1, { content: `<![CDATA[${text.replaceAll(']]>', '')}]]>` })}${FOOT}`,
      }),
    },
    html: { marks: [], files: (text) => ({ 'a.html': front('', text) }) },
    hashnodeHtml: { marks: [], files: (text) => ({ 'a.json': hashnode({ content: text }) }) },
    hashnode: { marks: [], files: (text) => ({ 'a.json': hashnode({ contentMarkdown: text }) }) },
    medium: {
      marks: [],
      files: (text) => ({
        'posts/2026-01-02_a.html': `<div class="h-entry"><section data-field="body"><h3>T</h3>${text}</section><footer></footer></div>`,
      }),
    },
    ghost: { marks: [], files: (text) => ({ 'a.json': ghost({ html: text }) }) },
    ghostMarkdown: {
      marks: [...CODE, ...TEXT],
      files: (text) => ({ 'a.json': ghost({ lexical: card(text) }) }),
    },
  };

async function readItems(files: Record<string, string>): Promise<SourceItem[]> {
  const folder = await makeFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  // A file of a product that has one.
  const [first = ''] = Object.keys(files);
  const path = /\.(?:xml|json)$/.test(first) && Object.keys(files).length === 1 ? join(folder, first) : folder;
  const { source, close } = await openSource(path, { publishProtected: false, now: new Date('2026-02-01') });
  const items: SourceItem[] = [];
  for await (const item of source.items()) items.push(item);
  await close();
  return items;
}

async function timeOf(files: Record<string, string>): Promise<number> {
  const before = process.cpuUsage();
  const articles = (await readItems(files)).filter((item) => item.kind === 'article');
  for (const article of articles) {
    planArticle(article, { defaultAuthor: () => personOf({ key: 'a', name: 'A', email: null }), now: new Date() });
    mayHavePictures(article.content);
    for (const patterns of [PICTURES, LINKS]) addressesIn(patterns, article.content, 'https://a.test');
  }
  expect(articles, Object.keys(files).join()).to.have.length(1);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const times = (text: string, length: number) => text.repeat(Math.max(1, Math.floor(length / text.length)));

/** A text of one mark: repeated, nested, with a long word and space after it, and never ended. */
function textOf([begin, end]: Mark): string {
  const part = LENGTH / 4;
  return [
    times(`${begin}a${end}`, part),
    times(begin, part / 2) + times(end || 'a', part / 2),
    begin + times(begin.trim().slice(-1) || 'a', part / 2) + times(' ', part / 2),
    times(begin, part),
  ].join('\n\n');
}

const ORDINARY = times(
  'A *walk* in **winter**, with `code`, an ![owl](owl.png) and a [link](https://a.test).\n\n- a\n- b\n\n',
  LENGTH,
);

describe('An import of a long text', () => {
  for (const [name, { marks, files }] of Object.entries(PRODUCTS)) {
    it(`takes the time of an ordinary text, whatever marks of ${name} it repeats`, async function () {
      this.timeout(600_000);
      // The first text takes the time to compile the code too.
      await timeOf(files(ORDINARY.slice(0, LENGTH / 10)));
      const ordinary = await timeOf(files(ORDINARY));
      for (const mark of [...marks, ...(ADDED[name] ?? [])]) {
        const ratio = (await timeOf(files(textOf(mark)))) / ordinary;
        expect(ratio, `${JSON.stringify(mark)}, for an ordinary text ${ordinary} ms`).to.be.below(MOST_TIMES);
      }
    });
  }

  const nested: Record<string, readonly string[]> = {
    jekyll: ['> ', '- ', '[', '('],
    obsidian: ['[[', '> [!a] '],
    hugo: ['{{< '],
    html: ['<iframe>', '<div>'],
    wordpress: ['<iframe>', '<div>', '[embed]'],
    ghost: ['<iframe>'],
    hashnodeHtml: ['<iframe>'],
    medium: ['<iframe>'],
  };
  for (const [name, units] of Object.entries(nested)) {
    it(`is read however deeply ${name} is nested`, async function () {
      this.timeout(600_000);
      for (const unit of units) await timeOf(PRODUCTS[name]?.files(times(unit, LENGTH)) ?? {});
    });
  }

  it('that needs more memory than its conversion has is left out by itself', async function () {
    this.timeout(600_000);
    const items = await readItems({
      '.obsidian/app.json': '{}',
      'a.md': `==${'a'.repeat(MAX_TEXT_BYTES - 2)}`,
      'b.md': 'Text',
    });
    expect(items.map((item) => [item.kind, 'place' in item && item.place])).to.deep.equal([
      ['left out', 'a.md'],
      ['article', 'b.md'],
    ]);
  });
});
