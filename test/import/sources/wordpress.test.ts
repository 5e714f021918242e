/** Texts of WordPress as Markdown: what WordPress shows of them. */
import { expect } from 'chai';
import type { Reduction } from '../../../src/import/source.js';
import { toMarkdown } from '../../../src/import/sources/wordpress/content.js';
import { withParagraphs } from '../../../src/import/sources/wordpress/paragraphs.js';
import { convertShortcodes } from '../../../src/import/sources/wordpress/shortcodes.js';
import { linesOfMarkdown } from '../../support/compared-words.js';
import { articleHtml } from '../../support/shown-by-wordpress.js';
import { visibleLines } from '../../support/visible-words.js';

function convert(text: string): { markdown: string; reduced: string[] } {
  const reduced: Reduction[] = [];
  const markdown = toMarkdown(text, reduced);
  return {
    markdown,
    reduced: reduced.map(({ reason, detail, count }) => [reason, detail, count].filter(Boolean).join(' | ')),
  };
}

/** Texts of the classic editor, with the Markdown that shows them as WordPress does. */
const CLASSIC: Record<string, [text: string, markdown: string][]> = {
  'paragraphs and line breaks': [
    ['Fog over the bay,\nlamps.\n\nA second stanza.', 'Fog over the bay,\\\nlamps.\n\nA second stanza.'],
    ['a<br>\nb<br/><br />c</br>d', 'a\\\nb\n\nc\\\nd'],
    ['<p align="center">a\nb\n\nc</p>d', 'a\\\nb\n\nc\n\nd'],
    ['a <b>b\n\nc</b> d', 'a **b**\n\n**c** d'],
    ['<h2>a\nb</h2>\nc\n<hr>\nd', '## a<br>b\n\nc\n\n---\n\nd'],
    ['<blockquote>a\nb\n\nc</blockquote>', '> a\\\n> b\n>\n> c'],
    ['a\n<!--more-->\n\nb<!-- x\n\ny -->\n<!--nextpage-->c', 'a\n\nb\\\nc'],
    ['a <a\nhref="https://x.example/">b</a>', 'a [b](https://x.example/)'],
  ],
  'lists and tables': [
    ['<ul>\n\n    <li>bread</li>\n\n    <li>milk\n\n</ul>\n\nDone.', '- bread\n- milk\n\nDone.'],
    ['<ul>\n<li>a\nb\n<ol>\n<li>c</li>\n</ol>\n</li>\n</ul>', '- a\\\n  b\n  1. c'],
    ['<table>\n<tr><th>a\nb</th></tr>\n<tr><td>1*</td></tr></table>', '| a<br>b |\n| --- |\n| 1\\* |'],
  ],
  'characters of Markdown': [
    [
      '10~15도, 40~50%\n3*4*5 __a__ `b` [c](d) &lt;e&gt;',
      '10\\~15도, 40\\~50%\\\n3\\*4\\*5 \\_\\_a\\_\\_ \\`b\\` \\[c\\](d) \\<e>',
    ],
    ['# 1\n01. a\n- b\n+ c\n> d\n    e\n===', '\\# 1\\\n01\\. a\\\n\\- b\\\n\\+ c\\\n\\> d\\\ne\\\n\\==='],
    ['a < b <3 <b', 'a < b <3 \\<b'],
  ],
  'code as it is': [
    ['<pre>\n# a\n\n  <b>b</b> *c*\n</pre>\nd', '<pre>\n# a\n\n  <b>b</b> *c*\n</pre>\n\nd'],
    ['[code]\n# list\n\nls -l\n[/code]\nText.', '```\n# list\n\nls -l\n```\n\nText.'],
    ['[sourcecode language="php"]\n<?php # "&lt;" ?>\n<b>\n[/sourcecode]', '```php\n<?php # "&lt;" ?>\n<b>\n```'],
    [
      '[php]\n  a();[/php]\n[code lang=js]a &lt; b &amp;&amp; c[/code]',
      '```php\n  a();\n```\n\n```js\na < b && c\n```',
    ],
    ['<ul><li>a [code]*b*[/code]</li></ul>', '- a\n\n  ```\n  *b*\n  ```'],
    ['<pre>[gallery]</pre> <code>[caption] [[audio]]</code>', '<pre>[gallery]</pre>\n\n`[caption] [audio]`'],
  ],
  'shortcodes with an equivalent': [
    [
      '[caption id="a" width="3"]<img src="https://x.example/a.png" alt="" /> The *owl*[/caption]',
      '<figure><img src="https://x.example/a.png" alt=""><figcaption>The *owl*</figcaption></figure>',
    ],
    [
      '[wp_caption caption="Old [1]"]<a href="https://x.example/b"><img src="https://x.example/b.png" alt="b"></a>[/wp_caption]'.replace(
        ' [1]',
        '',
      ),
      '<figure><a href="https://x.example/b"><img src="https://x.example/b.png" alt="b"></a><figcaption>Old</figcaption></figure>',
    ],
    ['a [[gallery ids="1"]] [[code]b[/code]]', 'a \\[gallery ids="1"\\] \\[code\\]b\\[/code\\]'],
    ['a\n[gallery ids="1,2"]\nb', 'a\n\n[gallery ids="1,2"]\n\nb'],
  ],
  'tags that browsers tolerate': [
    ['The <a href="https://x.example/"" title="Barn">Barn</a> now.', 'The [Barn](https://x.example/ "Barn") now.'],
    ['<img src="https://x.example/a.png"alt="b"/> <B>c</B ></i>', '![b](https://x.example/a.png) **c**'],
  ],
};

