/** The extractive summarizer, which needs no provider: its results, that they are deterministic, and that it does not block requests. */
import { expect } from 'chai';
import { extract as extractText } from '../../../src/services/ai/extractive/extract-worker.js';
import { ExtractiveSummarizer, TIMEOUT_MS } from '../../../src/services/ai/extractive/summarizer.js';
import { renderHtml } from '../../../src/services/rendering/render-worker.js';
import { visibleText } from '../../../src/services/rendering/visible-text.js';
import { slowdown } from '../../support/time-limits.js';

const AUTHOR = { key: 'm1' };

function extract(markdown: string) {
  return extractText(visibleText(renderHtml(markdown, Number.POSITIVE_INFINITY)));
}

const KOREAN = `# 텃밭 일기

올봄에 처음으로 작은 텃밭을 시작했다. 텃밭에는 상추와 토마토, 그리고 고추를 심었다. 토마토는 햇빛을 좋아해서 남쪽에 심어야 한다.
상추는 물을 자주 주어야 잘 자란다. 고양이가 가끔 텃밭에 와서 상추를 밟고 간다. 고양이는 귀엽지만 상추에게는 재앙이다.
이웃집 할머니는 텃밭을 가꾸는 법을 알려 주셨다. 할머니의 조언대로 토마토에 지지대를 세웠더니 훨씬 잘 자랐다.

- 내년에는 감자도 심어 볼 생각이다.
- 퇴비를 직접 만들어 보고 싶다.`;

const ENGLISH = `We moved the journal from one database server to another last weekend. The migration took four hours,
mostly because the old server had a slow disk. PostgreSQL replicated the tables to the new server while the journal was
still running. Nobody noticed the migration, except for a short moment when the journal was read only. We learned that a
rehearsal is worth more than any plan. The rehearsal showed that one index took an hour to build. Next time we will build
the index on the new server before the migration begins. My cat slept through everything.`;

const TEXTS = { Korean: KOREAN, English: ENGLISH };
const flat = (text: string) => text.replace(/\s+/g, ' ');

describe('Extractive summary', () => {
  for (const [language, text] of Object.entries(TEXTS)) {
    it(`consists of sentences of the text in their original order, in ${language}`, () => {
      const { summary } = extract(text);
      const sentences = summary.match(/[^.]+\./g) ?? [];
      expect(sentences.length).to.be.within(2, 3);
      const positions = sentences.map((sentence) => flat(text).indexOf(sentence.trim()));
      expect(positions).to.deep.equal([...positions].sort((a, b) => a - b));
      expect(positions).not.to.include(-1);
      expect([...summary].length).to.be.at.most(400);
    });

    it(`is deterministic for a text in ${language}`, () => {
      const first = extract(text);
      for (let time = 0; time < 3; time++) expect(extract(text)).to.deep.equal(first);
    });
  }

  it('extracts Korean nouns without particles as tags, and keeps particle-like endings of nouns', () => {
    const { tags } = extract(KOREAN);
    expect(tags).to.include.members(['텃밭', '토마토', '상추']);
    expect(extract('고양이가 온다. 고양이는 잔다. 고양이를 본다. 고양이와 논다. 고양이').tags).to.include('고양이');
    expect(extract('소설가는 쓴다. 소설가를 읽는다. 소설가의 하루다. 소설가').tags).to.include('소설가');
  });

  it('extracts English words in one form as tags, without stop words', () => {
    const { tags } = extract(ENGLISH);
    expect(tags).to.include.members(['server', 'journal', 'migration']);
    expect(extract('The gardens are green. A garden is green. It was and it will be.').tags).to.deep.equal([
      'garden',
      'green',
    ]);
  });

  it('has at most five tags of at most ten characters', () => {
    const words = Array.from(
      { length: 40 },
      (_, number) => `word${'abcdefghij'[number % 10]}${'klmnopqrst'[Math.floor(number / 10)]}`,
    );
    const { tags } = extract(`${words.join(' ')}. incomprehensibilities incomprehensibilities ${words.join(' ')}`);
    expect(tags).to.have.length(5);
    for (const tag of tags) expect([...tag].length).to.be.within(2, 10);
  });

  it('omits markup, code and tables', () => {
    const content = `<!-- a secret remark that nobody reads -->
<!-- p { color: red } --><svg><path d="alert"/></svg>
## Heading of the page

<p>The <b>first</b> sentence of the page is about <a href="https://example.org">gardens</a> &amp; trees.</p><p>The second sentence of the page is about trees.</p>

| Column of the page | Another |
|---|---|
| cell of the page | cell |

\`\`\`js
const page = 'the code of the page is no sentence';
\`\`\`
![an image of the page](https://example.org/a.png) The **third** sentence of the page is about [gardens](https://example.org).`;
    const { summary } = extract(content);
    expect(summary).to.include('The first sentence of the page is about gardens & trees.');
    for (const part of ['<', 'secret', 'color', 'alert', 'const page', '|', 'https:', '**', 'Heading']) {
      expect(summary, part).not.to.include(part);
    }
  });

  it('falls back to the text where there are no sentences', () => {
    expect(extract('짧은 글').summary).to.equal('짧은 글');
    expect(extract('!!!')).to.deep.equal({ summary: '!!!', tags: [] });
    expect([...extract('가'.repeat(5_000)).summary]).to.have.length(400);
    expect(extract('😀'.repeat(5_000)).summary.isWellFormed()).to.equal(true);
  });
});

