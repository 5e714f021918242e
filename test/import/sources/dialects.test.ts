/** What becomes of the extensions of Markdown of each program, compared with what the program shows. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { SourceArticle } from '../../../src/import/source.js';
import { openSource } from '../../../src/import/sources/index.js';
import { renderHtml } from '../../../src/services/rendering/render-worker.js';
import { makeFolder } from '../../support/folder.js';

const PROGRAMS = {
  jekyll: { '_config.yml': 'title: Owl' },
  kramdownWithBreaks: { '_config.yml': 'kramdown:\n  hard_wrap: true' },
  hugo: { 'hugo.toml': '' },
  obsidian: { '.obsidian/app.json': '{}' },
  strictObsidian: { '.obsidian/app.json': '{"strictLineBreaks":true}' },
  velog: {},
  eleventy: { 'package.json': '{}' },
} as const;
const PATHS: Readonly<Record<string, string>> = {
  jekyll: '_posts/a.md',
  kramdownWithBreaks: '_posts/a.md',
  hugo: 'content/a.md',
};

async function read(program: keyof typeof PROGRAMS, text: string): Promise<SourceArticle> {
  const folder = await makeFolder();
  const files: Record<string, string> = {
    ...PROGRAMS[program],
    [PATHS[program] ?? 'a.md']:
      `---\ntitle: T\n${program === 'velog' ? 'released_at' : 'date'}: 2026-01-02\n---\n${text}`,
  };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const { source, close } = await openSource(folder, { publishProtected: false, now: new Date('2026-02-01') });
  try {
    for await (const item of source.items()) if (item.kind === 'article') return item;
  } finally {
    await close();
  }
  throw new Error('no article');
}

const reasonsOf = ({ reduced }: SourceArticle) => reduced.map(({ reason }) => reason.replace(/:.*/s, ''));

/** The content, and the beginnings of the reasons that are reported. */
async function converted(program: keyof typeof PROGRAMS, text: string): Promise<[content: string, reasons: string[]]> {
  const article = await read(program, text);
  return [article.content, reasonsOf(article)];
}

const CODE = [
  '`{: .x} ==x== %%x%% ^[x] !youtube[x] {{< figure src="x" >}} {% include x %} <strike>`',
  '``a ` {: .x} ==b==``',
  '```\n> [!note] a\n{: .warning}\n==x== %%y%% ![[z]]\n!youtube[id]\na\nb\n```',
  '- item\n\n  ~~~\n  {: .x}\n  a ^id\n  ~~~',
  '> ```\n> {:toc}\n> a\n> ```',
  '    {: .x}\n    ==x==',
  '<pre>\n{: .x}\n==x==\n</pre>',
  '<code>==x==</code>',
].join('\n\n');

describe('Dialects of Markdown', () => {
  it('change nothing in code', async () => {
    for (const program of Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[])
      expect(await converted(program, CODE), program).to.deep.equal([CODE, []]);
  });

  it('keep single line breaks where the program shows them', async () => {
    const text = '첫 줄\n둘째 줄\n\n- a\n  b\n\n> c\n> d\n\n| e | f |\n|---|---|\n| g | h |\n\n# i\nj';
    const broken = '첫 줄  \n둘째 줄\n\n- a  \n  b\n\n> c  \n> d\n\n| e | f |\n|---|---|\n| g | h |\n\n# i\nj';
    for (const program of ['velog', 'obsidian', 'kramdownWithBreaks'] as const)
      expect(await converted(program, text), program).to.deep.equal([broken, []]);
    for (const program of ['jekyll', 'hugo', 'strictObsidian', 'eleventy'] as const)
      expect(await converted(program, text), program).to.deep.equal([text, []]);
    const { content } = await read('velog', '첫 줄입니다.\n둘째 줄입니다.');
    expect(renderHtml(content, 1_000)).to.equal('<p>첫 줄입니다.<br />둘째 줄입니다.</p>\n');
  });

  it('keep footnotes', async () => {
    const text = 'Owls[^1].\n\n[^1]: Most.\n\n    Not all.';
    for (const program of ['jekyll', 'hugo', 'strictObsidian'] as const)
      expect(await converted(program, text), program).to.deep.equal([text, []]);
    expect(await converted('obsidian', 'Owls^[an [inline](https://a.test)\nnote] and ^[open')).to.deep.equal([
      'Owls[^note-1] and ^[open\n\n[^note-1]: an [inline](https://a.test) note\n',
      [],
    ]);
  });

  it('keep <strike> and line-through as struck text, and report what has no counterpart in HTML', async () => {
    expect(
      await converted(
        'jekyll',
        '<strike>a</strike> <span style="text-decoration: line-through">b</span> <a href="skype:ann">c</a>',
      ),
    ).to.deep.equal([
      '<s>a</s> <s>b</s> <a href="skype:ann">c</a>',
      ['links to addresses other than http, https, mailto, tel, sms, geo, xmpp, irc, ircs, ftp, webcal, magnet'],
    ]);
  });
});

