/** Texts of Jekyll, as an import converts them and articles show them, compared with what kramdown shows. */
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openSource } from '../../../src/import/sources/index.js';
import { renderHtml } from '../../../src/services/rendering/render-worker.js';
import { makeFolder } from '../../support/folder.js';
import { describeWith } from '../../support/programs.js';

const SAMPLES = [
  '오늘은 **둥지(새집)**를 고쳤고, 이름은 **"솔새"**라고 지었다. *봄(3월)*에 온다.',
  '鳥は**「春」**に来る。**早い。**と思う。__注意：__次。',
  '- **a:**b\n- __c.__d `**x(y)**z`\n\n# **h(1)**2\n\n[**l(1)**2](http://a_b_c.test/x_y_) <b>*x*</b>',
  'one *a **b(c)**d e*f and ***g***',
  '2 * 3 * 4, snake_case_name, _a(b)_c, *a',
  '> **a(b)**c\n> **d\n> e.**f',
  '| Seeds | 3 |\n| Nuts  | 4 |',
  '| Bird | Eggs |\n|:-----|-----:|\n| Wren | 6 |\n|------|------|\n| Tit | 9 |\n|======|======|\n| Sum | 15 |',
  '|---+---|\n| a | b |\n|---+---|\n| c | `d|e` |',
  '| a | b |\n|---|---|\n| **c(d)**e | f |',
  'a | b\n\n> | x | y |\n> | **b(c)**d | e |\n\n- | a | b |\n  | c | d |',
  'text\n| a | b |',
  'one  \ntwo\nthree',
  'A **b**{: .c} and `d`{:.e}\n{: .f}\n\n## G {#h}',
  'Owl\n: A *bird*\n: Not a cat\n\nCat\n\n: Loose',
  '- a\n\n  ```\n  {: .x}\n  **b(c)**d\n  ```\n- e',
];

function shownByKramdown(text: string): string {
  const program =
    'STDIN.set_encoding("UTF-8"); puts Kramdown::Document.new(STDIN.read, input: "GFM", hard_wrap: false).to_html';
  const { status, stdout, stderr } = spawnSync('ruby', ['-rkramdown', '-rkramdown-parser-gfm', '-e', program], {
    input: text,
    encoding: 'utf8',
    env: { ...process.env, LANG: 'C.UTF-8' },
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

async function shownByArticle(text: string): Promise<string> {
  const folder = await makeFolder();
  await mkdir(join(folder, '_posts'));
  await writeFile(join(folder, '_config.yml'), 'title: Owl');
  await writeFile(join(folder, '_posts/a.md'), `---\ntitle: T\ndate: 2026-01-02\n---\n${text}`);
  const { source, close } = await openSource(folder, { publishProtected: false, now: new Date('2026-02-01') });
  let html = '';
  for await (const item of source.items()) if (item.kind === 'article') html = renderHtml(item.content, 100_000);
  await close();
  return html;
}

/** Without what looks alike: space, paragraphs in cells, items and definitions, attributes, typographic quotation marks, and the part of a table. */
function normalized(html: string): string {
  return html
    .replace(/<\/?(?:p|tfoot|tbody|figure)\b[^<>]*>/g, '')
    .replace(/<(\w+)\s[^<>]*>/g, '<$1>')
    .replace(/[“”]|&quot;/g, '"')
    .replace(/<div>\s*|<\/div>/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?(<\/?(?:table|thead|tr|t[dh]|ul|ol|li|d[ltd]|blockquote|pre|h\d|br)>) ?/g, '$1')
    .replace(/<strong><em>|<em><strong>/g, '<both>')
    .replace(/<\/strong><\/em>|<\/em><\/strong>/g, '</both>')
    .trim();
}

describeWith(['ruby-kramdown-parser-gfm'], 'A text of Jekyll', () => {
  it('is shown as kramdown shows it', async () => {
    for (const text of SAMPLES)
      expect(normalized(await shownByArticle(text)), text).to.equal(normalized(shownByKramdown(text)));
  });
});
