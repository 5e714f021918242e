/** Footnotes and ids of headings in the HTML of articles. */
import { expect } from 'chai';
import { renderArticle } from '../../../src/services/rendering/render-worker.js';

function render(content: string): string {
  return renderArticle(content, Number.POSITIVE_INFINITY);
}

const reference = (number: number, repetition = '') =>
  `<sup><a href="#text-fn-${number}" id="text-fnref-${number}${repetition}" role="doc-noteref">${number}</a></sup>`;
const back = (id: string, label = '') => ` <a href="#text-fnref-${id}" role="doc-backlink">↩\ufe0e${label}</a>`;
const section = (...notes: string[]) =>
  `<section class="footnotes" role="doc-endnotes">\n<ol>\n${notes
    .map((note, index) => `<li id="text-fn-${index + 1}">\n${note}\n</li>\n`)
    .join('')}</ol>\n</section>\n`;

function idsIn(html: string): string[] {
  return [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
}

describe('Footnotes', () => {
  it('are at the end, in the order of their references, with links to each of them', () => {
    expect(render('A[^b] c[^1] d[^B].\n\n[^1]: One\n[^b]: **Two**\n\nEnd')).to.equal(
      `<p>A${reference(1)} c${reference(2)} d${reference(1, '-2')}.</p>\n<p>End</p>\n${section(
        `<p><strong>Two</strong>${back('1')}${back('1-2', '<sup>2</sup>')}</p>`,
        `<p>One${back('2')}</p>`,
      )}`,
    );
  });

  it('have several paragraphs and blocks', () => {
    const content = 'A[^1]\n\n[^1]: One\ncontinued\n\n    Two\n\n    - item\n\n\t```\n\tcode\n\t```\nEnd';
    expect(render(content)).to.equal(
      `<p>A${reference(1)}</p>\n<p>End</p>\n${section(
        `<p>One\ncontinued</p>\n<p>Two</p>\n<ul>\n<li>item</li>\n</ul>\n<pre><code>code\n</code></pre>${back('1')}`,
      )}`,
    );
  });

  it('are referred to and defined in lists, tables, headings and block quotes', () => {
    const html = render('# H[^a]\n\n- i[^a]\n[^a]: A\n\n| x[^b] |\n|-|\n| y[^b] |\n\n> q[^c]\n> [^c]: C\n\nz\n[^b]: B');
    expect(html).to.include('<h1 id="text-h">').and.include('<p>z</p>');
    expect(html.match(/doc-noteref/g)).to.have.length(5);
    expect(html.match(/<li id="text-fn-\d">\n<p>[ABC] /g)).to.have.length(3);
  });

  it('refer to each other and to themselves', () => {
    expect(render('A[^1]\n\n[^1]: One[^2]\n[^2]: Two[^2]')).to.equal(
      `<p>A${reference(1)}</p>\n${section(
        `<p>One${reference(2)}${back('1')}</p>`,
        `<p>Two${reference(2, '-2')}${back('2')}${back('2-2', '<sup>2</sup>')}</p>`,
      )}`,
    );
  });

  it('are text without a definition, and omitted without a reference', () => {
    expect(render('A[^1] [^a b]\n\n[^2]: Two\n\n`[^2]`\n\n    [^2]')).to.equal(
      '<p>A[^1] [^a b]</p>\n<p><code>[^2]</code></p>\n<pre><code>[^2]\n</code></pre>\n',
    );
  });

  it('are text in links, in which there can be no link, and in alternative texts', () => {
    expect(render('[a[^1]](/b) ![c[^1]](/d.png)\n\n[^1]: One')).to.equal(
      '<p><a href="/b" rel="nofollow noopener noreferrer">a[^1]</a> <img src="/d.png" alt="c[^1]" loading="lazy" /></p>\n',
    );
  });

  it('have ids and roles that only they can have', () => {
    const html = render(
      '# fn 1\n\n<a id="text-fn-1" href="https://x.y" role="doc-noteref">x</a><li id="a"><p id="text-fn-2">y</p></li> z[^1]\n\n[^1]: One',
    );
    expect(html).to.include('<a href="https://x.y" id="text-fn-1" rel="nofollow noopener noreferrer">x</a>');
    expect(new Set(idsIn(html)).size).to.equal(idsIn(html).length);
    expect(idsIn(html)).to.deep.equal(['text-fn-1-1', 'text-fn-1', 'text-fnref-1']);
  });
});

describe('Headings', () => {
  it('have ids by the rule of GitHub, unique in the text', () => {
    const content =
      '# A *day* & `night`!\n\n봄날의 산책\n===\n\n## A day  night\n\n<h3 id="x">봄날의&nbsp;산책</h3>\n\n#### 봄날의 산책\n\n# 🦉\n\n# 🦉';
    expect(idsIn(render(content))).to.deep.equal([
      'text-a-day--night',
      'text-봄날의-산책',
      'text-a-day--night-1',
      'text-봄날의산책',
      'text-봄날의-산책-1',
      'text-',
      'text--1',
    ]);
    expect(idsIn(render('# a\n\n# a-1\n\n# a\n\n# a'))).to.deep.equal(['text-a', 'text-a-1', 'text-a-2', 'text-a-3']);
  });

  it('have ids of limited length', () => {
    expect(idsIn(render(`# ${'😀가'.repeat(1_000)}`))).to.deep.equal([`text-${'가'.repeat(100)}`]);
  });

  it('are linked by the ids that GitHub gives them', () => {
    expect(render('[a](#봄날) [b](#none)\n\n# 봄날')).to.include(
      '<a href="#text-봄날" rel="nofollow noopener noreferrer">a</a> <a href="#none"',
    );
  });
});

describe('The renderer', () => {
  // An algorithm of quadratic complexity would take minutes.
  for (const part of [
    '[^a]',
    '# a\n',
    '<textarea>',
    '~~~~',
    '~~a ',
    '[^1]: [^1]',
    '[^1]: a\n',
    'a[^1]\n\n[^1]: [^1]\n',
    '[^',
    '<h1>a',
  ]) {
    it(`takes linear time for many of ${JSON.stringify(part)}`, () => {
      expect(render(part.repeat(100_000 / part.length))).to.be.a('string');
    });
  }
});
