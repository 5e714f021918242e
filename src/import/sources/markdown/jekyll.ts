/** Texts of Jekyll: tags of Liquid, and what kramdown adds to Markdown. */
import { MARK_END } from '../../outside-code.js';
import { replaceParts } from '../../text.js';
import {
  type Conversion,
  convertDefinitions,
  convertMath,
  embedAt,
  NOW_LINKS,
  replaceReported,
  report,
} from './conversion.js';
import { convertEmphasis, convertTables } from './kramdown.js';
import { resolveFile } from './site.js';

/** In place of braces between `raw` and `endraw`, which are no tags. */
const RAW_BRACE = '\uFDD3';

/** Liquid is read before Markdown, so that `raw` is no part of code either. */
export function withRawBraces(text: string): string {
  return replaceParts(
    text.replaceAll(RAW_BRACE, ''),
    /\{%-?[ \t]*raw[ \t]*-?%\}/g,
    /\{%-?[ \t]*endraw[ \t]*-?%\}/g,
    (inner) => inner.replaceAll('{', RAW_BRACE),
  );
}

export function withBraces(text: string): string {
  return text.replaceAll(RAW_BRACE, '{');
}

export function convertJekyll(conversion: Conversion, text: string): string {
  return convertKramdown(conversion, convertMath(conversion, convertLiquid(conversion, text), false));
}

