/** What the conversions of all dialects of Markdown share. */
import { RULE } from '../../markdown-lines.js';
import { type Aside, indentAt, linesOf } from '../../outside-code.js';
import type { Reduction } from '../../source.js';
import { replaceParts } from '../../text.js';
import type { Site } from './site.js';

export interface Conversion {
  site: Site;
  path: string;
  reduced: Reduction[];
  tags: string[];
  aside: Aside;
}

/** Reports what was found of one kind, if anything was. */
export function report({ reduced }: Pick<Conversion, 'reduced'>, reason: string, found: readonly string[]): void {
  if (found.length === 0) return;
  const detail = [...new Set(found)].filter(Boolean).join(', ').slice(0, 200);
  reduced.push({ reason, ...(detail && { detail }), ...(found.length > 1 && { count: found.length }) });
}

/** Replaces what matches, and reports it. @param replace as of `String.replace`; undefined keeps it, and does not report it */
export function replaceReported(
  conversion: Conversion,
  text: string,
  [pattern, reason]: readonly [RegExp, string],
  replace: (...match: string[]) => { text: string; detail?: string } | undefined,
): string {
  const found: string[] = [];
  const replaced = text.replace(pattern, (whole: string, ...groups: string[]) => {
    const made = replace(whole, ...groups);
    if (made) found.push(made.detail ?? '');
    return made?.text ?? whole;
  });
  report(conversion, reason, found);
  return replaced;
}

export const NOW_LINKS = 'embedded pages and media: now links';

export function embedAt(url: string): { text: string; detail: string } {
  return { text: `<${encodeURI(url)}>`, detail: url };
}

/** Single line breaks are shown, with two spaces at the ends of lines. */
export function withLineBreaks(text: string): string {
  const lines = linesOf(text);
  return lines
    .map(({ text: line, kind, block }, at) => {
      const next = lines[at + 1];
      const isBroken = kind === 'text' && next?.kind === 'text' && next.block === block && !/(?: {2}|\\)$/.test(line);
      return isBroken ? `${line}  ` : line;
    })
    .join('\n');
}

/** Block quotes and list items at the beginning of a line. */
const CONTAINERS = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)))*[ \t]*/;

/** `> [!note] Title` of Obsidian, GitHub and Hugo. */
export function convertCallouts(conversion: Conversion, text: string): string {
  const found: string[] = [];
  const lines: string[] = [];
  const all = text.split('\n');
  for (const [at, line] of all.entries()) {
    const [prefix = ''] = CONTAINERS.exec(line) ?? [];
    const [, type = '', given = ''] =
      (prefix.includes('>') &&
        /^\[!([^[\]\n|]+)(?:\|[^[\]\n]*)?\][-+]?(?:[ \t]+(.*))?$/.exec(line.slice(prefix.length))) ||
      [];
    if (type === '') lines.push(line);
    else {
      const title = given.trim() || type.charAt(0).toUpperCase() + type.slice(1).toLowerCase();
      lines.push(prefix + (title.includes('*') ? title : `**${title}**`));
      const next = all[at + 1] ?? '';
      if (/^[ \t]*>[ \t>]*[^ \t>]/.test(next)) lines.push(prefix.replace(/[^>\s]/g, ' ').trimEnd());
      found.push(type);
    }
  }
  report(conversion, 'callouts: now quotations that begin with the title', found);
  return lines.join('\n');
}

