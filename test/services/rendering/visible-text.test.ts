/** The visible text of articles: what readers see, without markup. */
import { expect } from 'chai';
import fc from 'fast-check';
import { renderHtml } from '../../../src/services/rendering/render-worker.js';
import { visibleText } from '../../../src/services/rendering/visible-text.js';
import { testDatabase } from '../../support/database.js';

function textOf(content: string): string {
  return visibleText(renderHtml(content, Number.POSITIVE_INFINITY));
}

/** Content, and the lines of its text: those of code and tables are indented, other kinds begin with their character. */
const SAMPLES: Record<string, [content: string, ...lines: string[]]> = {
  'inline elements within words': ['오늘 **파도**가, half*open*ed, <b>a</b>b', '오늘 파도가, halfopened, ab'],
  'links without their targets': ['See [this](https://hidden.example "title").', 'See this.'],
  'HTML without classes and attributes': [
    '<figure class="wp-block-image size-large"><img src="/a.png" alt="A quiet sea"><figcaption>Busan</figcaption></figure>',
    '\rA quiet sea',
    'Busan',
  ],
  'no removed elements and comments': [
    'a <video>film</video><!-- wp:paragraph --> b <svg><path d="M0 0"/></svg><style>c</style>',
    'a film b',
  ],
  'embedded pages and media as links': ['a\n\n<iframe src="https://x.y"></iframe>b', 'a', 'https://x.y b'],
  'removed blocks as lines': ['<div>a</div><div>b</div><nav>c</nav><select><option>d<option>e</select>', ...'abcde'],
  'blocks as lines': ['# Day\n\nOne\ntwo\n\n> Quote\n\n- a\n  - b\n- c', '\vDay', 'One two', 'Quote', 'a', 'b', 'c'],
  'line breaks': ['One  \ntwo<br>three', 'One', 'two', 'three'],
  'adjacent paragraphs of HTML': ['<p>One</p><p>two</p><ul><li>a</li><li>b</li></ul>', 'One', 'two', 'a', 'b'],
  'definition lists and details': [
    '<dl><dt>a</dt><dd>b</dd></dl><details><summary>More</summary>Inside</details>',
    'a',
    'b',
    'More',
    'Inside',
  ],
  'tables by row': ['| a | b |\n|---|---|\n| c<br>d | e |', '\ta b', '\tc', '\td e'],
  'code by line': ['x `a < b` y\n\n```ts\nif (a)\n\n  b &&  c;\n```\nz', 'x a < b y', '\tif (a)', '\tb && c;', 'z'],
  entities: ['&lt;b&gt; &amp;amp; &quot;q&quot; &copy; &#54028;도 &nbsp; x', '<b> &amp; "q" © 파도 x'],
  'task lists without boxes': ['- [x] done\n- [ ] open', 'done', 'open'],
  'images between words': [
    'a![b](/b.png)c ![d](/d.png). ![](/e.png)f![g](/g.png)![h](/h.png)',
    'a',
    '\rb',
    '\x1fc',
    '\rd',
    '\x1f. f',
    '\rg',
    '\rh',
  ],
  'characters of no width': ['파\u00ad도 so&shy;me\u200bwhere<wbr>else \u2060x\ufeffy', '파도 somewhereelse xy'],
  'composed characters': ['e<b>\u0301</b> \u1112\u1161\u11ab', '\u00e9 한'],
  'white space': ['a\u3000b\u2003\u00a0c\td', 'a b c d'],
  'tags that GFM disallows': [
    'Put a <textarea> in.\n\n- <TITLE>x\n\n| <xmp> |\n|-|\n\n<script>\nalert(1)\n\nThe owl.',
    'Put a <textarea> in.',
    '<TITLE>x',
    '\t<xmp>',
    '<script> alert(1) The owl.',
  ],
  'readings after their text': [
    '<ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rt>きょう</rt></ruby>へ <ruby>x</ruby>',
    '東京(とうきょう)へ x',
  ],
  'quotation marks': ['He said <q>she said <q>hoot</q></q>.', 'He said “she said ‘hoot’”.'],
  'footnotes without their numbers': [
    '# Day[^a]\n\nOne[^a] two[^b].\n\n[^a]: First\n\n    second ![x](/x.png)\n[^b]: - item',
    '\vDay',
    'One two.',
    '\fFirst',
    '\fsecond',
    '\rx',
    '\fitem',
  ],
  nothing: ['<!-- nothing -->\n\n![](/a.png)'],
};

describe('The visible text', () => {
  for (const [subject, [content, ...lines]] of Object.entries(SAMPLES)) {
    it(`has ${subject}`, () => {
      expect(textOf(content)).to.equal(lines.map((line) => (line < ' ' ? line : `\n${line}`)).join(''));
    });
  }

  it('is the source where the source is too expensive to render', () => {
    expect(visibleText('<pre>&#60;b&#62; &#38; **c**</pre>')).to.equal('\t<b> & **c**');
  });

  it('has as many characters as its folded form in the search index, without the first one', async () => {
    const database = await testDatabase();
    const parts = [
      'a',
      '한',
      'É',
      'İ',
      '😀',
      ' ',
      '\n\n',
      '\u00a0',
      '\u00ad',
      '**',
      '`',
      '<br>',
      'e\u0301',
      '&lt;',
      '\t',
      '|',
    ];
    const documents = fc.sample(
      fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ unit: 'binary', maxLength: 3 })), { maxLength: 40 }),
      { numRuns: 300, seed: 7 },
    );
    const texts = documents.map((document) => textOf(document.join('').toWellFormed().replaceAll('\0', '')));
    const [rows] = await database.sequelize.query(
      `select text, search_fold(text) as folded from unnest($texts::text[]) as u(text)
       where char_length(search_fold(text)) <> greatest(char_length(text) - 1, 0)`,
      { bind: { texts } },
    );
    expect(rows).to.deep.equal([]);
  });
});
