import { expect } from 'chai';
import { htmlToMarkdown } from '../../src/import/html-to-markdown.js';

/** HTML, and the Markdown that it becomes. */
const CONVERTED: Record<string, [html: string, markdown: string][]> = {
  'inline elements': [
    ['<p>a <b>b</b>, <em>c</em>, <s>d</s></p>', 'a **b**, *c*, ~~d~~'],
    ['<p><strong><em>a</em></strong> <em><strong>b</strong></em></p>', '**_a_** _**b**_'],
    ['<p>a<b> b </b>c <strong>d</strong><strong>e</strong></p>', 'a **b** c **de**'],
    ['<p><code>a*b</code> <code>a`b</code></p>', '`a*b` ``a`b``'],
    ['<p>H<sub>2</sub>O, <u>a *b*</u></p>', 'H<sub>2</sub>O, <u>a \\*b\\*</u>'],
    ['<p>a<br>b</p><h2>a<br>b</h2>', 'a\\\nb\n\n## a<br>b'],
  ],
  'elements and styles that look like others': [
    ['<p><strike>a</strike> <span style="text-decoration: line-through;">b</span> c</p>', '~~a~~ ~~b~~ c'],
    ['<ul><li style="text-decoration-line:line-through">a</li></ul>', '- ~~a~~'],
    ['<p style="text-decoration: underline line-through"><font color="red">a</font></p>', '~~<u>a</u>~~'],
    [
      '<p><span style="font-weight:700"><span style="font-style: italic">a</span></span> <b style="font-weight:bold">b</b></p>',
      '**_a_** **b**',
    ],
    ['<p><span style="font-weight: 400; color: line-through">a</span></p>', 'a'],
    ['<p>He said <q>hoot, <q>ha</q></q> twice, <q>a</p>', 'He said “hoot, ‘ha’” twice, “a”'],
    ['<p><tt>a</tt> <cite>b</cite></p>', '`a` *b*'],
    ['<table><tr><th>a</th></tr><tr><td><strike>b</strike></td></tr></table>', '| a |\n| --- |\n| ~~b~~ |'],
  ],
  'links and images': [
    ['<p><a href="/a(b)" title="&quot;c&quot;">d</a></p>', '[d](</a(b)> "\\"c\\"")'],
    ['<p><a href="https://x.example/?a=1&amp;b">https://x.example/?a=1&amp;b</a></p>', '<https://x.example/?a=1&b>'],
    ['<p><img src="a b.png" alt="c [d]"></p>', '![c \\[d\\]](a%20b.png)'],
    ['<p><img src="a.png" width="20"> b</p>', '<img src="a.png" width="20"> b'],
    ['<figure class="wide"><img src="a.png" alt="b"></figure>', '![b](a.png)'],
  ],
  blocks: [
    ['<h3>a #</h3><hr><blockquote><p>b</p><p>c</p></blockquote>', '### a \\#\n\n---\n\n> b\n>\n> c'],
    ['<div>a</div><section><div><p>b</p>c</div></section>', 'a\n\nb\n\nc'],
    ['<pre><code class="language-ts hljs">a\n\n```\n</code></pre>', '````ts\na\n\n```\n````'],
    ['<p>a</p><!-- b --><p></p><script>c</script>', 'a'],
    [
      '<iframe src="//video.example/a"></iframe><video><source src="/b.mp4"></video>',
      '<https://video.example/a>\n\n[/b.mp4](/b.mp4)',
    ],
  ],
  lists: [
    ['<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>', '- a\n  - b\n- c'],
    ['<ol start="9"><li>a</li><li>b<br>c</li></ol>', '9. a\n10. b\\\n    c'],
    ['<ul><li><p>a</p><p>b</p></li><li><p>c</p></li></ul>', '- a\n\n  b\n\n- c'],
    ['<ul><li><p>a</p></li></ul>', '- a'],
    ['<ul><li>a</li></ul><ul><li>b</li></ul>', '- a\n\n<!-- -->\n\n- b'],
    ['<ul><li><input type="checkbox" checked> a</li><li><input type="checkbox"> b</li></ul>', '- [x] a\n- [ ] b'],
    ['<ul><li>a<pre><code>b\n</code></pre></li></ul>', '- a\n\n  ```\n  b\n  ```'],
  ],
  tables: [
    [
      '<table><thead><tr><th>a|b</th><th align="right">c</th></tr></thead><tbody><tr><td>1<br>2</td><td align="right">`</td></tr></tbody></table>',
      '| a\\|b | c |\n| --- | --: |\n| 1<br>2 | \\` |',
    ],
    ['<table><tr><th>a</th></tr><tr><td></td></tr></table>', '| a |\n| --- |\n|  |'],
  ],
  'texts that look like Markdown': [
    ['<p>*a* _b_ c_d `e` [f](g) ![h](i) ~j~</p>', '\\*a\\* \\_b\\_ c_d \\`e\\` \\[f\\](g) !\\[h\\](i) \\~j\\~'],
    ['<p>&lt;b&gt; &amp;lt; a &lt; b AT&amp;T \\</p>', '\\<b> \\&lt; a < b AT&T \\\\'],
    ['<p>1. a</p><p>2) b</p><p># c</p><p>&gt; d</p><p>- e</p>', '1\\. a\n\n2\\) b\n\n\\# c\n\n\\> d\n\n\\- e'],
    ['<p>---</p><p>a<br>===</p><p>+ b<br>1. c</p>', '\\---\n\na\\\n\\===\n\n\\+ b\\\n1\\. c'],
    ['<p>a | b<br>- | -</p>', 'a | b\\\n\\- | -'],
    ['<p>https://a.example www.b.example c@d.example</p>', 'https:\\//a.example www\\.b.example c\\@d.example'],
    ['<p>a!<a href="/b">c</a></p>', 'a\\![c](/b)'],
  ],
  'Korean with emphasis beside letters': [
    ['<p><b>글</b>은</p>', '**글**은'],
    ['<p><b>글(文)</b>은 <em>“말”</em>이</p>', '<strong>글(文)</strong>은 <em>“말”</em>이'],
  ],
};

