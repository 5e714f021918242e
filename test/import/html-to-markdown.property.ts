/** HTML as Markdown: rendered like the HTML, for random documents. */
import { expect } from 'chai';
import sanitizeHtml from 'sanitize-html';
import { randomFrom } from '../../bench/random.js';
import { htmlToMarkdown } from '../../src/import/html-to-markdown.js';
import { ALLOWED, renderHtml } from '../../src/services/rendering/render-worker.js';
import { casesOf } from '../support/tier.js';

const CASES = casesOf('HTML_CASES', 100, 1_000);
const SEED = Number(process.env.HTML_SEED ?? 20_261_121);

const TEXTS = [
  ...[
    'owl',
    'a_b',
    '글',
    '글(文)',
    '*',
    '**',
    '_',
    '`',
    '``',
    '~~',
    '[',
    '](x)',
    '![',
    '&lt;b&gt;',
    '&amp;amp;',
    '\\',
    '|',
    '#',
    '1.',
    '2)',
  ],
  ...[
    '-',
    '+',
    '&gt;',
    '---',
    '===',
    '!',
    ':',
    '[^1]',
    '[a]: /b',
    'https://a.example/b',
    'www.a.example',
    'a@b.example',
    '<!-- c -->',
  ],
  ...['    ', '\n', '\n\n', '\t', '&nbsp;', '😀', '“', '”', '.', '&copy;', '```', '~~~', '&#42;', '$x$', '==', ' '],
];
const INLINE = ['b', 'strong', 'i', 'em', 's', 'del', 'u', 'mark', 'small', 'sub', 'sup', 'code', 'kbd'];
const BLOCKS = [
  'p',
  'p',
  'p',
  'h1',
  'h2',
  'h4',
  'blockquote',
  'ul',
  'ol',
  'pre',
  'code',
  'table',
  'figure',
  'dl',
  'hr',
  'details',
  'text',
];

interface Random {
  below(limit: number): number;
  pick<Value>(values: readonly Value[]): Value;
}

function randomOf(seed: number): Random {
  const random = randomFrom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  return { below, pick: (values) => values[below(values.length)] as (typeof values)[number] };
}

function line(random: Random, depth = 2): string {
  const { pick, below } = random;
  return Array.from({ length: 1 + below(5) }, () => {
    const kind = below(depth > 0 ? 12 : 7);
    if (kind < 6) return pick(TEXTS);
    if (kind === 6)
      return pick(['<br>', ' ', '<img src="/a.png" alt="b *c*">', '<img src="/a.png" width="9" title="d">']);
    const content = line(random, depth - 1);
    if (kind === 7)
      return `<a href="${pick(['/a', 'https://b.example/(c)', '/d e', '/글'])}" title="${pick(['', 'f &quot;g'])}">${content}</a>`;
    const name = pick(INLINE);
    return `<${name}>${content}</${name}>`;
  }).join(below(2) ? ' ' : '');
}

function block(random: Random, depth = 2): string {
  const { pick, below } = random;
  const name = depth > 0 ? pick(BLOCKS) : 'p';
  const some = (content: () => string) => Array.from({ length: 1 + below(3) }, content).join(pick(['', '\n', '\n\n']));
  const inner = () => some(() => block(random, depth - 1));
  switch (name) {
    case 'hr':
      return '<hr>';
    case 'text':
      return line(random);
    case 'blockquote':
      return `<blockquote>${inner()}</blockquote>`;
    case 'pre':
      return `<pre>${line(random, 0)}</pre>`;
    case 'code':
      return `<pre><code class="${pick(['', 'language-ts', 'a'])}">${line(random, 0)}</code></pre>`;
    case 'ul':
    case 'ol':
      return `<${name}>${some(() => `<li>${pick(['', '<input type="checkbox"> '])}${below(3) ? line(random) : ''}${below(2) ? inner() : ''}</li>`)}</${name}>`;
    case 'dl':
      return `<dl><dt>${line(random)}</dt><dd>${inner()}</dd></dl>`;
    case 'figure':
      return `<figure><img src="/a.png">${below(2) ? `<figcaption>${line(random)}</figcaption>` : ''}</figure>`;
    case 'details':
      return `<details><summary>${line(random)}</summary>${inner()}</details>`;
    case 'table': {
      const row = (cell: string) => `<tr>${[1, 2].map(() => `<${cell}>${line(random)}</${cell}>`).join('')}</tr>`;
      return `<table>${below(4) ? `<thead>${row('th')}</thead>` : ''}<tbody>${some(() => row('td'))}</tbody></table>`;
    }
    default:
      return `<${name}>${line(random)}</${name}>`;
  }
}

