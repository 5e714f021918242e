/** The content of WordPress posts as Markdown, after what WordPress shows. */
import { htmlToMarkdown } from '../../html-to-markdown.js';
import { embedsIn, htmlLosses, NOW_LINKS } from '../../losses.js';
import type { Reduction } from '../../source.js';
import { placeholders } from '../../text.js';
import { withParagraphs } from './paragraphs.js';
import { convertShortcodes } from './shortcodes.js';

/** Of the block editor: `<!-- wp:name {…} -->`, `<!-- /wp:name -->` or `<!-- wp:name /-->`. */
const BLOCK_MARK = /^<!--\s+(\/?)wp:([a-z][a-z0-9_/-]*)/;

/**
 * Texts of the classic editor get their paragraphs from empty lines; so does text outside of blocks. Blocks have theirs.
 * @param reduced what was lost is added to it
 */
export function toMarkdown(content: string, reduced: Reduction[]): string {
  const galleries = placeholders(content, 'gallery');
  const galleryOf = (shortcode: string) => `\n\n${galleries.put(shortcode)}\n\n`;
  const html = partsOf(content, reduced).map(({ text, isClassic }) => {
    const converted = convertShortcodes(text, galleryOf);
    for (const each of converted.reduced) reduced.push(each);
    return isClassic ? withParagraphs(converted.html) : converted.html;
  });
  const markdown = htmlToMarkdown(html.join('\n'));
  const areLinks = embedsIn(markdown).length === 0;
  for (const loss of htmlLosses(html.join('\n'))) if (areLinks || loss.reason !== NOW_LINKS) reduced.push(loss);
  return galleries.restore(markdown);
}

const COMPUTED = { reason: 'blocks that WordPress computes when it shows them: left out' };

interface Part {
  text: string;
  isClassic: boolean;
}

/** Divides a text into blocks and what is outside of them, without their marks. */
function partsOf(content: string, reduced: Reduction[]): Part[] {
  const parts: Part[] = [];
  let depth = 0;
  let from = 0;
  let isClassic = true;
  const add = (end: number) => {
    const text = content.slice(from, end);
    const last = parts.at(-1);
    if (!/\S/.test(text)) return;
    if (last?.isClassic === isClassic) last.text += isClassic ? `\n\n${text}` : text;
    else parts.push({ text, isClassic });
  };
  for (let at = content.indexOf('<!--'); at !== -1; at = content.indexOf('<!--', at)) {
    const end = content.indexOf('-->', at + 4);
    if (end === -1) break;
    const [, slash, name = ''] = BLOCK_MARK.exec(content.slice(at, at + 100)) ?? [];
    if (name !== '') {
      add(at);
      if (slash === '/') depth = Math.max(0, depth - 1);
      else if (content[end - 1] !== '/') depth++;
      else reduced.push({ ...COMPUTED, detail: name });
      isClassic = depth === 0 || (slash === '' && name === 'freeform');
      from = end + 3;
    }
    at = end + 3;
  }
  add(content.length);
  return parts;
}
