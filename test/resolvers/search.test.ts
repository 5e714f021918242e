/** Keyword search: matches and ranking. */
import { expect } from 'chai';
import { addShelf, type GoldenQuery, type SearchText, testData, useSearch } from '../support/search.js';
import { statementsDuring } from '../support/statements.js';

const search = useSearch();
const { find, idsOf, add, run } = search;

describe('Keyword search: golden set', () => {
  before(() => search.empty());

  it('finds all expected articles and no others', async () => {
    const texts = await testData<SearchText>('search-texts.ndjson');
    const queries = await testData<GoldenQuery>('search-queries.ndjson');
    for (const text of texts) await search.addRendered(text);
    const wrong: object[] = [];
    let hits = 0;
    let found = 0;
    let wanted = 0;
    for (const { query, expected } of queries) {
      const { ids, total } = await find(query);
      const got = ids.toSorted((a, b) => a - b);
      hits += got.filter((id) => expected.includes(id)).length;
      found += got.length;
      wanted += expected.length;
      if (total !== got.length || got.join() !== expected.join()) wrong.push({ query, expected, got, total });
    }
    const figures = `recall ${(hits / wanted).toFixed(3)}, precision ${(hits / found).toFixed(3)}`;
    process.stdout.write(`      ${queries.length} queries, ${texts.length} texts: ${figures}\n`);
    expect(wrong).to.deep.equal([]);
  });
});

describe('Keyword search: order and pages', () => {
  before(async () => {
    await search.empty();
    await add(1, '겨울 바다', '바람이 불었다.', ['여행']);
    await add(2, '바다의 겨울', '추웠다.', []);
    await add(3, '여름', '겨울 바다가 그립다.', []);
    await add(4, '바다', '짧은 글', ['겨울']);
    await add(5, '봄', '겨울에 쓴 글에 바다가 나온다.', ['여행']);
    await add(6, '겨울 바다에서', '다시', []);
  });

  it('ranks the phrase in the title first, then all words in it, then title or tags, then newest', async () => {
    expect(await idsOf('겨울 바다')).to.deep.equal([6, 1, 2, 4, 5, 3]);
    expect(await idsOf('겨울')).to.deep.equal([6, 2, 1, 4, 5, 3]);
  });

  it('returns each hit on one page, with the total on every page, also past the last', async () => {
    const pages = await Promise.all([0, 2, 4, 6].map((offset) => find('겨울 바다', {}, 2, offset)));
    expect(pages.map(({ ids }) => ids)).to.deep.equal([[6, 1], [2, 4], [5, 3], []]);
    expect(pages.map(({ total }) => total)).to.deep.equal([6, 6, 6, 6]);
  });

  it('applies the filters', async () => {
    const other = await addShelf(search.database, 'other');
    await add(7, '겨울', '남의 글', ['여행'], other);
    expect(await idsOf('겨울', { tag: '여행' })).to.deep.equal([7, 1, 5]);
    expect(await idsOf('겨울', { memberId: other.memberId })).to.deep.equal([7]);
    expect(await idsOf('겨울', { ...search.shelf, tag: '여행' })).to.deep.equal([1, 5]);
    expect(await idsOf('겨울', { ...other, tag: '없음' })).to.deep.equal([]);
  });

  it('executes a single statement', async () => {
    expect(await statementsDuring(() => find('겨울 바다', { tag: '여행', ...search.shelf }))).to.have.lengthOf(1);
  });
});

describe('Keyword search: many articles', () => {
  before(async () => {
    await search.empty();
    await run(
      `insert into articles (slug, member_id, category_id, title, content, created_at)
       select gen_random_uuid(), $memberId::bigint, $categoryId::bigint, case n % 100 when 0 then '자주' else '제목' end,
              '글 ' || case n % 2 when 0 then '자주 ' else '' end || case when n <= 30 then '옛날' else '' end,
              timestamptz '2026-01-01Z' + n / 3 * interval '1 minute'
       from generate_series(1, 700) n`,
      { ...search.shelf },
    );
    await run('analyze article_search');
  });

  const newestFirst = Array.from({ length: 700 }, (_, index) => 700 - index);

  it('returns a consistent order and total on all pages', async () => {
    const [titled, rest] = [(id: number) => id % 100 === 0, (id: number) => id % 2 === 0 && id % 100 !== 0];
    const expected = [...newestFirst.filter(titled), ...newestFirst.filter(rest)];
    const pages = [];
    for (let offset = 0; offset < 360; offset += 12) pages.push(await find('자주', {}, 12, offset));
    expect(pages.flatMap(({ ids }) => ids)).to.deep.equal(expected);
    expect(new Set(pages.map(({ total }) => total))).to.deep.equal(new Set([350]));
  });

  it('finds a word that occurs only in the 30 oldest articles', async () => {
    const old = newestFirst.filter((id) => id <= 30);
    expect(await find('옛날', {}, 5, 0)).to.deep.equal({ ids: old.slice(0, 5), total: 30 });
    expect(await find('옛날', {}, 5, 25)).to.deep.equal({ ids: old.slice(25), total: 30 });
    expect(await find('옛날', {}, 5, 30)).to.deep.equal({ ids: [], total: 30 });
  });
});