/** Texts on which an algorithm of quadratic complexity would take minutes. */
const HOSTILE: Record<string, string> = {
  'one word': 'a'.repeat(100_000),
  'two words': 'a b '.repeat(25_000),
  'short sentences': 'a. '.repeat(33_333),
  'one Korean word': '가나다라에서는 '.repeat(12_500),
  brackets: '['.repeat(100_000),
  'tags without an end': '<a'.repeat(50_000),
  comments: '<!--'.repeat(25_000),
  fences: '```\n'.repeat(25_000),
  'empty lines': `${'\n'.repeat(99_999)}a`,
  spaces: `${' '.repeat(99_999)}a`,
  'rows of tables': '| \n'.repeat(33_333),
  emphasis: '***a_'.repeat(20_000),
  quotations: '> '.repeat(50_000),
  emoji: '😀'.repeat(50_000),
  'different words': Array.from({ length: 14_000 }, (_, number) => `w${number.toString(36).padStart(5, 'q')}`).join(
    ' ',
  ),
};

describe('The summarizer thread', () => {
  const extractor = new ExtractiveSummarizer(TIMEOUT_MS * slowdown());
  after(() => extractor.stop());

  it('does not block the event loop', async () => {
    const text = ENGLISH.repeat(100_000 / ENGLISH.length);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const { summary } = await extractor.extract(text, AUTHOR);
    clearInterval(timer);
    expect(summary).not.to.equal('');
    expect(turns).to.be.above(5);
  });

  it('processes several texts one after the other', async () => {
    const summaries = await Promise.all(['하나', '둘', '셋'].map((text) => extractor.extract(text, AUTHOR)));
    expect(summaries.map(({ summary }) => summary)).to.deep.equal(['하나', '둘', '셋']);
  });

  it('starts again after it was stopped', async () => {
    await extractor.stop();
    expect((await extractor.extract('다시', AUTHOR)).summary).to.equal('다시');
  });

  it('continues when that of other services in the process is stopped', async () => {
    const other = new ExtractiveSummarizer();
    await Promise.all([extractor.extract('하나', AUTHOR), other.extract('둘', AUTHOR)]);
    const running = extractor.extract('다시', AUTHOR);
    await other.stop();
    expect((await running).summary).to.equal('다시');
  });

  for (const [name, text] of Object.entries(HOSTILE)) {
    it(`summarizes 100,000 characters of ${name}`, async () => {
      expect((await extractor.extract(text, AUTHOR)).summary).to.match(/^[\s\S]{1,400}$/u);
    });
  }
});