describe('Markdown of kramdown', () => {
  const ATTRIBUTES = ['attributes of kramdown and goldmark'];

  it('is without attributes, which are reported', async () => {
    const texts: [text: string, content: string][] = [
      ['A warning.\n{: .warning}', 'A warning.'],
      ['![owl](https://a.test/a.png){: width="200"}', '![owl](https://a.test/a.png)'],
      ['`a.sh`{: .filepath} and **b**{:.c}', '`a.sh` and **b**'],
      ['- a\n  {: .x}\n- {:.y} b', '- a\n- b'],
      ['> a\n> {: .prompt }\n> b', '> a\n>\n> b'],
      ['| a |\n|---|\n| [b](c){:target="_blank"} |\n{: .t}', '| a |\n|---|\n| [b](c) |'],
      ['## A {#id}\n\nB', '## A\n\nB'],
      ['## A\n{: #id .c }\n\nB', '## A\n\nB'],
      ['```\na\n```\n{: .nolineno }', '```\na\n```'],
      ['{:name: .x}\nA', 'A'],
    ];
    for (const [text, content] of texts)
      expect(await converted('jekyll', text), text).to.deep.equal([content, ATTRIBUTES]);
  });

  it('keeps what only looks like attributes', async () => {
    for (const text of ['a {: .x} b', 'A {: .x\n\nB', '## Set {a, b}', '{: {'])
      expect(await converted('jekyll', text), text).to.deep.equal([text, []]);
  });

  it('is without tables of contents, comments and abbreviations, which are reported', async () => {
    expect(await converted('jekyll', '* TOC\n{:toc}\n\nA')).to.deep.equal(['\nA', ['tables of contents']]);
    expect(await converted('jekyll', 'A{::comment}b{:/comment}c')).to.deep.equal([
      'Ac',
      ['comments in the source of a text'],
    ]);
    const article = await read('jekyll', 'HTML.\n\n*[HTML]: Hyper Text');
    expect([article.content, article.reduced]).to.deep.equal([
      'HTML.\n\n',
      [{ reason: 'abbreviations: their explanations are left out', detail: 'HTML: Hyper Text' }],
    ]);
  });

  it('has lists of definitions', async () => {
    for (const program of ['jekyll', 'hugo'] as const) {
      const { content, reduced } = await read(
        program,
        'Owl\n: A *bird*\n: Not a cat\n\nCat\n\n: Loose\n\n    Second\n\nEnd',
      );
      expect(renderHtml(content, 1_000).replace(/\n| {2}/g, ''), program).to.equal(
        '<dl><dt><p>Owl</p></dt><dd><p>A <em>bird</em></p></dd><dd><p>Not a cat</p></dd>' +
          '<dt><p>Cat</p></dt><dd><p>Loose</p><p>Second</p></dd></dl><p>End</p>',
      );
      expect(reduced).to.deep.equal([]);
    }
  });

  it('has formulas as code, and Markdown in HTML', async () => {
    expect(await converted('jekyll', 'A $$a*b*c$$.\n\n$$\na_1 * b\n$$\n\n$5 and $6')).to.deep.equal([
      'A `$$a*b*c$$`.\n\n```math\na_1 * b\n```\n\n$5 and $6',
      ['formulas'],
    ]);
    const [content] = await converted('jekyll', '<div markdown="1">\n**a**\n</div>');
    expect(renderHtml(content, 1_000)).to.include('<strong>a</strong>');
  });

  it('has tags of Liquid as what they show, or as text that is reported', async () => {
    expect(
      await converted('jekyll', '{% raw %}{{ a }}{% endraw %}\n\n```\n{% raw %}{% b %}{% endraw %}\n```'),
    ).to.deep.equal(['{{ a }}\n\n```\n{% b %}\n```', []]);
    expect(await converted('jekyll', "{% include embed/youtube.html id='abc' %}")).to.deep.equal([
      '<https://www.youtube.com/watch?v=abc>',
      ['embedded pages and media'],
    ]);
    expect(await converted('jekyll', '{% highlight md %}\na ``` b\n{% endhighlight %}')).to.deep.equal([
      '````md\na ``` b\n````',
      [],
    ]);
    expect(await converted('jekyll', 'A {% highlight md %}b{% endhighlight %} c')).to.deep.equal([
      'A \n```md\nb\n```\nc',
      [],
    ]);
    expect(await converted('jekyll', 'A {{ page.title }} {% if a %}b{% endif %}')).to.deep.equal([
      'A {{ page.title }} {% if a %}b{% endif %}',
      ['tags of Liquid without a counterpart'],
    ]);
    expect(await converted('jekyll', '{% comment %}a{% endcomment %}b')).to.deep.equal([
      'b',
      ['comments in the source of a text'],
    ]);
  });
});

