/** Tables and emphasis of kramdown that Markdown of articles does not recognize become HTML with Markdown in it. */
import { cellsOf, type MarkdownLine } from '../../markdown-lines.js';
import { linesOf } from '../../outside-code.js';

const PIPE = /^\||[^\\]\|/;
const SEPARATOR = /^[+|: \t-]*-[+|: \t-]*$/;
const FOOT = /^[+|: \t=]*=[+|: \t=]*$/;

interface Section {
  name: 'thead' | 'tbody';
  rows: string[][];
}

export function convertTables(text: string): string {
  const lines = linesOf(text);
  const out: string[] = [];
  for (let from = 0, to = 0; from < lines.length; from = to) {
    to = from + 1;
    const [first, before] = [lines[from], lines[from - 1]];
    if (!first) break;
    const table: string[] = [];
    // At the beginning of a quotation or a list item, or after an empty line.
    const isFirst =
      !before || before.text.slice(before.start).trim() === '' || hasMark(first) || before.start < first.start;
    let end = from;
    for (; isFirst && isRow(lines[end]) && (end === from || !hasMark(lines[end])); end++)
      table.push(contentOf(lines[end]));
    const isTable = table.length > 0 && (hasMark(lines[end]) || !isInText(lines[end]));
    const converted = isTable ? tableOf(table, lines[from + 1]) : null;
    if (converted === null) {
      out.push(first.text);
      continue;
    }
    to = from + table.length;
    const prefix = first.text.slice(0, first.start);
    const inner = prefix.replace(/[^>\s]/g, ' ');
    for (const [at, line] of converted.entries()) out.push(((at === 0 ? prefix : inner) + line).trimEnd());
  }
  return out.join('\n');
}

function isInText(line: MarkdownLine | undefined): boolean {
  return (line?.kind === 'text' || line?.kind === 'row') && !/^#{1,6}[ \t]/.test(contentOf(line));
}

function isRow(line: MarkdownLine | undefined): boolean {
  return isInText(line) && PIPE.test(contentOf(line));
}

/** Whether the line begins a list item. */
function hasMark(line: MarkdownLine | undefined): boolean {
  return line !== undefined && /[^\s>]/.test(line.text.slice(0, line.start));
}

function contentOf(line: MarkdownLine | undefined): string {
  return line ? line.text.slice(line.start).trim() : '';
}

/** Null for what is no table, and for one that articles show in the same way. */
function tableOf(lines: readonly string[], second: MarkdownLine | undefined): string[] | null {
  const separators = lines.filter((line) => SEPARATOR.test(line) || FOOT.test(line)).length;
  if (second?.kind === 'row' && separators === 1 && SEPARATOR.test(lines[1] ?? '')) return null;
  const hasMark = lines[0]?.startsWith('|') ?? false;
  const sections: Section[] = [];
  let alignments: string[] = [];
  let hasFoot = false;
  let rows: string[][] = [];
  const end = (name: Section['name']) => {
    if (rows.length > 0) sections.push({ name, rows });
    rows = [];
  };
  for (const line of lines) {
    if (SEPARATOR.test(line)) {
      if (rows.length === 0) continue;
      if (alignments.length > 0 || hasFoot) {
        if (!hasFoot) end('tbody');
        continue;
      }
      end('thead');
      alignments = Array.from(line.matchAll(/(:?)-+(:?)/g), ([, left, right]) =>
        left && right ? 'center' : right ? 'right' : left ? 'left' : '',
      );
    } else if (FOOT.test(line)) {
      end('tbody');
      hasFoot = true;
    } else {
      const cells = cellsOf(line).map((cell) => cell.trim());
      if (hasMark && cells[0] === '') cells.shift();
      if (cells.at(-1) === '') cells.pop();
      rows.push(cells);
    }
  }
  end('tbody');
  if (!sections.some(({ name }) => name === 'tbody')) return null;
  const cellOf = (tag: string, cell: string, at: number) => {
    const align = alignments[at] ? ` align="${alignments[at]}"` : '';
    return cell === '' ? [`<${tag}${align}></${tag}>`] : [`<${tag}${align}>`, '', cell, '', `</${tag}>`];
  };
  const htmlOf = ({ name, rows: each }: Section) => [
    `<${name}>`,
    ...each.flatMap((row) => [
      '<tr>',
      ...row.flatMap((cell, at) => cellOf(name === 'thead' ? 'th' : 'td', cell, at)),
      '</tr>',
    ]),
    `</${name}>`,
  ];
  return ['<table>', ...sections.flatMap(htmlOf), '</table>'];
}

/** What contains no marks of emphasis: code and escaped characters, tags, and addresses of links; or the marks. */
const TOKEN = /\uFDD1\d+\uFDD2|\\[^\n]|<[^<>\n]*>|\]\([^()\n]*\)|\*\*?|__?/g;

interface Pair {
  begin: number;
  end: number;
  length: number;
}

interface Stop {
  mark: string;
  begin: number;
}

/** Emphasis as kramdown reads it, with tags where CommonMark does not: beside punctuation that a letter follows, as in `**글(문)**은`. */
export function convertEmphasis(text: string): string {
  const lines = linesOf(text);
  const out: string[] = [];
  for (let from = 0, to = 0; from < lines.length; from = to) {
    to = from + 1;
    const first = lines[from];
    if (!first) break;
    const [prefix, content] = [first.text.slice(0, first.start), first.text.slice(first.start)];
    if (first.kind === 'row') out.push(prefix + cellsOf(content).map(withEmphasis).join('|'));
    else if (first.kind === 'text') {
      while (lines[to]?.kind === 'text' && lines[to]?.block === first.block) to++;
      out.push(prefix + withEmphasis([content, ...lines.slice(from + 1, to).map(({ text: line }) => line)].join('\n')));
    } else out.push(first.text);
  }
  return out.join('\n');
}

