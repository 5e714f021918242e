/** Articles as HTML: rendering of Markdown, and removal of anything that could run as a script. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { renderArticle } from '../../../src/services/rendering/render-worker.js';
import { RENDERER_VERSION, Renderer } from '../../../src/services/rendering/renderer.js';
import { visibleText } from '../../../src/services/rendering/visible-text.js';
import { useApp } from '../../support/app.js';
import { buildArticle } from '../../support/build.js';
import { graphql } from '../../support/client.js';

const app = useApp();

/** XSS payloads from OWASP's filter evasion cheat sheet and from reports on Markdown renderers. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<img src=x onerror=alert(1)>',
  '<img src="x" onerror="alert(1)"',
  '<IMG """><SCRIPT>alert(1)</SCRIPT>">',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object><embed src="javascript:alert(1)">',
  '<form action="javascript:alert(1)"><button formaction="javascript:alert(1)">x</button></form>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href=" &#14; javascript:alert(1)">x</a>',
  '<a href="java\nscript:alert(1)">x</a>',
  '<a href="java&#x09;script:alert(1)">x</a>',
  '<a href="&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">x</a>',
  '<a href="//evil.example">x</a>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x](  javascript:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x][1]\n\n[1]: javascript:alert(1)',
  '<javascript:alert(1)>',
  '![x](javascript:alert(1))',
  '![x](data:image/svg+xml,<svg onload=alert(1)>)',
  '![x"onerror="alert(1)](https://example.org/x.png)',
  '[x](https://example.org "onmouseover=alert(1)//")',
  '[x](https://example.org/"onmouseover="alert(1))',
  '<p style="background:url(javascript:alert(1))">x</p>',
  '<style>@import "//evil.example/x.css"</style>',
  '<link rel=stylesheet href="javascript:alert(1)"><base href="//evil.example/">',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  '<div onclick="alert(1)" onmouseover=alert(1)>x</div>',
  '<details open ontoggle=alert(1)>x</details>',
  '<video><source onerror="alert(1)"></video><audio src=x onerror=alert(1)>',
  '<input autofocus onfocus=alert(1)><textarea onfocus=alert(1)>',
  '<!--><script>alert(1)</script>-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<template><script>alert(1)</script></template>',
  '```"><script>alert(1)</script>\nx\n```',
  '`<script>alert(1)</script>`',
  '<x-element onclick=alert(1) is="x">x</x-element>',
  '<title><img src=x onerror=alert(1)></title>',
  '<xmp><script>alert(1)</script></xmp><plaintext><script>alert(1)</script>',
  '<kbd>x <textarea foo=" <img src=x onerror=alert(1)>',
  '<script/x>alert(1)</script/x><style/><textarea\n<img src=x onerror=alert(1)>',
  '<select><option><script>alert(1)</script></option></select>',
  '<a href="https://evil.example" role="doc-noteref" id="text-fn-1" id="x">x</a><p id="text-fn-1">',
  'x[^"><img src=x onerror=alert(1)>]\n\n[^"><img src=x onerror=alert(1)>]: <img src=x onerror=alert(1)>',
  '# x" onmouseover="alert(1)\n\n[x](#x-onmouseoveralert1)',
  '<section role="doc-endnotes" onclick=alert(1)><h2 id="location" name="x">x</h2></section>',
];

const TAG = /<(\/?)([a-z][^\s/>]*)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*\/?>/gi;

/** Allows only harmless elements, attributes and URLs. Text is escaped, so every < begins a tag. */
function expectHarmless(html: string, source: string): void {
  expect(html.replace(TAG, ''), source).to.not.include('<');
  for (const [, , name = '', attributes = ''] of html.matchAll(TAG)) {
    expect(name, source).to.not.match(/^(script|style|svg|math|iframe|object|embed|form|input|link|base|meta|x-)/i);
    for (const [, attribute = '', value = ''] of attributes.matchAll(/([^\s=]+)="([^"]*)"/g)) {
      expect(attribute, source).to.match(
        /^(href|title|rel|src|alt|loading|class|align|start|width|height|colspan|rowspan|id|role)$/,
      );
      if (attribute === 'href' || attribute === 'src')
        expect(value, source).to.match(/^(https?:|mailto:|[^:/]*$|\/(?!\/))/);
    }
  }
}

const MARKDOWN = `# Day

*One* **two** ~~three~~ [link](https://example.org "title") www.example.org someone@example.org ![a](/a.png)

|a|b|
|-|:-:|
|c|d|

1. one
   - nested
- [x] done

> quote

\`\`\`ts
x < 1 && y
\`\`\`

---
Line  
break &amp; "quotes" <kbd>K</kbd>
`;

