/** HTML in Markdown that articles show otherwise, or not at all. */
import { escapeHtml } from '../../../services/rendering/escape.js';
import { contentLosses } from '../../losses.js';
import { replaceParts } from '../../text.js';
import { type Conversion, NOW_LINKS, report } from './conversion.js';

/** To the end of a tag. A value has no `<`, so that the time is linear. */
const REST = String.raw`(?=[\s/>])(?:[^<>"']|"[^"<]*"|'[^'<]*')*`;
const INVISIBLE = ['script', 'style', 'svg', 'math', 'canvas'];
const EMBEDS = ['iframe', 'video', 'audio', 'object'];
const EMBED_TAG = new RegExp(`<(/?)(?:embed|${EMBEDS.join('|')})${REST}>`, 'gi');
/** Their content is text for a parser of HTML. */
const TEXT_TAG = new RegExp(
  `</?(?:${INVISIBLE.join('|')}|textarea|title|xmp|noembed|noframes|plaintext)${REST}>`,
  'gi',
);
const SPAN = /<span\b([^<>]*)>([^<>]*)<\/span>/gi;
const STRUCK = /\sstyle\s*=\s*["'][^"']*line-through/i;

export function convertHtml(conversion: Pick<Conversion, 'reduced'>, text: string): string {
  if (!text.includes('<')) return text;
  conversion.reduced.push(...contentLosses(text));
  const visible = INVISIBLE.reduce((rest, name) => replaceParts(rest, ...elements(name), () => ''), text);
  const links: string[] = [];
  const linkTo = (tag: string, inner = '') => {
    const address = addressIn(tag) || addressIn(inner);
    links.push(address);
    return address && `<a href="${address}">${address}</a>`;
  };
  const linked = EMBEDS.reduce(
    (rest, name) => replaceParts(rest, ...elements(name), (inner, [tag]) => linkTo(tag, inner)),
    visible,
  ).replace(EMBED_TAG, (tag, slash: string) => (slash ? '' : linkTo(tag)));
  report(conversion, NOW_LINKS, links.filter(Boolean));
  report(
    conversion,
    'embedded pages and media without an address: left out',
    links.filter((address) => !address).map(() => ''),
  );
  return linked
    .replace(TEXT_TAG, '')
    .replace(/<(\/?)strike\b[^<>]*>/gi, '<$1s>')
    .replace(SPAN, (whole, attributes: string, inner: string) => (STRUCK.test(attributes) ? `<s>${inner}</s>` : whole));
}

/** The tags of an element, other than one that ends itself. */
function elements(name: string): [begins: RegExp, ends: RegExp] {
  return [new RegExp(`<${name}${REST}(?<!/)>`, 'gi'), new RegExp(String.raw`</${name}\s*>`, 'gi')];
}

/** Of a page or a medium, or of a part of one. */
function addressIn(html: string): string {
  const [, quoted, single, bare] = /\s(?:src|data)\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>]+))/i.exec(html) ?? [];
  const address = (quoted ?? single ?? bare ?? '').trim();
  return escapeAttribute(address.replace(/^\/\/(?=[^/])/, 'https://'));
}

/** References of characters stay. */
function escapeAttribute(address: string): string {
  return escapeHtml(address).replace(/&amp;(?=(?:#\d+|#x[\da-f]+|\w+);)/gi, '&');
}