/** Marks that are read, for each character: kramdown reads them again where one has no end. */
const MAX_READS = 8;

function withEmphasis(text: string): string {
  if (!/[*_]/.test(text)) return text;
  const tokens = [...text.matchAll(TOKEN)].map(({ 0: token, index }) => ({ token, index, end: index + token.length }));
  let reads = 0;
  /** @returns null if the end is missing */
  const read = (from: number, stop: Stop | null, types: readonly number[]): { pairs: Pair[]; end: number } | null => {
    const pairs: Pair[] = [];
    let position = from;
    for (let at = firstAt(tokens, from); at < tokens.length; ) {
      if (++reads > MAX_READS * (text.length + 100)) return null;
      const { token = '', index = 0, end = 0 } = tokens[at] ?? {};
      if (end <= position) {
        at++;
        continue;
      }
      const begin = Math.max(index, position);
      if (!/^[*_]/.test(token)) {
        position = end;
        at++;
        continue;
      }
      if (stop && text.startsWith(stop.mark, begin) && canEnd(text, begin, stop)) return { pairs, end: begin };
      const mark = text.startsWith(token.charAt(0).repeat(2), begin) ? token.charAt(0).repeat(2) : token.charAt(0);
      const opened =
        openAt(begin, mark, types) ??
        (mark.length === 2 && !types.includes(1) ? openAt(begin, mark.charAt(0), types) : null);
      position = begin + mark.length;
      if (opened) {
        pairs.push(...opened);
        const { end: close, length } = opened.at(-1) ?? { end: begin, length: 0 };
        position = close + length;
        at = firstAt(tokens, position);
      }
    }
    return stop ? null : { pairs, end: text.length };
  };
  const openAt = (begin: number, mark: string, types: readonly number[]): Pair[] | null => {
    const { length } = mark;
    const inner = begin + length;
    const isIntraword = mark.startsWith('_') && /\p{L}-?\p{L}*$/u.test(text.slice(Math.max(0, begin - 40), begin));
    if (isIntraword || /^\s/.test(text.charAt(inner)) || types.includes(length)) return null;
    const found = read(inner, { mark, begin: inner }, [...types, length]);
    return found && [...found.pairs, { begin, end: found.end, length }];
  };
  const { pairs } = read(0, null, []) ?? { pairs: [] };
  const tags = new Map<number, { tag: string; length: number }>();
  const runs = Array.from(text.matchAll(/\*+|_+/g), ({ 0: run, index }) => ({ begin: index, end: index + run.length }));
  const isFlankingAt = (position: number, begins: boolean) => {
    const run = runs[firstAt(runs, position)];
    return run !== undefined && isFlanking(text, run, begins);
  };
  for (const group of groupsOf(pairs)) {
    if (group.every(({ begin, end }) => isFlankingAt(begin, true) && isFlankingAt(end, false))) continue;
    for (const { begin, end, length } of group) {
      const name = length === 2 ? 'strong' : 'em';
      tags.set(begin, { tag: `<${name}>`, length });
      tags.set(end, { tag: `</${name}>`, length });
    }
  }
  const parts: string[] = [];
  let from = 0;
  for (const [index, { tag, length }] of [...tags].sort(([a], [b]) => a - b)) {
    parts.push(text.slice(from, index), tag);
    from = index + length;
  }
  return parts.join('') + text.slice(from);
}

/** The first one that ends after a position. */
function firstAt(tokens: readonly { end: number }[], position: number): number {
  let [low, high] = [0, tokens.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tokens[middle]?.end ?? 0) > position) high = middle;
    else low = middle + 1;
  }
  return low;
}

function canEnd(text: string, at: number, { mark, begin }: Stop): boolean {
  const after = at + mark.length;
  if (at === begin || /\s/.test(text.charAt(at - 1))) return false;
  if (mark.length === 1 && text.startsWith(mark.repeat(2), at) && !text.startsWith(mark.repeat(3), at)) return false;
  return !mark.startsWith('_') || !/^[\p{L}\p{N}]/u.test(text.slice(after, after + 2));
}

/** Each outermost pair, with those in it, which precede it. */
function groupsOf(pairs: readonly Pair[]): Pair[][] {
  const groups: Pair[][] = [];
  for (const pair of pairs.toReversed()) {
    const outer = groups.at(-1)?.[0];
    if (outer && pair.begin > outer.begin) groups.at(-1)?.push(pair);
    else groups.push([pair]);
  }
  return groups;
}

const PUNCTUATION = /[\p{P}\p{S}]/u;

/** Whether CommonMark reads a run of equal marks as the beginning or the end of emphasis. */
function isFlanking(text: string, run: { begin: number; end: number }, begins: boolean): boolean {
  const before = [...text.slice(Math.max(0, run.begin - 2), run.begin)].at(-1) ?? ' ';
  const [after = ' '] = text.slice(run.end, run.end + 2);
  const [inner, outer] = begins ? [after, before] : [before, after];
  const isLetter = (character: string) => !/\s/.test(character) && !PUNCTUATION.test(character);
  if (/\s/.test(inner)) return false;
  if (PUNCTUATION.test(inner) && isLetter(outer)) return false;
  return text.charAt(run.begin) === '*' || !isLetter(outer);
}