/**
 * What readers see, as tags and words: written for this test, and not with the functions that it tests. Paragraphs are boundaries, spaces are where a
 * browser shows some, and elements that browsers show alike have one name.
 */
function seen(html: string): string {
  const blocks = 'h[1-6]|hr|blockquote|pre|ul|ol|li|dl|dt|dd|table|tr|t[hd]|figure|figcaption|details|summary';
  return html
    .split(/(<pre>[\s\S]*?<\/pre>)/)
    .map((part, at) =>
      at % 2 === 0
        ? part.replace(/[ \t\r\n\f]+/g, ' ')
        : part
            .replace(/^(<pre>(?:<code[^>]*>)?)\n|\n(?=(?:<\/code>)?<\/pre>)/g, '$1')
            .replaceAll(' ', '␣')
            .replaceAll('\n', '␤'),
    )
    .join('')
    .replace(/<figure>(<img [^>]*>)<\/figure>/g, '¶$1¶')
    .replace(/<\/?(?:thead|tbody)>/g, '')
    .replace(/<(\/?)b>/g, '<$1strong>')
    .replace(/<(\/?)i>/g, '<$1em>')
    .replace(/<(\/?)s>/g, '<$1del>')
    .replace(/ (?:alt|title)=""| rel="[^"]*"| loading="lazy"/g, '')
    .replace(
      /<img ([^>]*?) ?\/?>/g,
      (_, attributes: string) =>
        `<img ${attributes
          .split(/ (?=[a-z]+=)/)
          .sort()
          .join(' ')}>`,
    )
    .replace(/(?<=(?:src|href)=")[^"]*/g, (address) => encodeURI(decodeURI(address)))
    .replace(/ ?<br \/> ?/g, '⏎')
    .replace(/<p>[ ⏎]*<\/p>|<\/?p>/g, '¶')
    .replace(new RegExp(`(</?(?:${blocks})\\b[^>]*>)`, 'g'), '¶$1¶');
}

const INLINE_TAG = '</?(?:strong|em|del|u|mark|small|sub|sup|a|code|kbd)\\b[^>]*>';
const EQUAL: [RegExp, string][] = [
  [/[ ¶]*¶[ ¶]*/g, '¶'],
  [/ +/g, ' '],
  [/ (<\/[a-z]+>)(?!¶)/g, '$1 '],
  [new RegExp(`(<[a-z]+(?: [^>]*)?>)(?<=${INLINE_TAG}) `, 'g'), ' $1'],
  [new RegExp(`[ ⏎]+((?:${INLINE_TAG})*(?:¶|$))`, 'g'), '$1'],
  [new RegExp(`([¶⏎](?:${INLINE_TAG})*) `, 'g'), '$1'],
  [new RegExp(` ((?:${INLINE_TAG})*⏎)`, 'g'), '$1'],
  [/<(strong|em|del|u|mark|small|sub|sup|code|kbd)><\/\1>|<a [^>]*><\/a>/g, ''],
  [/<\/(strong|em|del)>( ?)<\1>/g, '$2'],
];

/** Without differences that are not visible: space beside the tags of inline elements, line breaks at the end of blocks, and empty elements. */
function loosely(html: string): string {
  let text = `¶${seen(html)}¶`;
  for (let before = ''; before !== text; ) {
    before = text;
    for (const [pattern, replacement] of EQUAL) text = text.replace(pattern, replacement);
  }
  return text;
}

describe('HTML as Markdown', () => {
  it(`is rendered like the HTML, for ${CASES} random documents (seed ${SEED})`, function () {
    this.timeout(300_000);
    const random = randomOf(SEED);
    let asMarkdown = 0;
    for (let at = 0; at < CASES; at++) {
      const html = Array.from({ length: 1 + random.below(4) }, () => block(random)).join(
        random.pick(['', '\n', '\n\n']),
      );
      const text = htmlToMarkdown(html);
      expect(loosely(renderHtml(text, 1e6)), `document ${at}: ${html}\n\n${text}`).to.equal(
        loosely(sanitizeHtml(html, ALLOWED)),
      );
      if (!/^<(?:p|h\d|ul|ol|blockquote|pre)\b/m.test(text)) asMarkdown++;
    }
    // Many of the texts are such that Markdown has no form of them: about 30 % of the documents have no HTML.
    expect(asMarkdown / CASES).to.be.above(0.2);
  });
});
