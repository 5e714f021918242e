/** Finds the code in a text in Markdown, which conversions of the text must not change. */
import { replaceParts } from './text.js';

/** What a conversion makes of a part of the text that later steps must not change. */
export interface Aside {
  /** A block of code that begins where `begun` does. */
  block(code: string, language: string, begun: RegExpExecArray): string;
  span(code: string): string;
}

/** Noncharacters of Unicode: a mark is one of the first two, the number of what it stands for, and the last one. */
export const BLOCK_MARK = '\uFDD0';
const SPAN_MARK = '\uFDD1';
export const MARK_END = '\uFDD2';
const MARKS = /[\uFDD0\uFDD1](\d+)\uFDD2/g;

/**
 * Changes a text in Markdown, without code: blocks between fences or with indentation, spans, `pre` and `code` of HTML, and its comments. Each is one
 * mark in the text that `change` receives; that of a block is a line of its own.
 */
export function outsideCode(text: string, change: (text: string, aside: Aside) => string): string {
  const parts: string[] = [];
  const put = (mark: string, part: string) => `${mark}${parts.push(part) - 1}${MARK_END}`;
  const restored = (marked: string): string =>
    marked.replace(MARKS, (_, index: string) => restored(parts[Number(index)] ?? ''));
  const aside: Aside = {
    block: (code, language, begun) => {
      const source = restored(code).replace(/\n[ \t>]*$/, '');
      const fence = '`'.repeat(Math.max(3, longestRun(source) + 1));
      const indent = indentAt(begun);
      const block = put(BLOCK_MARK, `${fence}${language}\n${source}\n${indent ?? ''}${fence}`);
      return indent === null ? `\n${block}` : block;
    },
    span: (code) => {
      const source = restored(code);
      const fence = '`'.repeat(longestRun(source) + 1);
      const space = /^`|`$/.test(source) ? ' ' : '';
      return put(SPAN_MARK, fence + space + source + space + fence);
    },
  };
  const blocks = withoutBlocks(text.replace(/[\uFDD0-\uFDD2]/g, ''), (code) => put(BLOCK_MARK, code));
  const spans = withoutSpans(blocks, (code) => put(SPAN_MARK, code));
  const marked = HTML.reduce(
    (rest, [begins, ends, end]) =>
      replaceParts(rest, begins, ends, (inner, [begin]) => put(SPAN_MARK, begin + inner + end)),
    spans,
  );
  // A block ends its line.
  return restored(change(marked, aside).replace(/(\uFDD0\d+\uFDD2)[ \t]*(?=[^\s])/g, '$1\n'));
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

/** Block quotes and list items at the beginning of a line. */
export const CONTAINERS = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)))*[ \t]*/;
export const RULE = /^[ \t>]*([-*_])[ \t]*(?:\1[ \t]*){2,}$/;

interface Fence {
  mark: string;
  quotes: number;
  /** Column of the content of the list item that the block is in; 0 outside of lists. */
  column: number;
}

function withoutBlocks(text: string, put: (code: string) => string): string {
  const lines: string[] = [];
  let code: string[] = [];
  let fence: Fence | null = null;
  /** Columns of the contents of the open list items. */
  let items: number[] = [];
  let quotes = 0;
  let canIndent = true;
  const flush = () => {
    // Empty lines after indented code are not part of it.
    let end = code.length;
    while (fence === null && end > 0 && code[end - 1]?.trim() === '') end--;
    if (end > 0) lines.push(put(code.slice(0, end).join('\n')));
    for (const line of code.slice(end)) lines.push(line);
    code = [];
    fence = null;
  };
  for (const line of text.split('\n')) {
    const [marks = ''] = /^(?:[ \t]{0,3}>)+/.exec(line) ?? [];
    const depth = marks.split('>').length - 1;
    const column = columnOf(line.slice(marks.length), depth > 0);
    const isEmpty = line.slice(marks.length).trim() === '';
    if (fence !== null) {
      const { mark, quotes: inQuotes, column: inItem }: Fence = fence;
      if (depth >= inQuotes && (isEmpty || column >= inItem)) {
        code.push(line);
        const rest = withoutQuotes(line, inQuotes).trim();
        if (rest.startsWith(mark) && rest === mark.charAt(0).repeat(rest.length)) flush();
        continue;
      }
      flush();
    }
    if (depth !== quotes) items = [];
    quotes = depth;
    if (isEmpty) {
      (code.length > 0 ? code : lines).push(line);
      canIndent = true;
      continue;
    }
    if (canIndent) items = items.filter((item) => item <= column);
    const inner = items.findLast((item) => item <= column) ?? 0;
    if (column - inner >= 4 && canIndent) {
      code.push(line);
      continue;
    }
    if (code.length > 0) flush();
    const prefix = RULE.test(line) ? '' : (CONTAINERS.exec(line)?.[0] ?? '');
    const rest = line.slice(prefix.length);
    // A definition of kramdown and goldmark.
    if (/^:[ \t]/.test(rest)) items = [column + 2];
    else if (/[-*+.)]/.test(prefix)) {
      const content = columnOf(prefix.slice(marks.length), depth > 0) + widthOf(prefix.slice(marks.length).trimStart());
      items = [...items.filter((item) => item <= column), content];
    }
    const [, ticks, tildes] = /^(?:(`{3,})[^`]*$|(~{3,}))/.exec(rest) ?? [];
    const mark = ticks ?? tildes;
    canIndent = mark !== undefined || /^#{1,6}[ \t]/.test(rest);
    if (mark === undefined) lines.push(line);
    else {
      code = [line];
      fence = { mark, quotes: depth, column: items.at(-1) ?? 0 };
    }
  }
  flush();
  return lines.join('\n');
}

/** The column of the first visible character, after one space that follows a mark of a quote. */
function columnOf(text: string, isQuoted: boolean): number {
  const [space = ''] = /^[ \t]*/.exec(text) ?? [];
  return widthOf(isQuoted ? space.replace(/^ /, '') : space);
}

function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += character === '\t' ? 4 - (width % 4) : 1;
  return width;
}

function withoutQuotes(line: string, count: number): string {
  let rest = line;
  for (let left = count; left > 0; left--) rest = rest.replace(/^[ \t]*>/, '');
  return rest;
}

/** Where a paragraph ends: a span cannot be in two of them. */
const PARAGRAPH_END = /\n(?=[ \t>]*(?:\n|\uFDD0|(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]|\|))/;

function withoutSpans(text: string, put: (code: string) => string): string {
  return text
    .split(PARAGRAPH_END)
    .map((paragraph) => {
      const runs = [...paragraph.matchAll(/\\?`+/g)].map(({ 0: run, index }) => {
        const isEscaped = run.startsWith('\\');
        return { index: index + (isEscaped ? 1 : 0), length: run.length - (isEscaped ? 1 : 0), isEscaped };
      });
      const ends: (number | undefined)[] = [];
      const next = new Map<number, number>();
      for (let at = runs.length - 1; at >= 0; at--) {
        const length = runs[at]?.length ?? 0;
        ends[at] = next.get(length);
        next.set(length, at);
      }
      const parts: string[] = [];
      let from = 0;
      for (let at = 0; at < runs.length; at++) {
        const [begin, end] = [runs[at], runs[ends[at] ?? -1]];
        if (!begin || begin.isEscaped || !end) continue;
        const to = end.index + end.length;
        parts.push(paragraph.slice(from, begin.index), put(paragraph.slice(begin.index, to)));
        from = to;
        at = ends[at] ?? at;
      }
      return parts.join('') + paragraph.slice(from);
    })
    .join('\n');
}
