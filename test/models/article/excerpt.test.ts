/** Excerpts of articles. */
import { expect } from 'chai';
import { excerptOf } from '../../../src/models/article/excerpt.js';

describe('The excerpt of an article', () => {
  it('is its prose, without tables and code blocks', () => {
    const content = `# Owls

\`\`\`js
const owl = 1;
\`\`\`

There is **one** in the attic.

| Owl | Place |
|---|---|
| barn | attic |

~~~
more code
~~~
And one | in the barn.`;
    expect(excerptOf(content)).to.equal('Owls There is one in the attic. And one | in the barn.');
  });

  it('is the text of a table or of code if there is nothing else, and of an unclosed block', () => {
    expect(excerptOf('| a | b |')).to.equal('| a | b |');
    expect(excerptOf('```\nconst owl = 1;\n```')).to.equal('const owl = 1;');
    expect(excerptOf('Prose.\n```\nconst owl = 1;')).to.equal('Prose.');
  });
});