const HIGHLIGHT: [begins: RegExp, ends: RegExp] = [
  /\{%-? *highlight +([\w+#-]+)(?![\w+#-])[^%\n]*%\}\n?/g,
  /\n?\{%-? *endhighlight *-?%\}/g,
];
const LIQUID = /\{%-? *(\w+)(?!\w)([^%{}\n]*)%\}/g;
const LIQUID_TAGS = 'tags of Liquid without a counterpart: they stay as text';

export function convertLiquid(conversion: Conversion, text: string): string {
  const { site, aside } = conversion;
  const code = replaceParts(text, ...HIGHLIGHT, (source, begun) => aside.block(source, begun[1] ?? '', begun));
  const unknown: string[] = [];
  const embeds: string[] = [];
  const converted = withoutComments(conversion, code, [/\{%-? *comment *-?%\}/g, /\{%-? *endcomment *-?%\}/g])
    .replace(/\{\{ *site\.(?:baseurl|url) *\}\}/g, '')
    .replace(/\{\{ *["']([^"'{}\n]*)["'] *\| *(?:relative_url|absolute_url) *\}\}/g, '$1')
    .replace(LIQUID, (whole, name: string, rest: string) => {
      const target = rest.replace(/-$/, '').trim();
      const path = name === 'post_url' ? `_posts/${target}` : name === 'link' ? target : null;
      const file = path === null ? null : resolveFile(site, `${site.root}index.md`, `/${path}`);
      if (file) return `/${encodeURI(file.path)}`;
      const embed = embedOf(name, target);
      if (embed) {
        embeds.push(embed);
        return embedAt(embed).text;
      }
      if (!/^(?:end|else)/.test(name)) unknown.push(name);
      return whole;
    })
    .replace(/\{\{[^{}\n]+\}\}/g, (whole) => {
      unknown.push(whole);
      return whole;
    });
  report(conversion, LIQUID_TAGS, unknown);
  report(conversion, NOW_LINKS, embeds);
  return converted;
}

/** `{% youtube ID %}` and `{% gist user/id %}` of plugins, `{% include embed/youtube.html id="ID" %}` of themes. */
function embedOf(name: string, target: string): string | null {
  const [, included = ''] = (name === 'include' && /^\S*?(youtube|vimeo|gist)\S*(?=\s)/.exec(target)) || [];
  const given = included ? /\sid=["']?([^\s"']+)/.exec(target)?.[1] : /^["']?([^\s"']+)/.exec(target)?.[1];
  const kind = included || name;
  if (given === undefined || given.includes('}')) return null;
  if (/^https?:\/\//.test(given)) return /^(?:youtube|vimeo|gist|twitter|tweet)$/.test(kind) ? given : null;
  if (kind === 'youtube') return `https://www.youtube.com/watch?v=${given}`;
  if (kind === 'vimeo') return `https://vimeo.com/${given}`;
  return kind === 'gist' ? `https://gist.github.com/${given}` : null;
}

/** A comment is for authors only. */
function withoutComments(conversion: Conversion, text: string, [begins, ends]: [RegExp, RegExp]): string {
  const found: string[] = [];
  const rest = replaceParts(text, begins, ends, () => {
    found.push('');
    return '';
  });
  report(conversion, 'comments in the source of a text: they are not imported', found);
  return rest;
}

/** What is between `{:` and `}`, where quotation marks may contain braces. */
const ATTRIBUTES = String.raw`\{:(?![:/])((?:"[^"\n]*"|'[^'\n]*'|[^{}"'\n])*)\}`;
const ATTRIBUTE_LINE = new RegExp(String.raw`^([ \t>]*)${ATTRIBUTES}[ \t]*$`);
const ATTRIBUTES_OF_ITEM = new RegExp(String.raw`^([ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+)${ATTRIBUTES}[ \t]*`);
/** After a link, an image, emphasis, a tag or code. */
const ATTRIBUTES_OF_SPAN = new RegExp(`(?<=[)\\]*_>~${MARK_END}])${ATTRIBUTES}`, 'g');
const LIST_ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/;

function convertKramdown(conversion: Conversion, text: string): string {
  const attributes: string[] = [];
  const contents: string[] = [];
  const visible = withoutComments(conversion, text, [/\{::comment[ \t]*\}/g, /\{:\/(?:comment)?[ \t]*\}/g]).replace(
    /\{::(?:options|nomarkdown)\b[^{}\n]*\}|\{:\/(?:nomarkdown)?\}/g,
    '',
  );
  const lines: string[] = [];
  const all = visible.split('\n');
  for (const [at, line] of all.entries()) {
    const [, prefix = '', given] = ATTRIBUTE_LINE.exec(line) ?? [];
    if (given === undefined) {
      lines.push(withoutAttributes(line, attributes));
      continue;
    }
    if (/^\s*toc\b/.test(given) && LIST_ITEM.test(lines.at(-1) ?? '')) {
      lines.pop();
      contents.push('');
      continue;
    }
    attributes.push(`{:${given}}`);
    const [before, after] = [lines.at(-1) ?? '', all[at + 1] ?? ''];
    const isBetween = before.trim() !== '' && after.trim() !== '' && !LIST_ITEM.test(after);
    if (isBetween) lines.push(prefix.trimEnd());
  }
  report(conversion, 'attributes of kramdown and goldmark: they are left out', attributes);
  report(conversion, 'tables of contents: they are left out', contents);
  const abbreviations = replaceReported(conversion, lines.join('\n'), ABBREVIATION, (_, name, about) => ({
    text: '',
    detail: `${name}: ${about}`,
  }));
  // Markdown in HTML is read after an empty line.
  const blocks = abbreviations
    .replace(/(<[a-z]+\b[^<>]*\smarkdown=["']?(?:1|block|span)\b[^<>]*>)\n/gi, '$1\n\n')
    .replace(/(?<!\\)\\\\(?=\n[ \t>]*\S)/g, '\\');
  return convertEmphasis(convertTables(convertDefinitions(blocks)));
}

const ABBREVIATION = [
  /^ {0,3}\*\[([^[\]\n]+)\]:[ \t]*([^\n]*)\n?/gm,
  'abbreviations: their explanations are left out',
] as const;

function withoutAttributes(line: string, attributes: string[]): string {
  const replace = (whole: string, prefix?: string) => {
    attributes.push(whole.trim());
    return prefix ?? '';
  };
  const rest = line
    .replace(ATTRIBUTES_OF_ITEM, (whole, prefix: string) => replace(whole.slice(prefix.length), prefix))
    .replace(ATTRIBUTES_OF_SPAN, (whole) => replace(whole));
  return withoutHeadingAttributes(rest, attributes, '{#');
}

/** `## Title {#id .class}`. @param begin of the attributes that the program reads */
export function withoutHeadingAttributes(line: string, attributes: string[], begin: string): string {
  if (!/^[ \t>]*#{1,6}[ \t]/.test(line) || !line.trimEnd().endsWith('}')) return line;
  const at = line.lastIndexOf(begin);
  const given = line.slice(at).trim();
  if (at <= 0 || !/^\{[#.\w][^{}]*\}$/.test(given) || !/\s/.test(line.charAt(at - 1))) return line;
  attributes.push(given);
  return line.slice(0, at).trimEnd();
}
