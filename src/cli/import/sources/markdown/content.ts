/** Contents of Markdown files: what other programs add to Markdown, and the files that a content refers to. */
import { escapeHtml } from '../../../../services/rendering/escape.js';
import type { Reduction, SourceImage } from '../../source.js';
import { outsideCode, replaceParts } from '../../text.js';
import { MARKDOWN, PICTURE, resolveFile, type Site } from './site.js';

export interface ReadContent {
  content: string;
  images: SourceImage[];
  /** Of Obsidian: `#tag` in the text. */
  tags: string[];
  reduced: Reduction[];
}

/** The content of the file at `path`, in Markdown. Contents of Daybook are not changed. */
export function readContent(site: Site, path: string, text: string): ReadContent {
  const reduced: Reduction[] = [];
  const tags: string[] = [];
  const normal = site.kind === 'daybook' ? text : text.replace(/\r\n?/g, '\n');
  const convert = CONVERSIONS[site.kind];
  const content = convert ? convert({ site, path, reduced, tags }, normal) : normal;
  const images = imagesIn(site, path, content, reduced);
  return { content, images, tags: [...new Set(tags)], reduced };
}

interface Conversion {
  site: Site;
  path: string;
  reduced: Reduction[];
  tags: string[];
}

const CONVERSIONS: Readonly<Partial<Record<Site['kind'], (conversion: Conversion, text: string) => string>>> = {
  hugo: (conversion, text) => outsideCode(withCode(text, HUGO_CODE), (part) => convertShortcodes(conversion, part)),
  jekyll: (conversion, text) => outsideCode(withCode(text, LIQUID_CODE), (part) => convertLiquid(conversion, part)),
  obsidian: convertObsidian,
  plain: (conversion, text) =>
    outsideCode(text, (part) => convertShortcodes(conversion, convertLinks(conversion, part))),
};

type Code = readonly [begins: RegExp, ends: RegExp];