describe('Markdown of goldmark', () => {
  it('is without attributes, and has shortcodes as what they show', async () => {
    expect(await converted('hugo', '## A {#b .c}\n\nD\n{.e}')).to.deep.equal([
      '## A\n\nD\n',
      ['attributes of kramdown and goldmark'],
    ]);
    expect(await converted('hugo', '{{< vimeo 12 >}} {{< tweet user="a" id="1" >}}')).to.deep.equal([
      '<https://vimeo.com/12> <https://twitter.com/a/status/1>',
      ['embedded pages and media'],
    ]);
    expect(await converted('hugo', '{{< details summary="A" >}}\n**b**\n{{< /details >}}')).to.deep.equal([
      '<details><summary>A</summary>\n\n**b**\n\n</details>',
      [],
    ]);
    expect(await converted('hugo', '- a\n\n  {{< highlight go >}}\n  b\n  {{< /highlight >}}')).to.deep.equal([
      '- a\n\n  ```go\n  b\n  ```',
      [],
    ]);
    expect(await converted('hugo', '`{{</* youtube a */>}}`')).to.deep.equal(['`{{< youtube a >}}`', []]);
  });
});

describe('Markdown of Obsidian', () => {
  it('has callouts as quotations with their titles', async () => {
    const texts: [text: string, content: string][] = [
      ['> [!warning] Loud\n> Owls.', '> **Loud**\n>\n> Owls.'],
      ['> [!faq]-', '> **Faq**'],
      ['> [!note|wide]+ A `b`\n> > [!tip]\n> > c', '> **A `b`**\n>\n> > **Tip**\n> >\n> > c'],
      ['- > [!note]\n  > a', '- > **Note**\n  >\n  > a'],
      ['> [!note]\n> ```\n> a\n> ```', '> **Note**\n>\n> ```\n> a\n> ```'],
    ];
    for (const [text, content] of texts)
      expect(await converted('obsidian', text), text).to.deep.equal([content, ['callouts']]);
    expect(await converted('obsidian', '> [!note A\n\n[!note] B')).to.deep.equal(['> [!note A\n\n[!note] B', []]);
  });

  it('has highlights, tasks and sizes of pictures as articles can have them', async () => {
    const texts: [text: string, content: string][] = [
      ['A ==b `c` *d*== e', 'A <mark>b `c` *d*</mark> e'],
      ['| ==a== |\n|---|', '| <mark>a</mark> |\n|---|'],
      ['a == b == c ==d', 'a == b == c ==d'],
      [
        'https://a.test/?b==c&d==e [f](https://a.test/?b==c==)',
        'https://a.test/?b==c&d==e [f](https://a.test/?b==c==)',
      ],
      ['- [/] a\n- [-] b\n- [ ] c\n- [d](e)', '- [x] a\n- [x] b\n- [ ] c\n- [d](e)'],
      ['![a|100x20](https://a.test/b.png)', '![a](https://a.test/b.png)'],
    ];
    for (const [text, content] of texts) expect(await converted('obsidian', text), text).to.deep.equal([content, []]);
  });

  it('is without comments and ids of blocks, which are reported', async () => {
    expect(await converted('obsidian', 'A %%b\n\nc%% d ^e-1\n\nf ^2 g')).to.deep.equal([
      'A  d\n\nf ^2 g',
      ['comments of Obsidian (%%)', 'ids of blocks (^id)'],
    ]);
    expect(await converted('obsidian', '100 %% of it')).to.deep.equal(['100 %% of it', []]);
  });

  it('has formulas as code, and amounts as text', async () => {
    expect(await converted('obsidian', '$a*b*c$ for $5 and $6')).to.deep.equal([
      '`$a*b*c$` for $5 and $6',
      ['formulas'],
    ]);
  });
});

