/** Finds the code in a text in Markdown, which conversions of the text must not change. */
import { type BlockExtensions, cellsOf, type MarkdownLine, readLines } from './markdown-lines.js';
import { replaceParts } from './text.js';

/** What a conversion makes of a part of the text that later steps must not change. */
export interface Aside {
  /** A block of code that begins where `begun` does. */
  block(code: string, language: string, begun: RegExpExecArray): string;
  span(code: string): string;
}

interface Options extends BlockExtensions {
  /** Whether `change` receives `pre`, `code` and comments of HTML too. */
  withHtml?: boolean;
}

/** Noncharacters of Unicode: a mark is one of the first two, the number of what it stands for, and the last one. */
const BLOCK_MARK = '\uFDD0';
const SPAN_MARK = '\uFDD1';
export const MARK_END = '\uFDD2';
const MARKS = /[\uFDD0\uFDD1](\d+)\uFDD2/g;

/**
 * Changes a text in Markdown, without code: blocks between fences or with indentation, spans, `pre` and `code` of HTML, and its comments. Each is one
 * mark in the text that `change` receives; each line of a block is one, after the marks of the quotations and the indentation of the lists that it is in.
 */
export function outsideCode(
  text: string,
  change: (text: string, aside: Aside) => string,
  { withHtml, ...extensions }: Options = {},
): string {
  const parts: string[] = [];
  const put = (mark: string, part: string) => `${mark}${parts.push(part) - 1}${MARK_END}`;
  const restored = (marked: string): string =>
    marked.replace(MARKS, (_, index: string) => restored(parts[Number(index)] ?? ''));
  const aside: Aside = {
    block: (code, language, begun) => {
      const source = restored(code).replace(/\n[ \t>]*$/, '');
      const fence = '`'.repeat(Math.max(3, longestRun(source) + 1));
      const indent = indentAt(begun);
      const lines = source.split('\n').map((line) => {
        const inner = line.startsWith(indent ?? '') ? line.slice(indent?.length) : line.replace(/^[ \t>]*$/, '');
        return put(BLOCK_MARK, inner);
      });
      const block = [put(BLOCK_MARK, fence + language), ...lines, put(BLOCK_MARK, fence)].join(`\n${indent ?? ''}`);
      return indent === null ? `\n${block}` : block;
    },
    span: (code) => {
      const source = restored(code);
      const fence = '`'.repeat(longestRun(source) + 1);
      const space = /^`|`$/.test(source) ? ' ' : '';
      return put(SPAN_MARK, fence + space + source + space + fence);
    },
  };
  const lines = readLines(
    text.replace(/[\uFDD0-\uFDD2]/g, (character) => put(SPAN_MARK, character)),
    extensions,
  );
  const spans = withoutMarkdownCode(lines, put);
  const marked = (withHtml ? [] : HTML).reduce(
    (rest, [begins, ends, end]) =>
      replaceParts(rest, begins, ends, (inner, [begin]) => put(SPAN_MARK, begin + inner + end)),
    spans,
  );
  // A block ends its line.
  return restored(change(marked, aside).replace(/(\uFDD0\d+\uFDD2)[ \t]*(?=[^\s])/g, '$1\n'));
}

/** The blocks of a text whose code was put aside. */
export function linesOf(marked: string): MarkdownLine[] {
  return readLines(marked, {}, (content) => content.startsWith(BLOCK_MARK));
}

/** What is before a part of the text on its line, if that is nothing but space and marks of quotes. */
export function indentAt({ index, input }: RegExpExecArray): string | null {
  const before = input.slice(input.lastIndexOf('\n', index - 1) + 1, index);
  return /^[ \t>]*$/.test(before) ? before : null;
}

function longestRun(code: string): number {
  return (code.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

const HTML: [begins: RegExp, ends: RegExp, end: string][] = [
  [/<!--/g, /-->/g, '-->'],
  [/<pre\b[^<>]*>/gi, /<\/pre>/gi, '</pre>'],
  [/<code\b[^<>]*>/gi, /<\/code>/gi, '</code>'],
];

type Put = (mark: string, part: string) => string;

function withoutMarkdownCode(lines: readonly MarkdownLine[], put: Put): string {
  const out: string[] = [];
  for (let from = 0, to = 0; from < lines.length; from = to) {
    const first = lines[from];
    if (!first) break;
    const prefix = first.text.slice(0, first.start);
    const content = first.text.slice(first.start);
    to = from + 1;
    if (first.kind === 'code') out.push(prefix + put(BLOCK_MARK, content));
    else if (first.kind === 'row')
      out.push(
        prefix +
          cellsOf(content)
            .map((cell) => withoutSpans(cell, put))
            .join('|'),
      );
    else if (first.kind === 'text') {
      while (lines[to]?.kind === 'text' && lines[to]?.block === first.block) to++;
      const paragraph = [content, ...lines.slice(from + 1, to).map(({ text }) => text)].join('\n');
      out.push(prefix + withoutSpans(paragraph, put));
    } else out.push(first.text);
  }
  return out.join('\n');
}

/** What can contain a backtick that begins no code: an escaped character, a tag, an address; and runs of backticks. */
const INLINE =
  /\\[^\n]|`+|<(?:\/?[a-z][a-z0-9-]*(?:\s+[a-z_:][\w:.-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?|[a-z][a-z0-9+.-]{1,31}:[^\s<>]*)>/gi;

function withoutSpans(text: string, put: Put): string {
  if (!text.includes('`')) return text;
  /** The beginnings of the runs of each length. */
  const runs = new Map<number, number[]>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const begins = runs.get(run.length);
    if (begins) begins.push(index);
    else runs.set(run.length, [index]);
  }
  for (const begins of runs.values()) begins.reverse();
  const parts: string[] = [];
  let from = 0;
  INLINE.lastIndex = 0;
  for (let found = INLINE.exec(text); found; found = INLINE.exec(text)) {
    const [run] = found;
    if (!run.startsWith('`')) continue;
    const ends = runs.get(run.length) ?? [];
    while ((ends.at(-1) ?? text.length) < INLINE.lastIndex) ends.pop();
    const end = ends.at(-1);
    if (end === undefined) continue;
    const to = end + run.length;
    parts.push(text.slice(from, found.index), put(SPAN_MARK, text.slice(found.index, to)));
    from = to;
    INLINE.lastIndex = to;
  }
  return parts.join('') + text.slice(from);
}
