/** Containers and callouts of programs for documentation: Docusaurus, VuePress, Zenn, Quarto, MkDocs. */
import { escapeHtml } from '../../../services/rendering/escape.js';
import { linesOf } from '../../outside-code.js';
import { type Conversion, report } from './conversion.js';

/** `:::note Title`, `::: tip`, `:::info[Title]`, `::: {.callout-note title="Title"}`, `:::message alert`. */
const BEGIN = /^([ \t>]*)(:{3,})[ \t]*([\w-]+|\{[^{}\n]*\})?[ \t]*(.*)$/;
const CALLOUT =
  /^(?:note|tip|info|caution|danger|warning|important|secondary|success|message|hint|attention|error|abstract|summary|question|quote|example|bug|failure|todo|seealso|alert)$/;

interface Open {
  colons: number;
  kind: 'callout' | 'details' | 'text';
  /** What each of its lines begins with. */
  prefix: string;
}

const CALLOUTS = 'callouts: now quotations that begin with the title';

export function convertContainers(conversion: Conversion, text: string): string {
  if (!text.includes(':::')) return text;
  const found: string[] = [];
  const unknown: string[] = [];
  const opened: Open[] = [];
  const out: string[] = [];
  const prefix = () => opened.map((each) => each.prefix).join('');
  const add = (line: string) => out.push(line === '' ? prefix().trimEnd() : prefix() + line);
  const lines = linesOf(text);
  const open = lines.filter(({ text: line }) => isEnd(line)).length;
  let ends = open;
  for (const { text: line, kind } of lines) {
    const [, indent = '', colons = '', given = '', rest = ''] = (kind === 'text' && BEGIN.exec(line)) || [];
    if (colons === '') add(line);
    else if (given === '' && rest === '') {
      ends--;
      const index = opened.findLastIndex((each) => each.colons === colons.length);
      const last = index === -1 ? opened.at(-1) : opened[index];
      if (!last) {
        add(line);
        continue;
      }
      while (opened.length > 0 && opened.pop() !== last);
      if (last.kind === 'details') add('\n</details>');
      add('');
    } else if (opened.length >= ends || opened.length >= 20) add(line);
    else {
      const name = nameOf(given);
      const title = titleOf(given, rest);
      const isCallout = CALLOUT.test(name);
      const isDetails = name === 'details';
      if (!isCallout && !isDetails) {
        unknown.push(name || given || rest);
        opened.push({ colons: colons.length, kind: 'text', prefix: '' });
        add('');
        continue;
      }
      add('');
      if (isDetails) {
        for (const each of [`<details><summary>${escapeHtml(title || 'Details')}</summary>`, '']) add(indent + each);
        opened.push({ colons: colons.length, kind: 'details', prefix: '' });
        continue;
      }
      found.push(name);
      opened.push({ colons: colons.length, kind: 'callout', prefix: `${indent}> ` });
      if (name !== 'message') for (const each of [boldTitle(title || name), '']) add(each);
    }
  }
  report(conversion, CALLOUTS, found);
  report(conversion, 'containers (:::) that are not callouts: only their contents stay', unknown);
  return out.join('\n');
}

function isEnd(line: string): boolean {
  return /^[ \t>]*:{3,}[ \t]*$/.test(line);
}

/** `note`, or the class of `{.callout-note}`. */
function nameOf(given: string): string {
  const name = given.startsWith('{') ? (/\.(?:callout-)?([\w-]+)/.exec(given)?.[1] ?? '') : given;
  return name.toLowerCase();
}

function titleOf(given: string, rest: string): string {
  const attribute = /\btitle="([^"]*)"/.exec(given.startsWith('{') ? given : rest)?.[1];
  if (attribute !== undefined) return attribute;
  const text = rest.replace(/\{[^{}]*\}[ \t]*$/, '').trim();
  return /^\[(.*)\]$/.exec(text)?.[1] ?? (text === 'alert' ? '' : text);
}

function boldTitle(title: string): string {
  const shown = title.charAt(0).toUpperCase() + title.slice(1);
  return shown.includes('*') ? shown : `**${shown}**`;
}

/** `!!! note "Title"`, `??? note` and `=== "Tab"` of MkDocs, whose contents have an indentation of four columns. */
const ADMONITION = /^([ \t>]*)(!!!|\?\?\?\+?)[ \t]+([\w-]+)(?:[ \t]+[\w-]+)*[ \t]*(?:"([^"\n]*)")?[ \t]*$/;
const TAB = /^([ \t>]*)===[!+]*[ \t]+"([^"\n]*)"[ \t]*$/;

export function convertAdmonitions(conversion: Conversion, text: string): string {
  if (!/^[ \t>]*(?:!!!|\?\?\?|===)/m.test(text)) return text;
  const found: string[] = [];
  const tabs: string[] = [];
  const lines = text.split('\n');
  /** Columns of the contents of the open blocks, with what their lines begin with. */
  let opened: { from: string; prefix: string }[] = [];
  const out: string[] = [];
  for (const line of lines) {
    if (line.trim() === '') {
      out.push(
        opened
          .map(({ prefix }) => prefix)
          .join('')
          .trimEnd(),
      );
      continue;
    }
    let rest = line;
    const kept: typeof opened = [];
    for (const each of opened) {
      const inner = rest.startsWith(each.from)
        ? /^(?: {4}|\t)(.*)$/s.exec(rest.slice(each.from.length))?.[1]
        : undefined;
      if (inner === undefined) break;
      rest = inner;
      kept.push(each);
    }
    if (kept.length < opened.length) {
      if (/^[ \t>]*$/.test(out.at(-1) ?? '')) out.pop();
      out.push(
        kept
          .map(({ prefix }) => prefix)
          .join('')
          .trimEnd(),
      );
    }
    opened = kept;
    const before = opened.map(({ prefix }) => prefix).join('');
    const [, from = '', mark = '', name = '', title] = (opened.length < 20 && ADMONITION.exec(rest)) || [];
    const [, indent = '', tab] = (opened.length < 20 && TAB.exec(rest)) || [];
    if (mark !== '') {
      found.push(name);
      opened.push({ from, prefix: `${from}> ` });
      if (title !== '') out.push(`${before}${from}> ${boldTitle(title ?? name)}`);
      out.push(`${before}${from}>`);
    } else if (tab !== undefined) {
      tabs.push(tab);
      opened.push({ from: indent, prefix: indent });
      out.push(`${before}${indent}${boldTitle(tab)}`, before.trimEnd());
    } else out.push(before + rest);
  }
  report(conversion, CALLOUTS, found);
  report(conversion, 'tabs: now one below the other', tabs);
  return out.join('\n');
}
