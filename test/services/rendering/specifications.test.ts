/** The examples of CommonMark and of the extensions of GFM: those that render differently are listed with the reason. */
import { createRequire } from 'node:module';
import { expect } from 'chai';
import sanitizeHtml from 'sanitize-html';
import { markdownToHtml } from '../../../src/services/rendering/markdown.js';

interface Example {
  readonly number: number;
  readonly markdown: string;
  readonly html: string;
}

const { tests } = createRequire(import.meta.url)('commonmark-spec') as { tests: readonly Example[] };

const OPAQUE = '`<script>` and `<style>` are left out, `<textarea>` is code, and one without an end is text (GFM 6.11)';
const EXTENDED = 'GFM recognizes the address as a link';
const DIFFERENT: Record<number, string> = {
  32: 'marked does not resolve references in the info string of code, which is not shown',
  33: 'marked does not resolve references in the address of a link; browsers do',
  170: OPAQUE,
  171: OPAQUE,
  172: OPAQUE,
  173: OPAQUE,
  176: OPAQUE,
  178: OPAQUE,
  503: 'marked does not resolve references in the title of a link; browsers do',
  602: EXTENDED,
  608: EXTENDED,
  611: EXTENDED,
  612: EXTENDED,
};

const link = (address: string, text = address) => `<a href="${address}">${text}</a>`;
const www = (rest: string) => link(`http://www.${rest}`, `www.${rest}`);
const mail = (address: string) => link(`mailto:${address}`, address);
const paragraphs = (...texts: string[]) => texts.map((text) => `<p>${text}</p>`).join('\n');
const row = (cell: string, ...cells: string[]) =>
  `<tr>${cells.map((text) => `<${cell}>${text}</${cell}>`).join('')}</tr>`;
const table = (head: string[], ...rows: string[][]) =>
  `<table><thead>${row('th', ...head)}</thead>${
    rows.length > 0 ? `<tbody>${rows.map((cells) => row('td', ...cells)).join('')}</tbody>` : ''
  }</table>`;
const box = (checked = '') => `<input ${checked}disabled="" type="checkbox">`;