const HUGO_CODE: Code = [
  /\{\{[<%] *highlight +"?([\w+#-]+)(?![\w+#-])"?[^{}\n]*[>%]\}\}\n?/g,
  /\n?\{\{[<%] *\/ *highlight *[>%]\}\}/g,
];
const LIQUID_CODE: Code = [/\{%-? *highlight +([\w+#-]+)(?![\w+#-])[^%\n]*%\}\n?/g, /\n?\{%-? *endhighlight *-?%\}/g];

/** Blocks of code as Markdown has them. */
function withCode(text: string, [begins, ends]: Code): string {
  return replaceParts(text, begins, ends, (code, [, language]) => `\`\`\`${language}\n${code}\n\`\`\``);
}

const SHORTCODE = /\{\{([<%])\s*(\/\s*)?([\w./-]+)(?![\w./-])([^{}\n]*)[>%]\}\}/g;

function convertShortcodes({ site, reduced }: Conversion, text: string): string {
  const unknown: string[] = [];
  const converted = text.replace(SHORTCODE, (whole, _, closing: string | undefined, name: string, rest: string) => {
    const given = argumentsOf(rest.trimEnd().replace(/\/$/, ''));
    const [first = ''] = given.values();
    if (/^(?:rel)?ref$/.test(name)) return first.startsWith('/') || !first.includes('/') ? first : `/${first}`;
    if (name === 'figure' && given.has('src')) return figureOf(given);
    if (name === 'youtube' && first) return `https://www.youtube.com/watch?v=${first}`;
    if (name === 'gist' && given.size > 1)
      return `https://gist.github.com/${[...given.values()].slice(0, 2).join('/')}`;
    if (closing === undefined) unknown.push(name);
    return whole;
  });
  if (unknown.length > 0)
    reduced.push({ ...SHORTCODES, detail: [...new Set(unknown)].join(', '), count: unknown.length });
  // How Hugo shows a shortcode as text.
  return site.kind === 'hugo' ? converted.replace(/\{\{([<%])\/\*([^{}\n]*)\*\/([>%])\}\}/g, '{{$1$2$3}}') : converted;
}

const SHORTCODES = { reason: 'shortcodes of Hugo without a counterpart: they stay as text' };

/** `src="a.png" alt="An owl"` by name; values without a name by their position. */
function argumentsOf(text: string): Map<string, string> {
  const found = text.matchAll(/(?:([\w-]+)=)?(?:"([^"]*)"|`([^`]*)`|([^\s"`=]+))/g);
  return new Map(
    [...found].map(([, name, quoted, raw, bare], index) => [name ?? `${index}`, quoted ?? raw ?? bare ?? '']),
  );
}

function figureOf(given: ReadonlyMap<string, string>): string {
  const value = (name: string) => escapeHtml(given.get(name) ?? '');
  const caption = value('caption') || value('title');
  const image = `<img src="${value('src')}" alt="${value('alt') || caption}">`;
  const linked = given.has('link') ? `<a href="${value('link')}">${image}</a>` : image;
  return `<figure>${linked}${caption && `<figcaption>${caption}</figcaption>`}</figure>`;
}

const LIQUID = /\{%-? *(\w+)(?!\w)([^%{}\n]*)%\}/g;

function convertLiquid({ site, reduced }: Conversion, text: string): string {
  const unknown: string[] = [];
  const converted = text
    .replace(/\{\{ *site\.(?:baseurl|url) *\}\}/g, '')
    .replace(/\{\{ *["']([^"'{}\n]*)["'] *\| *(?:relative_url|absolute_url) *\}\}/g, '$1')
    .replace(LIQUID, (whole, name: string, rest: string) => {
      const target = rest.replace(/-$/, '').trim();
      const path = name === 'post_url' ? `_posts/${target}` : name === 'link' ? target : null;
      const file = path === null ? null : resolveFile(site, `${site.root}index.md`, `/${path}`);
      if (file) return `/${encodeURI(file.path)}`;
      if (name === 'raw' || name === 'endraw') return '';
      if (!/^(?:end|else)/.test(name)) unknown.push(name);
      return whole;
    });
  if (unknown.length > 0)
    reduced.push({ ...LIQUID_TAGS, detail: [...new Set(unknown)].join(', '), count: unknown.length });
  return converted;
}

const LIQUID_TAGS = { reason: 'tags of Liquid without a counterpart: they stay as text' };

function convertObsidian(conversion: Conversion, text: string): string {
  const { reduced, tags } = conversion;
  return outsideCode(text, (part) => {
    let comments = 0;
    // A comment is for its author only.
    const visible = part.replace(/%%[\s\S]*?%%/g, () => {
      comments++;
      return '';
    });
    if (comments > 0) reduced.push({ reason: 'comments of Obsidian (%%): they are not imported', count: comments });
    for (const [, tag = ''] of visible.matchAll(/(?<![^\s(])#([\p{L}\p{N}_/-]*\p{L}[\p{L}\p{N}_/-]*)/gu))
      tags.push(tag);
    return convertLinks(conversion, visible);
  });
}

const WIKI_LINK = /(!?)\[\[([^[\]\n|]+)(?:\|([^[\]\n]*))?\]\]/g;

/** `[[note]]`, `[[note#heading|text]]`, `![[picture.png|300]]` of Obsidian. */
function convertLinks({ site, path, reduced }: Conversion, text: string): string {
  return text.replace(WIKI_LINK, (whole, mark: string, target: string, shown = '') => {
    const name = target.replace(/[#^].*$/s, '').trim();
    const file =
      name === '' ? null : (resolveFile(site, path, encodeURI(name)) ?? site.byName.get(name.toLowerCase()) ?? null);
    const label = (/^\d+(?:x\d+)?$/.test(shown) ? '' : shown) || (mark ? '' : target);
    if (file && mark && PICTURE.test(file.path)) return `![${label}](/${encodeURI(file.path)})`;
    if (file && MARKDOWN.test(file.path)) {
      if (mark) reduced.push({ reason: 'notes embedded in notes: now links', detail: target });
      return `[${label || name}](/${encodeURI(file.path)})`;
    }
    if (site.kind !== 'obsidian') return whole;
    reduced.push({ reason: 'links to notes and files that are not in the source: now text', detail: target });
    return label || target;
  });
}

/** Destinations of Markdown, with and without angle brackets, definitions, and attributes of HTML. Linear, since no part matches the start of another match. */
const REFERENCES = [
  /(!?)\[[^[\]]*\]\(\s*<([^<>\n]+)>/g,
  /(!?)\[[^[\]]*\]\(\s*([^\s()<>]+)/g,
  /^()[ ]{0,3}\[[^[\]\n]+\]:\s*<?([^\s<>]+)/gm,
  /(<img\b[^<>]*?\s)src\s*=\s*["']?([^\s"'<>]+)/gi,
  /()\s(?:href|poster|src)\s*=\s*["']?([^\s"'<>]+)/gi,
];

function imagesIn(site: Site, path: string, content: string, reduced: Reduction[]): SourceImage[] {
  const images = new Map<string, SourceImage>();
  const others = new Set<string>();
  for (const pattern of REFERENCES) {
    for (const [, mark = '', reference = ''] of content.matchAll(pattern)) {
      if (images.has(reference) || others.has(reference) || /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|data:)/i.test(reference))
        continue;
      const file = resolveFile(site, path, reference);
      if (file && PICTURE.test(file.path)) images.set(reference, { reference, alt: null, open: () => file.open() });
      else if (file ? !MARKDOWN.test(file.path) : mark !== '' || PICTURE.test(reference)) {
        others.add(reference);
        reduced.push({ reason: file ? OTHER_FILES : MISSING_PICTURES, detail: reference.slice(0, 200) });
      }
    }
  }
  return [...images.values()];
}

const OTHER_FILES = 'files other than pictures: links to them stay as they are';
const MISSING_PICTURES = 'pictures whose file is not in the source';