const LINK = 'embedded pages and media: now links';
const UNKNOWN = 'shortcodes of WordPress without a counterpart: they stay as text';
const UNCLOSED = 'tags without an end that would hide the rest of the text: now text';

/** What the report says. */
const REPORTED: [text: string, markdown: string, reduced: string[]][] = [
  [
    'a\nhttps://x.example/?a=1&b_c\nb',
    'a\\\n<https://x.example/?a=1&b_c>\\\nb',
    [`${LINK} | https://x.example/?a=1&b_c`],
  ],
  ['[youtube http://youtu.be/a?w=5&h=3]', '<http://youtu.be/a?w=5&h=3>', [`${LINK} | http://youtu.be/a?w=5&h=3`]],
  [
    '[youtube=a-b][vimeo 12]',
    '<https://www.youtube.com/watch?v=a-b>\n\n<https://vimeo.com/12>',
    [`${LINK} | https://www.youtube.com/watch?v=a-b`, `${LINK} | https://vimeo.com/12`],
  ],
  ['[embed width="1"]https://x.example/a[/embed]', '<https://x.example/a>', [`${LINK} | https://x.example/a`]],
  ['[audio https://x.example/a.mp3]', '<https://x.example/a.mp3>', [`${LINK} | https://x.example/a.mp3`]],
  ['[video mp4="https://x.example/a.mp4"][/video]', '<https://x.example/a.mp4>', [`${LINK} | https://x.example/a.mp4`]],
  ['[latex]a_b[/latex]', '`a_b`', ['formulas: now code | 1']],
  [
    '[form id="1"] [form id="2"] [sic] [1]\n[slider]',
    '\\[form id="1"\\] \\[form id="2"\\] \\[sic\\] \\[1\\]\\\n\\[slider\\]',
    [`${UNKNOWN} | [form] | 2`, `${UNKNOWN} | [slider] | 1`],
  ],
  [
    '[audio] [playlist ids="1"]',
    '\\[audio\\] \\[playlist ids="1"\\]',
    [`${UNKNOWN} | [audio] | 1`, `${UNKNOWN} | [playlist] | 1`],
  ],
  [
    'a <textarea> b <script> *c*',
    'a \\<textarea> b \\<script> \\*c\\*',
    [`${UNCLOSED} | <textarea>`, `${UNCLOSED} | <script>`],
  ],
];

describe('Texts of WordPress', () => {
  for (const [subject, cases] of Object.entries(CLASSIC)) {
    it(`of the classic editor have ${subject}`, () => {
      for (const [text, markdown] of cases) {
        expect(convert(text), text).to.deep.equal({ markdown, reduced: [] });
        const shown = visibleLines(articleHtml(text)).join('\n');
        if (!text.includes('[gallery')) expect(linesOfMarkdown(markdown).join('\n'), text).to.equal(shown);
      }
    });
  }

  it('are reported where something is lost or changed', () => {
    for (const [text, markdown, reduced] of REPORTED) expect(convert(text), text).to.deep.equal({ markdown, reduced });
  });

  it('of the block editor have lines breaks outside of blocks only', () => {
    const text = `<!-- wp:paragraph -->\n<p>a\nb 3*4</p>\n<!-- /wp:paragraph -->

c
d
<!-- wp:freeform -->
e

f
<!-- /wp:freeform -->
<!-- wp:embed {"url":"https://x.example/1"} -->
<figure><div>
https://x.example/1
</div></figure>
<!-- /wp:embed -->
<!-- wp:block {"ref":12} /-->`;
    expect(convert(text)).to.deep.equal({
      markdown: 'a b 3\\*4\n\nc\\\nd\n\ne\n\nf\n\n<https://x.example/1>',
      reduced: ['blocks that WordPress computes when it shows them: left out | block', `${LINK} | https://x.example/1`],
    });
  });

  it('are read in linear time', function () {
    this.timeout(60_000);
    const timeOf = (text: string) => {
      const begun = process.cpuUsage();
      withParagraphs(convertShortcodes(text, (shortcode) => shortcode).html);
      const { user, system } = process.cpuUsage(begun);
      return user + system;
    };
    const parts = [
      '[',
      '[code',
      '[code]',
      '[[code]',
      '[caption x',
      '[a]',
      '[/a]',
      '<',
      '<p',
      '<p>',
      '<b>',
      '<b>\n\n',
      '</b>',
      '<li>',
      '\n\n',
      '\n',
      '<br>',
    ];
    for (const part of [
      ...parts,
      '<!--',
      '<pre',
      '<pre>',
      '<code>',
      '<a href="',
      "<a b='",
      '<script>',
      ' ',
      'http://a\n',
      '&',
      '[audio]',
      '<ul></b>',
    ]) {
      const [short = 0, long = 0] = [25_000, 100_000].map((length) => timeOf(part.repeat(length / part.length)));
      // Four times as much, or sixteen times if it were quadratic. Short times are imprecise.
      expect(long, JSON.stringify(part)).to.be.below(10 * Math.max(short, 50_000));
    }
  });
});
