/** Snippets of search results: the visible text around the first match, with the matches marked. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../support/build.js';
import { call, graphql } from '../support/client.js';
import { statementsDuring } from '../support/statements.js';

const app = useApp({ RESPONSE_CACHE_MB: '0' });

/** [keyword, content, snippet] */
const SAMPLES: [subject: string, keyword: string, content: string, snippet: string][] = [
  ['a word with markup inside', '물결이', '강가의 **물결**이 잔잔하다.', '강가의 <mark>물결이</mark> 잔잔하다.'],
  ['matches inside words', '등대', '저등대를 본다.', '저<mark>등대</mark>를 본다.'],
  [
    'every word of the keyword',
    '나룻배 노을',
    '노을 아래 나룻배와 나룻배.',
    '<mark>노을</mark> 아래 <mark>나룻배</mark>와 <mark>나룻배</mark>.',
  ],
  ['overlapping and adjacent words as one match', 'zyx yxw wv', 'a zyxwv b', 'a <mark>zyxwv</mark> b'],
  [
    'matches without regard to case',
    'ÉCLAIR σος istan',
    'Éclair ΣΟς İstanbul',
    '<mark>Éclair</mark> <mark>ΣΟς</mark> <mark>İstan</mark>bul',
  ],
  [
    'typographic characters for those of a keyboard',
    `"l'érable" a-b 3~5`,
    '“l’érable” a–b 3〜5',
    '<mark>“l’érable”</mark> <mark>a–b</mark> <mark>3〜5</mark>',
  ],
  [
    'those of a keyboard for typographic characters',
    '‘l’érable‛ a‐b−c 3～5 가ㆍ나',
    `'l'érable' a-b-c 3~5 가·나`,
    '<mark>&#39;l&#39;érable&#39;</mark> <mark>a-b-c</mark> <mark>3~5</mark> <mark>가·나</mark>',
  ],
  ['full-width letters', 'ａｂｃ', 'x ＡＢＣ y', 'x <mark>ＡＢＣ</mark> y'],
  ['keywords in decomposed form', '갈매기'.normalize('NFD'), '갈매기가 운다.', '<mark>갈매기</mark>가 운다.'],
  ['keywords copied with invisible characters', '돛\u00ad단\u200b배', '돛단배다.', '<mark>돛단배</mark>다.'],
  [
    'quotes and markup of the text, escaped',
    'qu"ot',
    `It's \`<b qu"ot&\` &amp;lt;`,
    'It&#39;s &lt;b <mark>qu&quot;ot</mark>&amp; &amp;lt;',
  ],
  [
    'a keyword that is HTML, escaped',
    '<script>',
    '`<script>alert(1)</script>`',
    '<mark>&lt;script&gt;</mark>alert(1)&lt;/script&gt;',
  ],
  [
    'code, tables and alternative texts',
    'cellone',
    '| cellone | b |\n|-|-|\n\n![c](/c.png)\n\n```\nd  e\n```',
    '<mark>cellone</mark> b c d e',
  ],
  ['the beginning if only the title matches', 'titleonly', 'The beginning.', 'The beginning.'],
  ['an empty text', 'titleonly', '![](/a.png)', ''],
];

describe('The snippet of an article', () => {
  let author: BuiltMember;
  before(async () => {
    author = await buildMember(app.url);
  });

  async function snippetOf(keyword: string, content: string): Promise<string> {
    const { id } = await buildArticle(app.url, { content, title: `titleonly ${keyword.slice(0, 5)}` }, author);
    const path = `/api/articles?keyword=${encodeURIComponent(keyword)}&memberId=${author.id}`;
    const { contents } = (await call(app.url, `GET ${path}`)).body?.data ?? {};
    return contents.find((article: { id: number }) => article.id === id)?.snippet;
  }

  for (const [subject, keyword, content, snippet] of SAMPLES) {
    it(`shows ${subject}`, async () => expect(await snippetOf(keyword, content)).to.equal(snippet));
  }

  it('is cut at both ends of a long text, at the beginning of a word', async () => {
    const snippet = await snippetOf(
      'needle',
      `${'words before it '.repeat(6_000)}needle ${'words after it '.repeat(200)}`,
    );
    expect(snippet).to.match(/^…(words|before|it) [a-z ]* <mark>needle<\/mark> words [a-z ]*…$/);
    expect([...snippet.replace(/<\/?mark>/g, '')]).to.have.length.within(195, 200);
  });

  it('has at most 200 characters of a text without spaces, and no parts of characters', async () => {
    const snippet = await snippetOf('끝말', `${'👩‍🌾'.repeat(500)}끝말${'e\u0323\u0301'.repeat(500)}`);
    expect(snippet)
      .to.match(/^…\p{Extended_Pictographic}/u)
      .and.include('<mark>끝말</mark>');
    expect([...snippet]).to.have.length.at.most(200 + '<mark></mark>'.length);
    expect(snippet.isWellFormed()).to.equal(true);
  });

  it('of many matches is within the declared length', async () => {
    expect((await snippetOf('"', '`"&`'.repeat(300))).length).to.be.at.most(2_500);
  });

  it('costs no statement, on pages and connections of both APIs, and is absent without a keyword', async () => {
    const { token } = author;
    const lists = { articles: {}, 'articles/me': { token } };
    for (const [list, options] of Object.entries(lists)) {
      const statements = await statementsDuring(async () => {
        const { body } = await call(app.url, `GET /api/${list}?keyword=needle`, options);
        expect(body?.data.contents[0].snippet).to.include('<mark>needle</mark>');
      });
      expect(statements.filter((text) => text.includes('article_search'))).to.have.length(1);
      for (const query of ['', '?keyword=', '?keyword=%20']) {
        const { body } = await call(app.url, `GET /api/${list}${query}`, options);
        expect(body?.data.contents[0], query).to.not.have.property('snippet');
      }
    }
    const query = `{
      found: articleConnection(first: 1, filter: { keyword: "needle" }) { edges { node { snippet } } }
      all: articleConnection(first: 1) { edges { node { snippet } } }
      articles(filter: { keyword: "needle" }) { contents { snippet } }
    }`;
    let data: Record<string, unknown> = {};
    const statements = await statementsDuring(async () => {
      ({ data } = await graphql(app.url, query));
    });
    expect(statements.filter((text) => text.includes('from articles'))).to.have.length(3);
    expect(JSON.stringify(data.found)).to.include('<mark>needle</mark>');
    expect(JSON.stringify(data.articles)).to.include('<mark>needle</mark>');
    expect(JSON.stringify(data.all)).to.include('"snippet":null');
  });

  it('is not read from the tables of texts unless it is selected', async () => {
    const search = '{ articles(filter: { keyword: "needle" }) { contents { id } } }';
    for (const statement of await statementsDuring(() => graphql(app.url, search)))
      expect(statement).to.not.include('article_texts');
  });

  it('shows the folded source of an article without a visible text', async () => {
    const { id } = await buildArticle(app.url, { content: 'Early *Bird*song.' }, author);
    await app.database.sequelize.query(`delete from article_texts where article_id = ${id};
      update article_search set content = search_fold((select content from articles where id = ${id})) where article_id = ${id}`);
    const { body } = await call(app.url, 'GET /api/articles?keyword=bird');
    expect(body?.data.contents[0].snippet).to.equal('early *<mark>bird</mark>*song.');
  });
});
