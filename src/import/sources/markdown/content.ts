/** Contents of Markdown files: what other programs add to Markdown, and the files that a content refers to. */
import { changeReferences } from '../../content-references.js';
import type { BlockExtensions } from '../../markdown-lines.js';
import { outsideCode } from '../../outside-code.js';
import type { Reduction, SourceImage } from '../../source.js';
import { convertAdmonitions, convertContainers } from './containers.js';
import { type Conversion, convertCallouts, withLineBreaks } from './conversion.js';
import { convertHexo } from './hexo.js';
import { convertHtml } from './html.js';
import { convertHtmlFile } from './html-file.js';
import { convertHugo, convertShortcodes, unescapeShortcodes } from './hugo.js';
import { convertJekyll, withBraces, withRawBraces } from './jekyll.js';
import { convertLinks, convertObsidian } from './obsidian.js';
import { HTML, MARKDOWN, PICTURE, resolveFile, type Site, type SiteKind } from './site.js';
import { convertVelog } from './velog.js';
import { convertZenn } from './zenn.js';

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
  const content = site.kind === 'daybook' ? text : convert(site.kind, { site, path, reduced, tags }, text);
  const images = imagesIn(site, path, content, reduced);
  return { content, images, tags: [...new Set(tags)], reduced };
}

interface Dialect {
  convert(conversion: Conversion, text: string): string;
  extensions?: BlockExtensions;
  /** Change the whole text, with its code. */
  before?(text: string): string;
  after?(text: string): string;
}

const DIALECTS: Readonly<Record<Exclude<SiteKind, 'daybook'>, Dialect>> = {
  hugo: { convert: convertHugo, extensions: { definitions: true }, after: unescapeShortcodes },
  jekyll: { convert: convertJekyll, extensions: { definitions: true }, before: withRawBraces, after: withBraces },
  hexo: { convert: convertHexo, before: withRawBraces, after: withBraces },
  obsidian: { convert: convertObsidian },
  velog: { convert: convertVelog },
  zenn: { convert: convertZenn },
  plain: { convert: convertPlain, extensions: { admonitions: true } },
};

function convert(kind: keyof typeof DIALECTS, conversion: Omit<Conversion, 'aside'>, source: string): string {
  const text = source.replace(/\r\n?/g, '\n');
  if (HTML.test(conversion.path)) return convertHtmlFile(conversion, text);
  const { convert, extensions, before, after } = DIALECTS[kind];
  const converted = outsideCode(
    before?.(text) ?? text,
    (part, aside) => {
      const made = convert({ ...conversion, aside }, convertHtml(conversion, part));
      return conversion.site.hasLineBreaks ? withLineBreaks(made) : made;
    },
    extensions,
  );
  return after?.(converted) ?? converted;
}

function convertPlain(conversion: Conversion, text: string): string {
  const linked = convertShortcodes(conversion, convertLinks(conversion, text));
  return convertContainers(conversion, convertCallouts(conversion, convertAdmonitions(conversion, linked)));
}

/** Attributes of HTML; destinations of Markdown, with and without angle brackets, and definitions. Linear, since no part matches the start of another match. */
const REFERENCES = {
  html: [/(<img\b[^<>]*?\s)src\s*=\s*["']?([^\s"'<>]+)/gi, /()\s(?:href|poster|src)\s*=\s*["']?([^\s"'<>]+)/gi],
  markdown: [
    /(!?)\[[^[\]]*\]\(\s*<([^<>\n]+)>/g,
    /(!?)\[[^[\]]*\]\(\s*([^\s()<>]+)/g,
    /^()[ ]{0,3}\[[^[\]\n]+\]:\s*<?([^\s<>]+)/gm,
  ],
};

function imagesIn(site: Site, path: string, content: string, reduced: Reduction[]): SourceImage[] {
  const images = new Map<string, SourceImage>();
  const others = new Set<string>();
  const readAll = (patterns: readonly RegExp[]) => (text: string) => {
    for (const [, mark = '', reference = ''] of patterns.flatMap((pattern) => [...text.matchAll(pattern)])) {
      if (images.has(reference) || others.has(reference) || /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|data:)/i.test(reference))
        continue;
      const file = resolveFile(site, path, reference);
      if (file && PICTURE.test(file.path)) images.set(reference, { reference, alt: null, open: () => file.open() });
      else if (file ? !MARKDOWN.test(file.path) : mark !== '' || PICTURE.test(reference)) {
        others.add(reference);
        reduced.push({ reason: file ? OTHER_FILES : MISSING_PICTURES, detail: reference.slice(0, 200) });
      }
    }
    return text;
  };
  changeReferences(content, readAll(REFERENCES.html), readAll(REFERENCES.markdown));
  return [...images.values()];
}

const OTHER_FILES = 'files other than pictures: links to them stay as they are';
const MISSING_PICTURES = 'pictures whose file is not in the source';
