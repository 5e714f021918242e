/** Texts in HTML: what the program of the site replaces in them, and then their Markdown. */
import { escapeHtml } from '../../../services/rendering/escape.js';
import { htmlToMarkdown } from '../../html-to-markdown.js';
import { htmlLosses } from '../../losses.js';
import type { Aside } from '../../outside-code.js';
import type { Conversion } from './conversion.js';
import { convertShortcodes } from './hugo.js';
import { convertLiquid, withBraces, withRawBraces } from './jekyll.js';

const IN_HTML: Aside = {
  block: (code, language) => `<pre><code class="language-${escapeHtml(language)}">${escapeHtml(code)}</code></pre>`,
  span: (code) => `<code>${escapeHtml(code)}</code>`,
};

export function convertHtmlFile(conversion: Omit<Conversion, 'aside'>, html: string): string {
  const all = { ...conversion, aside: IN_HTML };
  const shown =
    conversion.site.kind === 'jekyll'
      ? withBraces(convertLiquid(all, withRawBraces(html)))
      : convertShortcodes(all, html);
  // What is replaced by an address has it in angle brackets, as in Markdown.
  const linked = shown.replace(/<(https?:\/\/[^\s<>"]+)>/g, '<a href="$1">$1</a>');
  for (const loss of htmlLosses(linked)) conversion.reduced.push(loss);
  return htmlToMarkdown(linked);
}