function render(content: string): string {
  return renderArticle(content, Number.POSITIVE_INFINITY);
}

describe('Article.contentHtml', () => {
  it('requires a new RENDERER_VERSION when the HTML or the text of the samples changes', () => {
    const samples = [MARKDOWN, ...HOSTILE].map(render);
    const output = [...samples, ...samples.map(visibleText)].join('\0');
    const digest = createHash('sha256').update(output).digest('hex');
    expect([RENDERER_VERSION, digest]).to.deep.equal([
      4,
      '65ec246ed64c39a6d7eeb079a58de2228561a2b9d1c2ecc35ec3c2f59ed53b80',
    ]);
  });

  it('renders GitHub Flavored Markdown', () => {
    const html = render(
      '# Day\n\n*One* **two** ~~three~~ [link](https://example.org)\n\n|a|\n|-|\n|b|\n\n```ts\nx < 1\n```',
    );
    expect(html)
      .to.include('<h1 id="text-day">Day</h1>')
      .and.include('<em>One</em> <strong>two</strong> <del>three</del>');
    expect(html).to.include('<a href="https://example.org" rel="nofollow noopener noreferrer">link</a>');
    expect(html).to.include('<td>b</td>').and.include('<code class="language-ts">x &lt; 1');
    expect(render('- [ ] one\n- [x] two')).to.equal(
      '<ul>\n<li><input type="checkbox" disabled /> one</li>\n<li><input type="checkbox" checked disabled /> two</li>\n</ul>\n',
    );
    expect(render('<input type="TEXT" value="x" name="x"> <input type="Checkbox" onclick="x" name="x">')).to.equal(
      '<p> <input type="checkbox" disabled /></p>\n',
    );
    expect(render('![a](https://example.org/a.png)')).to.include('src="https://example.org/a.png"');
  });

  it('keeps harmless HTML', () => {
    expect(render('<p>a <b>b</b> &amp; <i>c</i></p>')).to.equal('<p>a <b>b</b> &amp; <i>c</i></p>');
  });

  const ADDRESS = 'https://film.example/1';
  const LINK = `<a href="${ADDRESS}" rel="nofollow noopener noreferrer">${ADDRESS}</a>`;
  const OPAQUE: Record<string, [content: string, html: string]> = {
    'an embedded page': [
      `a\n\n<iframe width="5" title="a > b" src="${ADDRESS}"></iframe>\n\nb`,
      `<p>a</p><p>${LINK}</p><p>b</p>`,
    ],
    'pages in a paragraph': [
      `<p><iframe src=${ADDRESS}></iframe><iframe src='${ADDRESS}' /></p>`,
      `<p>${LINK}${LINK}</p>`,
    ],
    'a page that is loaded later': [`<iframe src="about:blank" data-src="${ADDRESS}"></iframe>`, `<p>${LINK}</p>`],
    'media with sources': [
      `<video controls><source src="${ADDRESS}"><source src="/b">old</video> <audio src="//film.example/1"></audio>`,
      `<p>${LINK}${LINK}</p>`,
    ],
    'media across empty lines': [`<video>\n<source src="${ADDRESS}">\n\nold\n</video>\n\nb`, `${LINK}<p></p><p>b</p>`],
    objects: [
      `<object><param name="x"><embed src="${ADDRESS}"></object><embed src="${ADDRESS}">`,
      `<p>${LINK}${LINK}</p>`,
    ],
    'a page without an address': ['a <iframe srcdoc="b">c</iframe>', '<p>a</p>'],
    'media without an address': ['a <video>b</video> c', '<p>a b c</p>'],
    'scripts and styles': [
      '> a\n<script src="x"></script>\n\n<style>\n\nb\n</style>\nc <SCRIPT>d</SCRIPT > e',
      '<blockquote><p>a</p></blockquote><p>c e</p>',
    ],
    'a script with an empty line in a block': [
      '<div>\n<script>\n\na()\n\n</script>\n</div>\n\nb',
      '<div></div><p>b</p>',
    ],
    'a comment with a tag': ['<!-- <script> -->\n\na\n\n<script>b</script>', '<p>a</p>'],
    'titles and texts for other browsers': ['<title>a</title>b <noembed>c</noembed><noframes>d</noframes>e', 'b e'],
    'source text': ['<textarea>a < b\n\n*c*</textarea>', '<pre>a &lt; b\n\n*c*</pre>'],
    'the mention of a tag': [
      'The <script> and a <style>.\n\nIt ends with </script>.',
      '<p>The &lt;script&gt; and a &lt;style&gt;.</p><p>It ends with &lt;/script&gt;.</p>',
    ],
    code: [
      '`<script>a</script>`\n\n    <iframe src="b">',
      '<p><code>&lt;script&gt;a&lt;/script&gt;</code></p><pre><code>&lt;iframe src="b"&gt;\n</code></pre>',
    ],
    'an alternative text': [
      '![<video src=a></video>](/b.png)',
      '<p><img src="/b.png" alt="&lt;video src=a&gt;&lt;/video&gt;" loading="lazy" /></p>',
    ],
    'removed blocks': [
      '<section>a</section><center>b</center><article>c</article>',
      '<div>a</div><div>b</div><div>c</div>',
    ],
  };
  for (const [subject, [content, html]] of Object.entries(OPAQUE)) {
    it(`has links, text or nothing in place of elements that are not parsed: ${subject}`, () => {
      expect(
        render(content)
          .replace(/\s*(<\/?(?:p|a|pre|div|blockquote)\b[^<>]*>)\s*/g, '$1')
          .replace(/ {2,}/g, ' '),
      ).to.equal(html);
    });
  }

  it('keeps the numbers of lists', () => {
    const list = '<ol type="A" start="4" reversed><li value="7">a</li></ol>';
    expect(render(list)).to.equal(list);
    expect(render('<ol style="color:red; LIST-STYLE-TYPE: lower-roman"><li>a</li></ol>')).to.equal(
      '<ol type="i"><li>a</li></ol>',
    );
  });

  it('has Markdown after a tag alone in a line of a list item, which does not interrupt its text', () => {
    for (const tag of ['<br>', '<img src="/a.png">', '</kbd>']) {
      for (const list of [
        '- a\n#\n**b**',
        '1. a\n   #\n   **b**',
        '- a\n  - b\n    #\n    **b**',
        '> - [ ] a\n>   #\n>   **b**',
      ])
        expect(render(list.replace('#', tag)), list).to.include('<strong>b</strong>');
    }
    expect(render('- a\n\n  <br>\n  **b**\n- c\n  <div>\n  **b**')).to.not.include('<strong>');
  });

  for (const source of HOSTILE) {
    it(`renders harmless HTML for ${JSON.stringify(source)}`, () => expectHarmless(render(source), source));
  }

  const TOO_MUCH = {
    'takes minutes': '***a_'.repeat(20_000),
    'is nested deeper than the stack': '>'.repeat(100_000),
    'becomes hundreds of times as long': `[a]: http://x.y/${'z'.repeat(1000)}\n\n${'[a] '.repeat(24_000)}`,
    'needs more memory than the thread has': `|${'a|'.repeat(500)}\n|${'-|'.repeat(500)}\n${'|\n'.repeat(49_000)}`,
  };
  for (const [reason, content] of Object.entries(TOO_MUCH)) {
    it(`escapes content that ${reason} as text, and renders the next content`, async () => {
      const { renderer } = app.services;
      const { html, text } = await renderer.queue.run({ key: '' }, () => renderer.render(content));
      expect(text.slice(1, 5)).to.equal(content.slice(0, 4));
      expect(html.slice(0, 5)).to.equal('<pre>');
      expect(html.slice(5, -6).replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code)) === content).to.equal(true);
      const next = await renderer.queue.run({ key: '' }, () => renderer.render('plain <script>'));
      expect(next).to.deep.equal({
        html: '<p>plain &lt;script&gt;</p>\n',
        text: '\nplain <script>',
        mentioned: [],
      });
    });
  }

  it('is not replaced by escaped text when the process stops while the text of stored HTML is extracted', async () => {
    const renderer = new Renderer();
    await renderer.render('start');
    const extracted = renderer.render('**a**', '<p><b>a</b></p>'.repeat(30_000)).catch((error: Error) => error.message);
    await renderer.stop();
    expect(await extracted).to.equal('The text of stored HTML was not extracted');
  });

  it('is a field of an article', async () => {
    const { id } = await buildArticle(app.url, { content: '# Hi\n\n<script>alert(1)</script>' });
    const { data } = await graphql(app.url, 'query ($id: ID!) { article(id: $id) { content contentHtml } }', { id });
    expect(data.article).to.deep.equal({
      content: '# Hi\n\n<script>alert(1)</script>',
      contentHtml: '<h1 id="text-hi">Hi</h1>\n',
    });
  });
});
