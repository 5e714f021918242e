/** Conversions of Markdown change what readers see outside of code, and no code, in random documents. */
import { expect } from 'chai';
import { randomFrom } from '../../bench/random.js';
import type { Input } from '../../src/import/input.js';
import { readContent } from '../../src/import/sources/markdown/content.js';
import type { Site, SiteKind } from '../../src/import/sources/markdown/site.js';
import { decodeEntities } from '../../src/import/text.js';
import { renderHtml } from '../../src/services/rendering/render-worker.js';
import { casesOf } from '../support/tier.js';

const CASES = casesOf('CODE_CASES', 300, 3_000);
const SEED = Number(process.env.CODE_SEED ?? 20_261_201);

/** A mark of each program, and one that all of them convert. */
const MARKS: Readonly<Record<Exclude<SiteKind, 'daybook'>, string>> = {
  hugo: '{{< youtube x >}}',
  jekyll: '{::nomarkdown}',
  hexo: '{% youtube x %}',
  obsidian: '==x==',
  velog: '!youtube[x]',
  zenn: '![x](x.png =20x)',
  plain: '[[x]]',
};
const STRUCK = '<strike>x</strike>';

const random = randomFrom(SEED);
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;

function indented(block: string, first: string, others: string): string {
  return block
    .split('\n')
    .map((line, at) => ((at === 0 ? first : others) + line).trimEnd())
    .join('\n');
}

function randomBlock(word: string, depth: number): string {
  const inner = () => randomDocument(word, depth + 1, 2);
  const kinds: (() => string)[] = [
    () => word,
    () => `${word}\n${word}`,
    () => `# ${word}`,
    () => '***',
    () => '<div>\n\n</div>\n',
    () => `\`\`\`${pick(['', 'sh'])}\n${word}\n${pick(['', '    ```\n', '~~~\n'])}${word}\n\`\`\``,
    () => `~~~\n${word}\n\`\`\`\n\n    ${word}\n~~~`,
    () => `\`\`\`\`\n\`\`\`\n${word}\n\`\`\`\n\`\`\`\``,
    () => `${pick([`${word}\n`, '***', `# ${word}`])}\n    ${word}\n\n    ${word}`,
    // The renderer does not divide a tab in a quotation into columns.
    () => `***\n${depth === 0 ? '\t' : '    '}${word}`,
    () => `\`${word}\` ${word}`,
    () => `a \`\`${word} \` ${word}\n${word}\`\` ${word}`,
  ];
  const containers: (() => string)[] = [
    () => indented(inner(), '- ', '  '),
    () => indented(inner(), '1. ', '   '),
    () => indented(inner(), '> ', '> '),
    () => indented(word, '>', '>'),
  ];
  return pick(depth < 3 ? [...kinds, ...containers] : kinds)();
}

function randomDocument(word: string, depth: number, most: number): string {
  const count = 1 + Math.floor(random() * most);
  return Array.from({ length: count }, () => randomBlock(word, depth) + pick(['\n', '\n\n']))
    .join('')
    .trimEnd();
}

/** The code that readers see, in order. */
function codeIn(markdown: string): string[] {
  const html = renderHtml(markdown, 1_000_000);
  return Array.from(html.matchAll(/<code[^>]*>([^<]*)<\/code>/g), ([, code = '']) => decodeEntities(code).trimEnd());
}

const count = (texts: readonly string[], part: string) =>
  texts.reduce((total, text) => total + text.split(part).length - 1, 0);

const input = { kind: 'folder', find: () => null, entries: () => [] } as unknown as Input;

function siteOf(kind: SiteKind, hasLineBreaks: boolean): Site {
  return {
    kind,
    input,
    root: '',
    url: null,
    byName: new Map(),
    hasLineBreaks,
    hasHidden: true,
    zone: null,
    invalidZone: null,
    isArchive: false,
  };
}

describe('Conversions of Markdown', () => {
  it('change nothing in code, and everything outside of it', () => {
    for (let number = 0; number < CASES; number++) {
      const kind = pick(Object.keys(MARKS) as (keyof typeof MARKS)[]);
      const mark = MARKS[kind];
      const text = randomDocument(`w ${mark} ${STRUCK}`, 0, 4);
      const hasLineBreaks = random() < 0.5;
      const { content } = readContent(siteOf(kind, hasLineBreaks), 'a.md', text);
      const about = `seed ${SEED}, document ${number} of ${kind}:\n${text}\n=>\n${content}`;
      const code = codeIn(text);
      expect(codeIn(content), about).to.deep.equal(code);
      expect(count([content], STRUCK), about).to.equal(count(code, STRUCK));
      if (kind !== 'plain') expect(count([content], mark), about).to.equal(count(code, mark));
    }
  });
});
