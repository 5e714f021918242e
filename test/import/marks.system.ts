/** Texts of strangers that consist of one mark: an import takes about the time of an ordinary text of the same length. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { addressesIn, LINKS, mayHavePictures, PICTURES } from '../../src/import/content-references.js';
import { openSource } from '../../src/import/sources/index.js';
import { makeFolder } from '../support/folder.js';
import { FOOT, HEAD, item } from '../support/wordpress.js';

const LENGTH = 100_000;
const MOST_TIMES = 20;
/** Below it, the time of a text says nothing about its length. */
const LEAST_MS = 100;

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
    ['{{< a ', ' >}}'],
    ['{{< details summary="', '" >}}a{{< /details >}}'],
    ['{{< highlight go >}}', '{{< /highlight >}}'],
    ['{{</* ', ' */>}}'],
    ['{#a ', '}'],
    ['a\n: ', '\n'],
  ],
  jekyll: [
    ['{% a ', ' %}'],
    ['{% raw %}', '{% endraw %}'],
    ['{% highlight a %}', '{% endhighlight %}'],
    ['{% comment %}', '{% endcomment %}'],
    ['{: a="', '"}'],
    ['{::comment}', '{:/comment}'],
    ['*[a', ']: b\n'],
    ['*a ', '*'],
    ['_a *b __c **d ', ''],
    ['a | b\n', '---|---\n'],
    ['a\n: ', '\n'],
  ],
  hexo: [
    ['{% asset_img a ', ' %}'],
    ['{% codeblock ', '%}a{% endcodeblock %}'],
  ],
  obsidian: [
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
  velog: [['!youtube[', ']']],
  zenn: [
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
    ['[gallery ', ']'],
    ['[caption]', '[/caption]'],
    ['[caption ', ']'],
    ['gallery', 'x'],
    ['<!-- wp:a ', ' -->'],
    ['[embed]', '[/embed]'],
    ['[code ', ']'],
    ['\n\n', '\n'],
  ],
};

const front = (fields: string, text: string) => `---\ntitle: T\ndate: 2026-01-02\n${fields}---\n${text}`;
const ghost = (post: object) =>
  JSON.stringify({ db: [{ meta: {}, data: { posts: [{ id: 'a', title: 'T', status: 'published', ...post }] } }] });
const card = (markdown: string) => JSON.stringify({ root: { children: [{ type: 'markdown', markdown }] } });

/** The files of an export with one text. */
const PRODUCTS: Readonly<Record<string, { marks: readonly Mark[]; files: (text: string) => Record<string, string> }>> =
  {
    hugo: { marks: [], files: (text) => ({ 'hugo.toml': '', 'content/a.md': front('', text) }) },
    jekyll: { marks: TEXT, files: (text) => ({ '_config.yml': '', '_posts/a.md': front('', text) }) },
    hexo: { marks: [], files: (text) => ({ '_config.yml': '', 'source/_posts/a.md': front('', text) }) },
    obsidian: { marks: [...CODE, ...TEXT], files: (text) => ({ '.obsidian/app.json': '{}', 'a.md': front('', text) }) },
    velog: { marks: [], files: (text) => ({ 'a.md': front('released_at: 2026-01-02\n', text) }) },
    zenn: { marks: [], files: (text) => ({ 'a.md': front('emoji: a\ntype: tech\ntopics: [a]\n', text) }) },
    plain: { marks: HTML, files: (text) => ({ 'a.md': front('', text) }) },
    wordpress: {
      marks: HTML,
      files: (text) => ({
        'a.xml': `${HEAD}${item(1, { content: `<![CDATA[${text.replaceAll(']]>', '')}]]>` })}${FOOT}`,
      }),
    },
    ghost: { marks: [], files: (text) => ({ 'a.json': ghost({ html: text }) }) },
    ghostMarkdown: {
      marks: TEXT,
      files: (text) => ({ 'a.json': ghost({ lexical: card(text) }) }),
    },
  };

async function timeOf(files: Record<string, string>): Promise<number> {
  const folder = await makeFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  const before = process.cpuUsage();
  // A file of a product that has one.
  const [first = ''] = Object.keys(files);
  const path = /\.(?:xml|json)$/.test(first) && Object.keys(files).length === 1 ? join(folder, first) : folder;
  const { source, close } = await openSource(path, { publishProtected: false, now: new Date('2026-02-01') });
  let count = 0;
  for await (const read of source.items()) {
    if (read.kind !== 'article') continue;
    count++;
    mayHavePictures(read.content);
    for (const patterns of [PICTURES, LINKS]) addressesIn(patterns, read.content, 'https://a.test');
  }
  await close();
  expect(count, Object.keys(files).join()).to.equal(1);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const times = (text: string, length = LENGTH) => text.repeat(Math.max(1, Math.floor(length / text.length)));

/** Repeated, never ended, nested, and with a long text after it. */
function textsOf([begin, end]: Mark): string[] {
  const half = LENGTH / 2;
  return [
    times(`${begin}a${end}`),
    times(begin),
    times(begin, half) + times(end || 'a', half),
    `${begin}${times(begin.trim().slice(-1) || 'a', half)}${times(' ', half)}`,
  ];
}

const ORDINARY = times(
  'A *walk* in **winter**, with `code`, an ![owl](owl.png) and a [link](https://a.test).\n\n- a\n- b\n\n',
);

describe('An import of a long text', () => {
  for (const [name, { marks, files }] of Object.entries(PRODUCTS)) {
    it(`takes the time of an ordinary text, whatever marks of ${name} it repeats`, async function () {
      this.timeout(600_000);
      const ordinary = Math.max(LEAST_MS, await timeOf(files(ORDINARY)));
      for (const mark of [...marks, ...(ADDED[name] ?? [])]) {
        for (const [at, text] of textsOf(mark).entries()) {
          const ratio = (await timeOf(files(text))) / ordinary;
          expect(ratio, `${JSON.stringify(mark)}, form ${at}, for an ordinary text ${ordinary} ms`).to.be.below(
            MOST_TIMES,
          );
        }
      }
    });
  }
});