/** Blocks that stay HTML. */
const KEPT: [what: string, html: string, text: string][] = [
  [
    'figures with captions',
    '<figure id="a"><img src="a.png"><figcaption>b</figcaption></figure>',
    '<figure><img src="a.png"><figcaption>b</figcaption></figure>',
  ],
  ['definition lists', '<dl><dt>a</dt>\n\n<dd>b *c*</dd></dl>', '<dl><dt>a</dt>\n<dd>b *c*</dd></dl>'],
  ['tables without a head', '<table><tr><td>a</td></tr></table>', '<table><tr><td>a</td></tr></table>'],
  [
    'tables with joined cells',
    '<table><tr><th colspan="2">a</th></tr><tr><td>b</td><td>c</td></tr></table>',
    '<table><tr><th colspan="2">a</th></tr><tr><td>b</td><td>c</td></tr></table>',
  ],
  ['code without an element for it', '<pre>a\n\n  b</pre>', '<pre>a\n\n  b</pre>'],
  [
    'code in other blocks, without empty lines',
    '<details><summary>a</summary><pre>b\n\nc</pre></details>',
    '<details><summary>a</summary><pre>b&#10;\nc</pre></details>',
  ],
];

describe('HTML as Markdown', () => {
  for (const [subject, cases] of Object.entries(CONVERTED)) {
    it(`has ${subject}`, () => {
      for (const [html, markdown] of cases) expect(htmlToMarkdown(html), html).to.equal(markdown);
    });
  }

  it('stays HTML block by block', () => {
    for (const [what, html, text] of KEPT) {
      expect(htmlToMarkdown(`<p>a *</p>${html}<p>b</p>`), what).to.equal(`a \\*\n\n${text}\n\nb`);
    }
  });

  it('stays HTML if it is nested too deeply or too long', () => {
    for (const depth of [200, 100_000]) {
      expect(htmlToMarkdown(`${'<b>'.repeat(depth)}a *${'</b>'.repeat(depth)}`)).to.match(
        /^<div>(?:<b>)+a \*(?:<\/b>)+<\/div>$/,
      );
      expect(htmlToMarkdown(`${'<ul><li>'.repeat(depth)}a\n\nb`))
        .to.match(/^<ul><li><ul>/)
        .and.include('a\nb');
    }
    const long = `<p>${'a *'.repeat(200_000)}</p>`;
    expect(htmlToMarkdown(long)).to.equal(long);
    const block = `<p>${'a *'.repeat(10_000)}</p>`;
    expect(htmlToMarkdown(`<p>b *</p>${block}`)).to.equal(`b \\*\n\n${block}`);
  });
});