/** Formulas become code, so that Markdown changes nothing in them. @param isInline whether `$x$` is one too */
export function convertMath(conversion: Conversion, text: string, isInline: boolean): string {
  const { aside } = conversion;
  const found: string[] = [];
  const blocks = replaceParts(text, /(?<![\\$])\$\$(?!\$)/g, /(?<![\\$])\$\$(?!\$)/g, (formula, begun) => {
    const isBlock = formula.includes('\n') && indentAt(begun) !== null;
    if (!isBlock && /\n[ \t>]*\n/.test(formula)) return `$$${formula}$$`;
    found.push('');
    if (!isBlock) return aside.span(`$$${formula.replaceAll('\n', ' ')}$$`);
    return aside.block(formula.replace(/^[ \t]*\n/, ''), 'math', begun);
  });
  const pattern = /(?<![\\$\w])\$(?![\s$])([^$\n\\\uFDD0-\uFDD2]|\\[^\n])+(?<![\s\\])\$(?![\d$\w])/g;
  const spans = !isInline
    ? blocks
    : blocks.replace(pattern, (formula) => {
        found.push('');
        return aside.span(formula);
      });
  report(conversion, 'formulas: now code, since articles have none', found);
  return spans;
}

/** `Term` and `: Definition` of kramdown and goldmark become lists in HTML with Markdown in them. */
export function convertDefinitions(text: string): string {
  const lines = text.split('\n');
  const out: string[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (!isDefinition(line)) {
      out.push(line);
      at++;
      continue;
    }
    const list: string[] = ['<dl>'];
    let terms = takeTerms(out);
    if (terms.length === 0) {
      out.push(line);
      at++;
      continue;
    }
    while (terms.length > 0) {
      for (const term of terms) list.push('<dt>', '', term.trim(), '', '</dt>');
      while (isDefinition(lines[at] ?? '')) {
        const end = endOfDefinition(lines, at);
        const [first = '', ...rest] = lines.slice(at, end);
        const mark = /^ {0,3}:[ \t]+/.exec(first)?.[0] ?? '';
        const indent = new RegExp(`^(?: {1,${mark.includes('\t') ? 4 : mark.length}}|\t)`);
        const content = [first.slice(mark.length), ...rest.map((each) => each.replace(indent, ''))];
        for (const each of ['<dd>', '', ...content, '', '</dd>']) list.push(each);
        at = skipEmpty(lines, end, isDefinition);
      }
      // A further term, if a definition follows it.
      const from = skipEmpty(lines, at, isTerm);
      let to = from;
      while (isTerm(lines[to] ?? '')) to++;
      const next = skipEmpty(lines, to, isDefinition);
      terms = to > from && isDefinition(lines[next] ?? '') ? lines.slice(from, to) : [];
      if (terms.length > 0) at = next;
    }
    for (const each of [...list, '</dl>', '']) out.push(each);
  }
  return out.join('\n');
}

function isDefinition(line: string): boolean {
  return /^ {0,3}:[ \t]+\S/.test(line);
}

function isTerm(line: string): boolean {
  return (
    /^ {0,3}[^\s:>|#\uFDD0<]/.test(line) && !RULE.test(line.trim()) && !/^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]/.test(line)
  );
}

/** One empty line may be before a definition or a term. */
function skipEmpty(lines: readonly string[], at: number, is: (line: string) => boolean): number {
  return (lines[at] ?? '').trim() === '' && is(lines[at + 1] ?? '') ? at + 1 : at;
}

function takeTerms(out: string[]): string[] {
  let end = out.length;
  if (end > 0 && out[end - 1]?.trim() === '') end--;
  let from = end;
  while (from > 0 && isTerm(out[from - 1] ?? '')) from--;
  // A paragraph that begins with something else, such as a list, has no terms.
  const isWhole =
    from === 0 || out[from - 1]?.trim() === '' || out[from - 1] === '</dl>' || /^#/.test(out[from - 1] ?? '');
  return isWhole && from < end ? out.splice(from).slice(0, end - from) : [];
}

/** With its further lines, and the indented paragraphs after it. */
function endOfDefinition(lines: readonly string[], from: number): number {
  let at = from + 1;
  for (;;) {
    const line = lines[at];
    if (line === undefined) return at;
    const isEmpty = line.trim() === '';
    if (isEmpty && !/^(?: {2,}|\t)\S/.test(lines[at + 1] ?? '')) return at;
    if (!isEmpty && isDefinition(line)) return at;
    at++;
  }
}