describe('HTML in Markdown of any program', () => {
  it('has links in place of embedded pages, and no scripts, styles and fields of forms, but in code', async () => {
    const html =
      '<iframe src="//a.test/b?c&amp;d"></iframe>\n\n<script>\n\n#e ==f==\n</script>\n\n<style>.g{}</style>h';
    for (const program of ['jekyll', 'hugo', 'obsidian', 'velog', 'eleventy'] as const) {
      const { content, reduced, tags } = await read(program, `${html}\n\n\`\`\`\n${html}\n\`\`\``);
      const link = 'https://a.test/b?c&amp;d';
      expect(content.replace(/\n{2,}/g, '\n\n'), program).to.equal(
        `<a href="${link}">${link}</a>\n\nh\n\n\`\`\`\n${html}\n\`\`\``,
      );
      expect([reduced.map(({ reason }) => reason), tags], program).to.deep.equal([
        ['scripts, styles and drawings in HTML: left out', 'embedded pages and media: now links'],
        [],
      ]);
    }
    const [video] = await converted('hugo', '<video controls><source src="/a.mp4">No video</video>');
    expect(video).to.equal('<a href="/a.mp4">/a.mp4</a>');
  });
});

describe('Callouts of programs for documentation', () => {
  it('are quotations with their titles, with the code in them', async () => {
    const texts: [text: string, content: string][] = [
      [':::note\nA\n:::', '> **Note**\n>\n> A'],
      ['::: tip Loud\nA\n\nB\n:::\nC', '> **Loud**\n>\n> A\n>\n> B\n\nC'],
      [':::warning[A *b*]\n```\n:::\n\na\n```\n:::', '> A *b*\n>\n> ```\n> :::\n>\n> a\n> ```'],
      ['::: {.callout-tip title="A"}\nB\n:::', '> **A**\n>\n> B'],
      ['!!! note "A"\n    B\n\n    ```\n    ==c==\n    ```\n\nD', '> **A**\n>\n> B\n>\n> ```\n> ==c==\n> ```\n\nD'],
      ['??? tip\n    B', '> **Tip**\n>\n> B'],
    ];
    for (const [text, content] of texts) {
      const [made, reasons] = await converted('eleventy', text);
      expect(
        [
          made
            .replace(/ +$/gm, '')
            .replace(/\n{3,}/g, '\n\n')
            .trim(),
          reasons,
        ],
        text,
      ).to.deep.equal([content, ['callouts']]);
    }
    expect(await converted('eleventy', 'a ::: b\n\n:::note\nA')).to.deep.equal(['a ::: b\n\n:::note\nA', []]);
  });
});

describe('Line breaks of programs', () => {
  const TEXT = 'A\n2. b\n| c\n- d';
  const withFields = async (fields: string, files: Record<string, string> = {}, path = 'a.md') => {
    const folder = await makeFolder();
    for (const [name, content] of Object.entries({ ...files, [path]: `---\ntitle: T\n${fields}---\n${TEXT}` })) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
    const { source, close } = await openSource(folder, { publishProtected: false, now: new Date('2026-02-01') });
    for await (const item of source.items()) {
      if (item.kind !== 'article') continue;
      await close();
      return item.content;
    }
    throw new Error('no article');
  };

  it('are kept only if it is certain that readers saw them', async () => {
    const broken = 'A  \n2. b  \n| c\n- d';
    const date = 'date: 2026-01-02\n';
    expect(await withFields(`${date}tags: [a]\ndescription: b\n`)).to.equal(TEXT);
    expect(await withFields('released_at: 2026-01-02\n')).to.equal(broken);
    expect(await withFields('emoji: a\ntype: tech\ntopics: [a]\n')).to.equal(broken);
    const post = 'source/_posts/a.md';
    expect(await withFields(date, { '_config.yml': 'title: a' }, post)).to.equal(broken);
    expect(await withFields(date, { '_config.yml': 'marked:\n  breaks: false' }, post)).to.equal(TEXT);
    expect(await withFields(date, { '_config.yml': 'title: a', Gemfile: '' }, post)).to.equal(TEXT);
  });
});

describe('Markdown of Velog', () => {
  it('has embeds as links', async () => {
    expect(
      await converted('velog', '!youtube[abc]\n\n- !codepen[owl/abc]\n\n!codesandbox[a-b] !twitter[a/status/1]'),
    ).to.deep.equal([
      '<https://www.youtube.com/watch?v=abc>\n\n- <https://codepen.io/owl/pen/abc>\n\n<https://codesandbox.io/s/a-b> <https://twitter.com/a/status/1>',
      ['embedded pages and media'],
    ]);
    expect(await converted('velog', '!youtube[abc and !other[x]')).to.deep.equal(['!youtube[abc and !other[x]', []]);
  });
});
