/** Excerpts of articles, from their visible text or, before that exists, from their content. */
import { expect } from 'chai';
import { approximateExcerpt, excerptOf } from '../../../src/models/article/text.js';
import { renderHtml } from '../../../src/services/rendering/render-worker.js';
import { visibleText } from '../../../src/services/rendering/visible-text.js';

function excerpt(content: string): string {
  return excerptOf(visibleText(renderHtml(content, Number.POSITIVE_INFINITY)));
}

describe('The excerpt of an article', () => {
  it('is its prose, without headings, alternative texts, footnotes, tables and code blocks', () => {
    const content = `# Owls

\`\`\`js
const owl = 1;
\`\`\`

There is **one**[^1] in the ![dark](/a.png), dusty ![a](/b.png) attic.

[^1]: A barn owl.

| Owl | Place |
|---|---|
| barn | attic |

~~~
more code
~~~
And one | in the barn.`;
    expect(excerpt(content)).to.equal('There is one in the, dusty attic. And one | in the barn.');
  });

  it('is the text of a table or of code if there is nothing else', () => {
    expect(excerpt('| a | b |\n|---|---|\n| c | d |')).to.equal('a b c d');
    expect(excerpt('```\nconst owl = 1;\n```')).to.equal('const owl = 1;');
    expect(excerpt('Prose.\n```\nconst owl = 1;')).to.equal('Prose.');
    expect(excerpt('![](https://example.org/a.png)')).to.equal('');
  });

  it('has no spaces where HTML has none', () => {
    const content = '<p>오늘 <strong>파도</strong>가 높다. Read <a href="https://example.org">this</a>.</p>';
    expect(excerpt(content)).to.equal('오늘 파도가 높다. Read this.');
    expect(approximateExcerpt(content)).to.equal('오늘 파도가 높다. Read this.');
  });

  it('has at most 200 code points', () => {
    expect([...excerpt('😀'.repeat(300))]).to.have.length(200);
    expect([...approximateExcerpt('😀'.repeat(300))]).to.have.length(200);
  });

  it('before the content is rendered, is its beginning without frequent markup', () => {
    const content = `<!-- wp:paragraph --><p>One <b>two</b></p><p>three <video>four</video> [five](https://x.y) **six**`;
    expect(approximateExcerpt(content)).to.equal('One two three four five six');
    expect(approximateExcerpt('# Day\n\n3~5[^1] ~~x~~ ![alt](/a.png) in a <textarea>.\n\n[^1]: Note\n')).to.equal(
      '3~5 x in a <textarea>.',
    );
  });

  for (const part of ['[', '<', '<a ', '*', '<!--', '![', '[^a', '# a\n', '<script', '_ ', '> ']) {
    it(`before the content is rendered, takes linear time for many of ${JSON.stringify(part)}`, () => {
      expect([...approximateExcerpt(part.repeat(100_000 / part.length))].length).to.be.at.most(200);
    });
  }
});