/** Of https://github.github.com/gfm (CC BY-SA 4.0). */
const GFM: Record<number, [markdown: string, html: string]> = {
  198: ['| foo | bar |\n| --- | --- |\n| baz | bim |', table(['foo', 'bar'], ['baz', 'bim'])],
  199: [
    '| abc | defghi |\n:-: | -----------:\nbar | baz',
    '<table><thead><tr><th align="center">abc</th><th align="right">defghi</th></tr></thead><tbody><tr><td align="center">bar</td><td align="right">baz</td></tr></tbody></table>',
  ],
  200: [
    '| f\\|oo  |\n| ------ |\n| b `\\|` az |\n| b **\\|** im |',
    table(['f|oo'], ['b <code>|</code> az'], ['b <strong>|</strong> im']),
  ],
  201: [
    '| abc | def |\n| --- | --- |\n| bar | baz |\n> bar',
    `${table(['abc', 'def'], ['bar', 'baz'])}<blockquote><p>bar</p></blockquote>`,
  ],
  202: [
    '| abc | def |\n| --- | --- |\n| bar | baz |\nbar\n\nbar',
    `${table(['abc', 'def'], ['bar', 'baz'], ['bar', ''])}<p>bar</p>`,
  ],
  203: ['| abc | def |\n| --- |\n| bar |', '<p>| abc | def | | --- | | bar |</p>'],
  204: [
    '| abc | def |\n| --- | --- |\n| bar |\n| bar | baz | boo |',
    table(['abc', 'def'], ['bar', ''], ['bar', 'baz']),
  ],
  205: ['| abc | def |\n| --- | --- |', table(['abc', 'def'])],
  279: ['- [ ] foo\n- [x] bar', `<ul><li>${box()} foo</li><li>${box('checked="" ')} bar</li></ul>`],
  280: [
    '- [x] foo\n  - [ ] bar\n  - [x] baz\n- [ ] bim',
    `<ul><li>${box('checked="" ')} foo<ul><li>${box()} bar</li><li>${box('checked="" ')} baz</li></ul></li><li>${box()} bim</li></ul>`,
  ],
  491: ['~~Hi~~ Hello, ~there~ world!', '<p><del>Hi</del> Hello, <del>there</del> world!</p>'],
  492: ['This ~~has a\n\nnew paragraph~~.', paragraphs('This ~~has a', 'new paragraph~~.')],
  493: ['This will ~~~not~~~ strike.', '<p>This will ~~~not~~~ strike.</p>'],
  621: ['www.commonmark.org', paragraphs(www('commonmark.org'))],
  622: [
    'Visit www.commonmark.org/help for more information.',
    paragraphs(`Visit ${www('commonmark.org/help')} for more information.`),
  ],
  623: [
    'Visit www.commonmark.org.\n\nVisit www.commonmark.org/a.b.',
    paragraphs(`Visit ${www('commonmark.org')}.`, `Visit ${www('commonmark.org/a.b')}.`),
  ],
  624: [
    'www.google.com/search?q=Markup+(business)\n\nwww.google.com/search?q=Markup+(business)))\n\n(www.google.com/search?q=Markup+(business))\n\n(www.google.com/search?q=Markup+(business)',
    paragraphs(
      www('google.com/search?q=Markup+(business)'),
      `${www('google.com/search?q=Markup+(business)')}))`,
      `(${www('google.com/search?q=Markup+(business)')})`,
      `(${www('google.com/search?q=Markup+(business)')}`,
    ),
  ],
  625: ['www.google.com/search?q=(business))+ok', paragraphs(www('google.com/search?q=(business))+ok'))],
  626: [
    'www.google.com/search?q=commonmark&hl=en\n\nwww.google.com/search?q=commonmark&hl;',
    paragraphs(www('google.com/search?q=commonmark&amp;hl=en'), `${www('google.com/search?q=commonmark')}&amp;hl;`),
  ],
  627: ['www.commonmark.org/he<lp', paragraphs(`${www('commonmark.org/he')}&lt;lp`)],
  628: [
    'http://commonmark.org\n\n(Visit https://encrypted.google.com/search?q=Markup+(business))',
    paragraphs(
      link('http://commonmark.org'),
      `(Visit ${link('https://encrypted.google.com/search?q=Markup+(business)')})`,
    ),
  ],
  629: ['foo@bar.baz', paragraphs(mail('foo@bar.baz'))],
  630: [
    "hello@mail+xyz.example isn't valid, but hello+xyz@mail.example is.",
    paragraphs(`hello@mail+xyz.example isn't valid, but ${mail('hello+xyz@mail.example')} is.`),
  ],
  631: [
    'a.b-c_d@a.b\n\na.b-c_d@a.b.\n\na.b-c_d@a.b-\n\na.b-c_d@a.b_',
    paragraphs(mail('a.b-c_d@a.b'), `${mail('a.b-c_d@a.b')}.`, 'a.b-c_d@a.b-', 'a.b-c_d@a.b_'),
  ],
  632: [
    'mailto:foo@bar.baz\n\nmailto:a.b-c_d@a.b\n\nmailto:a.b-c_d@a.b.\n\nmailto:a.b-c_d@a.b/\n\nmailto:a.b-c_d@a.b-\n\nmailto:a.b-c_d@a.b_\n\nxmpp:foo@bar.baz\n\nxmpp:foo@bar.baz.',
    paragraphs(
      link('mailto:foo@bar.baz'),
      link('mailto:a.b-c_d@a.b'),
      `${link('mailto:a.b-c_d@a.b')}.`,
      `${link('mailto:a.b-c_d@a.b')}/`,
      'mailto:a.b-c_d@a.b-',
      'mailto:a.b-c_d@a.b_',
      link('xmpp:foo@bar.baz'),
      `${link('xmpp:foo@bar.baz')}.`,
    ),
  ],
  633: [
    'xmpp:foo@bar.baz/txt\n\nxmpp:foo@bar.baz/txt@bin\n\nxmpp:foo@bar.baz/txt@bin.com',
    paragraphs(link('xmpp:foo@bar.baz/txt'), link('xmpp:foo@bar.baz/txt@bin'), link('xmpp:foo@bar.baz/txt@bin.com')),
  ],
  634: ['xmpp:foo@bar.baz/txt/bin', paragraphs(`${link('xmpp:foo@bar.baz/txt')}/bin`)],
  652: [
    '<strong> <title> <style> <em>\n\n<blockquote>\n  <xmp> is disallowed.  <XMP> is also disallowed.\n</blockquote>',
    '<p><strong> &lt;title> &lt;style> <em></p>\n<blockquote>\n  &lt;xmp> is disallowed.  &lt;XMP> is also disallowed.\n</blockquote>',
  ],
};

/** Without differences that browsers do not show: white space around blocks, and the notation of characters and attributes. */
function normalize(html: string): string {
  return sanitizeHtml(html, { allowedTags: false, allowedAttributes: false, allowVulnerableTags: true })
    .replace(/<input[^<>]*>/g, (tag) => (tag.includes('checked') ? '<input checked>' : '<input>'))
    .replace(/\s+/g, ' ')
    .replace(/ ?(<\/?(?:p|h\d|[uo]l|li|blockquote|pre|hr|table|thead|tbody|t[rdh]|div|br)\b[^>]*>) ?/g, '$1')
    .trim();
}

function differing(examples: readonly Example[]): number[] {
  return examples
    .filter(({ markdown, html }) => normalize(markdownToHtml(markdown)) !== normalize(html))
    .map(({ number }) => number);
}

describe('Markdown', () => {
  it('renders the examples of CommonMark', () => {
    const examples = tests.map(({ number, markdown, html }) => ({
      number,
      markdown: markdown.replaceAll('→', '\t'),
      html: html.replaceAll('→', '\t'),
    }));
    expect(examples).to.have.length(652);
    expect(differing(examples)).to.deep.equal(Object.keys(DIFFERENT).map(Number));
  });

  it('renders the examples of GFM, except that one tilde does not strike out', () => {
    const examples = Object.entries(GFM).map(([number, [markdown, html]]) => ({
      number: Number(number),
      markdown,
      html,
    }));
    expect(examples).to.have.length(28);
    expect(differing(examples)).to.deep.equal([491]);
  });
});
