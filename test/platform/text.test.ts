/** Texts that are cut: never within a surrogate pair, nor within what readers see as one character. */
import { expect } from 'chai';
import { beginningOf, inspectValue, truncate } from '../../src/platform/text.js';
import { toSnippet } from '../../src/services/rendering/snippet.js';
import { useApp } from '../support/app.js';
import { buildMember } from '../support/build.js';

const app = useApp();

describe('A text in a message', () => {
  it('is not cut within a surrogate pair', () => {
    for (let before = 55; before < 65; before++) {
      const text = `${'x'.repeat(before)}${'😀'.repeat(40)}`;
      for (const shown of [beginningOf(text, 60), inspectValue(text), inspectValue({ [text]: [text] })])
        expect(shown.isWellFormed() && shown.length <= 61, shown).to.equal(true);
    }
    expect(beginningOf('a😀', 2)).to.equal('a');
    expect(beginningOf('a😀', 3)).to.equal('a😀');
    expect(beginningOf('a\ud83d', 2)).to.equal('a\ufffd');
  });

  it('is valid Unicode in the errors of both APIs', async () => {
    const { token } = await buildMember(app.url);
    for (const offset of [0, 1]) {
      const text = `${'x'.repeat(offset)}${'😀'.repeat(300)}`;
      const json = JSON.stringify;
      const requests: [string, unknown?][] = [
        [`/api/articles?${encodeURIComponent(text)}=1`],
        [`/api/articles?size=${encodeURIComponent(text)}`],
        [`/api/${encodeURIComponent(text)}`],
        ['/api/articles', { title: text, content: 'x', [text]: 1 }],
        ['/api/articles', { title: [text], content: { [text]: text } }],
        ['/graphql', { query: 'query ($id: ID!) { article(id: $id) { id } }', variables: { id: [text] } }],
        ['/graphql', { query: `{ articles(size: ${json(text)}) { totalElements } }` }],
        ['/graphql', { query: `{ article(id: ${json(text)}) { id } }`, extensions: { [text]: 1 } }],
        ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: text, arguments: {} } }],
        [
          '/mcp',
          { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read_article', arguments: { [text]: 1 } } },
        ],
      ];
      for (const [path, body] of requests) {
        const response = await fetch(app.url + path, {
          method: body ? 'POST' : 'GET',
          headers: {
            authorization: `Bearer ${token}`,
            accept: 'application/json, text/event-stream',
            'content-type': 'application/json',
          },
          ...(body !== undefined && { body: json(body) }),
        });
        const sent = await response.text();
        expect(sent.match(/(?<!\\)(?:\\\\)*\\u(?:d[89a-f])/i), `${path} ${json(body)}`).to.equal(null);
      }
    }
  });
});

describe('A text that is too long', () => {
  const FAMILY = '👨‍👩‍👧‍👦';

  it('ends between two graphemes', () => {
    for (const grapheme of [FAMILY, '🇰🇷', '👍🏽', 'e\u0323\u0302', '각', 'नि', '1️⃣']) {
      for (let before = 0; before < 12; before++) {
        const start = 'x'.repeat(before);
        const cut = truncate(start + grapheme.repeat(30), 20);
        expect([...cut].length).to.be.at.most(20);
        expect(cut.slice(before, -1).replaceAll(grapheme, ''), cut).to.equal('');
      }
    }
  });

  it('has at most the length, also within a grapheme of any length', () => {
    expect([...truncate(`e${'\u0301'.repeat(1_000)}`, 20)]).to.have.length(20);
    expect(truncate('x'.repeat(20), 20)).to.equal('x'.repeat(20));
  });

  it('begins between two graphemes in a snippet', () => {
    expect(toSnippet(`…\u200d👦${FAMILY}x`, ['x'])).to.equal(`…${FAMILY}<mark>x</mark>`);
    expect(toSnippet('…🇷🇺🇸🇰각x', ['x'])).to.equal('…각<mark>x</mark>');
    expect(toSnippet('…\u0301🏽가각x', ['x'])).to.equal('…각<mark>x</mark>');
  });
});
