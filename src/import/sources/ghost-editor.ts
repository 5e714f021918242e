/** The documents of Ghost's editors, for posts without HTML: texts with their blocks and links, without most cards. */
import { escapeHtml } from '../../services/rendering/escape.js';
import { type Row, rowOf, textOf } from '../json-elements.js';
import type { Reduction } from '../source.js';

interface Cards {
  /** The names of those without HTML. */
  lost: Set<string>;
  putMarkdown(text: string): string;
}

/**
 * @param putMarkdown returns a word that stands for the text of a card in Markdown
 * @returns HTML; empty if the post has no document
 */
export function editorHtml(post: Row, reduced: Reduction[], putMarkdown: (text: string) => string): string {
  const [lexical, mobiledoc] = [parse(post.lexical), parse(post.mobiledoc)];
  const cards: Cards = { lost: new Set(), putMarkdown };
  const html = lexical ? lexicalHtml(lexical.root, cards) : mobiledoc ? mobiledocHtml(mobiledoc, cards) : '';
  if (html === '') return '';
  reduced.push({ reason: 'posts without HTML: taken from the document of the editor, without some of their markup' });
  for (const detail of cards.lost) reduced.push({ reason: 'cards of the editor in posts without HTML', detail });
  return html;
}

function parse(document: unknown): Row | null {
  try {
    const parsed: unknown = typeof document === 'string' ? JSON.parse(document) : null;
    return rowOf(parsed);
  } catch {
    return null;
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

const TAGS: Readonly<Record<string, string>> = { paragraph: 'p', quote: 'blockquote', listitem: 'li' };
/** Bits of `format`. */
const FORMATS: [bit: number, tag: string][] = [
  [1, 'strong'],
  [2, 'em'],
  [4, 's'],
  [16, 'code'],
];

/** https://lexical.dev/docs/concepts/nodes, with the cards of Ghost. JSON with deeper nesting than 200 levels was rejected before. */
function lexicalHtml(value: unknown, cards: Cards, depth = 0): string {
  const node = rowOf(value);
  if (!node) return '';
  if (depth > 100) {
    cards.lost.add('blocks nested more than 100 levels deep');
    return '';
  }
  const type = textOf(node.type).replace(/^extended-/, '');
  const content = listOf(node.children)
    .map((child) => lexicalHtml(child, cards, depth + 1))
    .join('');
  if (type === 'text') {
    const format = Number(node.format ?? 0);
    return FORMATS.reduce(
      (html, [bit, tag]) => (format & bit ? `<${tag}>${html}</${tag}>` : html),
      escapeHtml(textOf(node.text)),
    );
  }
  if (type === 'linebreak') return '<br>';
  if (type === 'link') return `<a href="${escapeHtml(textOf(node.url))}">${content}</a>`;
  if (type === 'root') return content;
  const tag =
    /^(?:heading|list)$/.test(type) && /^(?:h[1-6]|[uo]l)$/.test(textOf(node.tag)) ? textOf(node.tag) : TAGS[type];
  return tag ? `<${tag}>${content}</${tag}>` : cardHtml(type, node, cards) + content;
}

/** Version 0.3: https://github.com/bustle/mobiledoc-kit/blob/master/MOBILEDOC.md */
function mobiledocHtml(document: Row, cards: Cards): string {
  const documents = listOf(document.cards).map(listOf);
  const textIn = (markers: unknown) =>
    listOf(markers)
      .map((marker) => escapeHtml(textOf(listOf(marker)[3])))
      .join('');
  return listOf(document.sections)
    .map((section) => {
      const [kind, first, second] = listOf(section);
      if (kind === 10) {
        const [name, payload] = documents[Number(first)] ?? [];
        return cardHtml(textOf(name), rowOf(payload) ?? {}, cards);
      }
      const tag = /^(?:p|h[1-6]|blockquote|ul|ol)$/.test(textOf(first)) ? textOf(first) : 'p';
      if (kind === 3)
        return `<${tag}>${listOf(second)
          .map((item) => `<li>${textIn(item)}</li>`)
          .join('')}</${tag}>`;
      return kind === 1 ? `<${tag}>${textIn(second)}</${tag}>` : '';
    })
    .join('');
}

function cardHtml(name: string, card: Row, cards: Cards): string {
  if (name === 'horizontalrule' || name === 'hr') return '<hr>';
  if (name === 'html') return textOf(card.html);
  if (name === 'image') {
    const caption = textOf(card.caption);
    const image = `<img src="${escapeHtml(textOf(card.src))}" alt="${escapeHtml(textOf(card.alt))}">`;
    return `<figure>${image}${caption ? `<figcaption>${caption}</figcaption>` : ''}</figure>`;
  }
  if (name === 'codeblock' || name === 'code') {
    return `<pre><code class="language-${escapeHtml(textOf(card.language))}">${escapeHtml(textOf(card.code))}</code></pre>`;
  }
  if (/^(?:card-)?markdown$/.test(name)) return `<p>${cards.putMarkdown(textOf(card.markdown))}</p>`;
  cards.lost.add(name.slice(0, 60) || 'unknown');
  return '';
}
