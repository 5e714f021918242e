/** The blocks of code in Markdown, compared with the examples of the specification of CommonMark. */
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { type MarkdownLine, readLines } from '../../src/import/markdown-lines.js';
import { decodeEntities } from '../../src/import/text.js';

interface Example {
  number: number;
  markdown: string;
  html: string;
}

const { tests } = createRequire(import.meta.url)('commonmark-spec') as { tests: readonly Example[] };

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The blocks of code without their fences, and without space, which lists and quotations change. */
function codeIn(lines: readonly MarkdownLine[]): string[] {
  const blocks = new Map<number, string[]>();
  for (const { kind, text, start, block } of lines) {
    if (kind !== 'code') continue;
    const content = text.slice(start).trimEnd();
    blocks.set(block, [...(blocks.get(block) ?? []), content]);
  }
  return [...blocks.values()].map(([first = '', ...rest]) => {
    const [, fence] = FENCE.exec(first) ?? [];
    const last = rest.at(-1) ?? '';
    const isEnded = fence !== undefined && last.trim().startsWith(fence) && /^ {0,3}(?:`+|~+)$/.test(last);
    const code = [fence === undefined ? first : '', ...rest.slice(0, isEnded ? -1 : undefined)];
    return code.join('').replace(/\s/g, '');
  });
}

describe('Lines of Markdown', () => {
  it('are code where the specification of CommonMark says so', () => {
    for (const { markdown, html, number } of tests) {
      const shown = Array.from(html.matchAll(/<pre><code[^>]*>([^<]*)<\/code><\/pre>/g), ([, code = '']) =>
        decodeEntities(code).replaceAll('→', '').replace(/\s/g, ''),
      );
      const source = markdown.replaceAll('→', '\t').replace(/\n$/, '');
      expect(codeIn(readLines(source)), `example ${number}:\n${source}`).to.deep.equal(shown);
    }
  });
});
