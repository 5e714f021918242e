/** Markdown of other programs whose length makes a conversion slow that is not linear. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { openSource } from '../../../src/import/sources/index.js';
import { makeFolder } from '../../support/folder.js';
import { casesOf } from '../../support/tier.js';

/** Of each content. A conversion that takes the square of the time exceeds the time of the test with the full length only. */
const LENGTH = casesOf('MARKDOWN_LENGTH', 30_000, 300_000);

async function countArticles(files: Record<string, string>): Promise<number> {
  const folder = await makeFolder();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const { source, close } = await openSource(folder, { publishProtected: false, now: new Date('2026-01-01') });
  let count = 0;
  for await (const item of source.items()) if (item.kind === 'article') count++;
  await close();
  return count;
}

describe('Markdown of any program', () => {
  it('takes time in proportion to its length, whatever it contains', async () => {
    const many = (text: string) => text.repeat(LENGTH / text.length);
    const contents = {
      spaces: `{{<${many(' ')}`,
      argument: `{{< a${many(' ')}x >}}`,
      name: `{{<${many('a')}`,
      unclosed: `${many('{{< highlight go >}}').repeat(8)}{{< /highlight x`,
      unclosedTag: `${many('{% highlight go %}').repeat(8)}{% endhighlight`,
      tagName: `{%${many('a')}`,
      spacesOfHeading: `#${many(' ')}`,
      open: many('{{< highlight go >}}'),
      heading: `# ${many('#')}x`,
      links: many('[[a|'),
      brackets: many('!['),
      attributes: many('){:'),
      attributesInQuotes: many(`){:'"`),
      attributesOfItem: many('- {: "'),
      spacesOfItem: `- {:${many(' ')}`,
      footnotes: many('[^'),
      inlineFootnotes: many('^['),
      highlights: many('==a '),
      highlightLines: many('==a\n'),
      callouts: many('> [!'),
      calloutLines: many('> [!a\n'),
      quotes: many('> '),
      embeds: many('![['),
      velogEmbeds: many('!youtube['),
      formulas: many('$a '),
      formulaBlocks: many('$$ '),
      definitions: many('a\n: '),
      colons: many(': '),
      abbreviations: many('*[a'),
      ticks: Array.from({ length: 500 }, (_, length) => '`'.repeat(length + 1)).join(' '),
      escapedTicks: many('\\`'),
      fences: many('```\n~~~\n'),
      items: many('- '),
      indented: many('    - a\n\n'),
      pre: many('<pre>'),
      struck: many('<span style="line-through">'),
      raw: many('{% raw %}'),
      blockIds: many(' ^a\n'),
      comments: many('%% '),
      tags: many('{% a '),
    };
    for (const marker of ['hugo.toml', '_config.yml', '.obsidian/app.json', 'any.txt']) {
      const folder = marker === 'hugo.toml' ? 'content' : marker === '_config.yml' ? '_posts' : 'notes';
      const files = Object.entries(contents).map(([name, content]) => [`${folder}/${name}.md`, content]);
      expect(await countArticles({ [marker]: '', ...Object.fromEntries(files) }), marker).to.equal(files.length);
    }
  });
});
