/** Texts of Hugo: shortcodes, and what goldmark adds to Markdown. */
import { escapeHtml } from '../../../services/rendering/escape.js';
import { replaceParts } from '../../text.js';
import {
  type Conversion,
  convertCallouts,
  convertDefinitions,
  convertMath,
  embedAt,
  NOW_LINKS,
  report,
} from './conversion.js';
import { withoutHeadingAttributes } from './jekyll.js';

export function convertHugo(conversion: Conversion, text: string): string {
  const { aside } = conversion;
  const code = replaceParts(text, ...HIGHLIGHT, (source, begun) => aside.block(source, begun[1] ?? '', begun));
  const shown = convertMath(conversion, convertShortcodes(conversion, code), false);
  return convertDefinitions(convertCallouts(conversion, withoutAttributes(conversion, shown)));
}

/** How Hugo shows a shortcode as text, also in code. */
export function unescapeShortcodes(text: string): string {
  return text.replace(/\{\{([<%])\/\*([^{}\n]*)\*\/([>%])\}\}/g, '{{$1$2$3}}');
}

const HIGHLIGHT: [begins: RegExp, ends: RegExp] = [
  /\{\{[<%] *highlight +"?([\w+#-]+)(?![\w+#-])"?[^{}\n]*[>%]\}\}\n?/g,
  /\n?\{\{[<%] *\/ *highlight *[>%]\}\}/g,
];
const DETAILS: [begins: RegExp, ends: RegExp] = [
  /\{\{[<%] *details\b([^{}\n]*)[>%]\}\}/g,
  /\{\{[<%] *\/ *details *[>%]\}\}/g,
];
const SHORTCODE = /\{\{([<%])\s*(\/\s*)?([\w./-]+)(?![\w./-])([^{}\n]*)[>%]\}\}/g;

export function convertShortcodes(conversion: Conversion, text: string): string {
  const unknown: string[] = [];
  const embeds: string[] = [];
  const detailed = replaceParts(text, ...DETAILS, (inner, [, rest = '']) => {
    const summary = escapeHtml(argumentsOf(rest).get('summary') ?? 'Details');
    return `<details><summary>${summary}</summary>\n\n${inner.trim()}\n\n</details>`;
  });
  const converted = detailed.replace(SHORTCODE, (whole, _, closing: string | undefined, name: string, rest: string) => {
    const given = argumentsOf(rest.trimEnd().replace(/\/$/, ''));
    const [first = '', second = ''] = given.values();
    if (/^(?:rel)?ref$/.test(name)) return first.startsWith('/') || !first.includes('/') ? first : `/${first}`;
    if (name === 'figure' && given.has('src')) return figureOf(given);
    const id = given.get('id') ?? first;
    const address = closing === undefined && id ? EMBEDS[name]?.(id, given.get('user') ?? first, second) : undefined;
    if (address) {
      embeds.push(address);
      return embedAt(address).text;
    }
    if (closing === undefined) unknown.push(name);
    return whole;
  });
  report(conversion, 'shortcodes of Hugo without a counterpart: they stay as text', unknown);
  report(conversion, NOW_LINKS, embeds);
  return converted;
}

const tweet = (id: string, user: string) => `https://twitter.com/${user === id ? 'i' : user}/status/${id}`;

const EMBEDS: Readonly<Record<string, (id: string, first: string, second: string) => string>> = {
  youtube: (id) => `https://www.youtube.com/watch?v=${id}`,
  vimeo: (id) => `https://vimeo.com/${id}`,
  gist: (_, user, gist) => (gist ? `https://gist.github.com/${user}/${gist}` : ''),
  instagram: (id) => `https://www.instagram.com/p/${id}/`,
  tweet,
  twitter: tweet,
  x: tweet,
};

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

/** After a heading, and on a line of its own after another block. */
function withoutAttributes(conversion: Conversion, text: string): string {
  const attributes: string[] = [];
  const lines = text.split('\n').map((line) => {
    if (!/^[ \t>]*\{[#.][\w-][^{}\n]*\}[ \t]*$/.test(line)) return withoutHeadingAttributes(line, attributes, '{');
    attributes.push(line.trim());
    return '';
  });
  report(conversion, 'attributes of kramdown and goldmark: they are left out', attributes);
  return lines.join('\n');
}
