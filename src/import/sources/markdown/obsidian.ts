/** Texts of Obsidian: links, embeds, callouts, highlights, comments, tags and footnotes. */
import { type Conversion, convertCallouts, convertMath, replaceReported, report } from './conversion.js';
import { MARKDOWN, PICTURE, resolveFile } from './site.js';

export function convertObsidian(conversion: Conversion, text: string): string {
  // A comment is for its author only.
  const visible = replaceReported(conversion, text, COMMENT, () => ({ text: '' }));
  for (const [, tag = ''] of visible.matchAll(/(?<![^\s(])#([\p{L}\p{N}_/-]*\p{L}[\p{L}\p{N}_/-]*)/gu))
    conversion.tags.push(tag);
  const formulas = convertMath(conversion, visible, true);
  const highlighted = convertCallouts(conversion, formulas).replace(HIGHLIGHT, (whole, marked?: string) =>
    marked === undefined ? whole : `<mark>${marked}</mark>`,
  );
  const plain = withoutBlockIds(conversion, convertFootnotes(highlighted))
    .replace(/^([ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[[^\]\s[(xX]\](?=[ \t])/gm, '$1[x]')
    .replace(/(!\[[^[\]\n|]*)\|\d+(?:x\d+)?\]\(/g, '$1](');
  return convertLinks(conversion, plain);
}

const COMMENT = [/%%[\s\S]*?%%/g, 'comments of Obsidian (%%): they are not imported'] as const;

/** Not in addresses, which stay as they are. */
const HIGHLIGHT =
  /https?:\/\/[^\s<>()]*|\]\([^()\s]*\)|(?<![\\=])==(?=[^\s=])((?:[^=\n]|=(?!=)|\n(?![ \t]*\n))+)(?<=\S)==(?!=)/g;

/** `text ^id` at the end of a block. */
function withoutBlockIds(conversion: Conversion, text: string): string {
  const lines = text.split('\n');
  const found: string[] = [];
  const rest = lines.map((line, at) => {
    const [whole, id = ''] = /(?:^|[ \t])(\^[A-Za-z0-9-]+)$/.exec(line.slice(-80)) ?? [];
    const isEnd = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]|$)/.test(lines[at + 1] ?? '');
    if (whole === undefined || !isEnd) return line;
    found.push(id);
    return line.slice(0, -whole.length).trimEnd();
  });
  report(conversion, 'ids of blocks (^id): they are left out', found);
  return rest.join('\n');
}

/** `^[text]` becomes a reference to a note at the end of the text. */
function convertFootnotes(text: string): string {
  const opened: number[] = [];
  const pairs: [begin: number, end: number][] = [];
  for (const { 0: mark, index } of text.matchAll(/\\[^\n]|\n[ \t>]*(?=\n)|[[\]]/g)) {
    if (mark === '[') opened.push(index);
    else if (mark === ']') {
      const begin = opened.pop();
      if (begin !== undefined && /(?<![\\[])\^$/.test(text.slice(Math.max(0, begin - 2), begin)))
        pairs.push([begin, index]);
    } else if (mark.startsWith('\n')) opened.length = 0;
  }
  const used = new Set(Array.from(text.matchAll(/\[\^note-(\d+)\]/g), ([, number]) => Number(number)));
  let number = 0;
  const parts: string[] = [];
  const notes: string[] = [];
  let from = 0;
  for (const [begin, end] of pairs.sort(([a], [b]) => a - b)) {
    // One in another one.
    if (begin < from) continue;
    do number++;
    while (used.has(number));
    const label = `[^note-${number}]`;
    parts.push(text.slice(from, begin - 1), label);
    notes.push(
      `${label}: ${text
        .slice(begin + 1, end)
        .replace(/\s*\n[ \t>]*/g, ' ')
        .trim()}`,
    );
    from = end + 1;
  }
  const rest = parts.join('') + text.slice(from);
  return notes.length === 0 ? rest : `${rest.trimEnd()}\n\n${notes.join('\n\n')}\n`;
}

const WIKI_LINK = /(!?)\[\[([^[\]\n|]+)(?:\|([^[\]\n]*))?\]\]/g;

/** `[[note]]`, `[[note#heading|text]]`, `![[picture.png|300]]` of Obsidian. */
export function convertLinks({ site, path, reduced }: Conversion, text: string): string {
  return text.replace(WIKI_LINK, (whole, mark: string, given: string, shown = '') => {
    // In tables, the mark before another text is escaped.
    const target = given.replace(/\\$/, '');
    const name = target.replace(/[#^].*$/s, '').trim();
    const file =
      name === '' ? null : (resolveFile(site, path, encodeURI(name)) ?? site.byName.get(name.toLowerCase()) ?? null);
    const label = (/^\d+(?:x\d+)?$/.test(shown) ? '' : shown) || (mark ? '' : shownTarget(target));
    if (file && mark && PICTURE.test(file.path)) return `![${label}](/${encodeURI(file.path)})`;
    if (file && MARKDOWN.test(file.path)) {
      if (mark) reduced.push({ reason: 'notes embedded in notes: now links', detail: target });
      return `[${label || name}](/${encodeURI(file.path)})`;
    }
    if (site.kind !== 'obsidian') return whole;
    reduced.push({ reason: name === '' ? WITHIN_NOTES : file ? OTHER_FILES : MISSING_FILES, detail: target });
    return label || target;
  });
}

const MISSING_FILES = 'links to notes and files that are not in the source: now text';
const WITHIN_NOTES = 'links within a note: now text';
const OTHER_FILES = 'links to files other than notes and pictures: now text';

/** As Obsidian shows a link to a heading. */
function shownTarget(target: string): string {
  return (
    target
      .replace(/^#+/, '')
      .replace(/#\^.*$/, '')
      .split('#')
      .join(' > ') || target
  );
}
