/** Contents of Markdown files: what other programs add to Markdown, and the files that a content refers to. */
import { contentLosses } from '../../losses.js';
import { outsideCode } from '../../outside-code.js';
import type { Reduction, SourceImage } from '../../source.js';
import { type Conversion, convertCallouts, withLineBreaks } from './conversion.js';
import { convertHtml } from './html.js';
import { convertHugo, convertShortcodes } from './hugo.js';
import { convertJekyll } from './jekyll.js';
import { convertLinks, convertObsidian } from './obsidian.js';
import { HTML, MARKDOWN, PICTURE, resolveFile, type Site, type SiteKind } from './site.js';
import { convertVelog } from './velog.js';

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
  const convert = site.kind === 'daybook' ? null : HTML.test(path) ? convertHtml : CONVERSIONS[site.kind];
  const normal = convert?.({ site, path, reduced, tags }, text.replace(/\r\n?/g, '\n'));
  const content = normal === undefined ? text : withHtmlAndBreaks(normal, site, reduced);
  const images = imagesIn(site, path, content, reduced);
  return { content, images, tags: [...new Set(tags)], reduced };
}

const CONVERSIONS: Readonly<
  Record<Exclude<SiteKind, 'daybook'>, (conversion: Omit<Conversion, 'aside'>, text: string) => string>
> = {
  hugo: convertHugo,
  jekyll: convertJekyll,
  obsidian: convertObsidian,
  velog: convertVelog,
  plain: (conversion, text) =>
    outsideCode(text, (part, aside) => {
      const all = { ...conversion, aside };
      return convertCallouts(all, convertShortcodes(all, convertLinks(all, part)));
    }),
};

const STRUCK = /<span\b[^<>]*\sstyle\s*=\s*["'][^"'<>]*line-through[^"'<>]*["'][^<>]*>([^<>]*)<\/span>/gi;

/** HTML in Markdown that articles show otherwise, or not at all; and the line breaks that the program of the source shows. */
function withHtmlAndBreaks(text: string, { hasLineBreaks }: Site, reduced: Reduction[]): string {
  return outsideCode(text, (part) => {
    reduced.push(...contentLosses(part));
    const struck = part.replace(/<(\/?)strike\b[^<>]*>/gi, '<$1s>').replace(STRUCK, '<s>$1</s>');
    return hasLineBreaks ? withLineBreaks(struck) : struck;
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
