/** Keyword search: kinds of words, and index updates when articles change. */
import { expect } from 'chai';
import { addShelf, useSearch } from '../support/search.js';

const search = useSearch();
const { find, idsOf, add, run } = search;

describe('Keyword search: words', () => {
  before(() => search.empty());

  it('treats special characters of LIKE, regular expressions and text search literally', async () => {
    const hostile = [
      '%',
      '_',
      '\\',
      "'",
      '"',
      ':*',
      '&',
      '|',
      '!',
      '(',
      ')',
      '<->',
      '\\\\',
      "'':*",
      '100%',
      'a_b',
      '.*',
      '$1',
    ];
    for (const [index, word] of hostile.entries()) await add(index + 1, '제목', `앞 x${word}y 뒤`);
    for (const [index, word] of hostile.entries()) {
      expect(await idsOf(`x${word}y`), word).to.deep.equal([index + 1]);
      expect(await idsOf(word), word).to.include(index + 1);
    }
    expect(await idsOf('x%y')).to.deep.equal([1]);
  });

  it('finds words longer than the keys, and distinguishes them from longer ones with the same ends', async () => {
    const [left, right] = ['가나다라마바사아자차카타파하거너', '더러머버서어저처커터퍼허고노도로'];
    await add(101, '긴 낱말', `${left}중간${right}`);
    await add(102, '긴 낱말', `${left}가운데${right}`);
    expect(await idsOf(`${left}중간${right}`)).to.deep.equal([101]);
    expect(await idsOf(`${left}중${right}`)).to.deep.equal([]);
    await add(103, `제목에 ${left}중간${right}`, '글');
    expect(await idsOf(`${left}중간${right}`)).to.deep.equal([103, 101]);
  });

  it('finds words in texts of 100,000 characters without a space', async () => {
    const block = Array.from({ length: 100_000 }, (_, index) =>
      String.fromCodePoint(0xac00 + ((index * 7919) % 11172)),
    );
    const content = block.join('');
    await add(201, '아주 긴 글', content);
    for (const word of ['뷁', content.slice(50_000, 50_002), content.slice(70_000, 70_008), content.slice(99_000)]) {
      expect(await idsOf(word), word.slice(0, 9)).to.deep.equal([201]);
    }
    expect(await idsOf('뷁뷁')).to.deep.equal([]);
    expect(await idsOf('아주 긴')).to.deep.equal([201]);
  });

  it('finds each spelling of a word by each other one, in titles, tags and texts', async () => {
    await search.empty();
    const SPELLINGS = [
      ["צ'יזיק", 'צ׳יזיק', 'צ’יזיק', 'צ`יזיק'],
      ['דו"ח', 'דו״ח', 'דו”ח', 'דו＂ח'],
      ["Hawai'i", 'Hawaiʻi', 'Hawai‘i', 'HAWAIʻI', 'hawaiꞌi'],
      ["l'oiseau", 'l´oiseau', 'l`oiseau', 'L’oiseau'],
      ['ılık', 'ILIK'],
      ['sinemasını', 'SİNEMASINI'],
    ];
    let id = 0;
    for (const spellings of SPELLINGS) {
      const first = id + 1;
      for (const stored of spellings) {
        await add(++id, `A ${stored} b`, 'x');
        await add(++id, 'x', `A ${stored} b`, [stored.toLowerCase()]);
      }
      const expected = Array.from({ length: id - first + 1 }, (_, index) => first + index);
      for (const spelling of spellings)
        expect(
          (await idsOf(spelling)).toSorted((a, b) => a - b),
          spelling,
        ).to.deep.equal(expected);
      const { total, ids } = await find(`${spellings.at(-1)} b`, {}, 2);
      expect([total, ids.length]).to.deep.equal([expected.length, 2]);
    }
    const words = Array.from({ length: 8 }, () => `'"IIII${'´'.repeat(10)}`).join(' ');
    expect(await idsOf(words)).to.deep.equal([]);
  });

  it('finds nothing for a keyword without words', async () => {
    for (const keyword of ['', ' ', '\u3000\t\u00a0', '\u0001']) {
      expect(await find(keyword)).to.deep.equal({ ids: [], total: 0 });
    }
  });
});

describe('Keyword search: changes', () => {
  before(() => search.empty());

  it('reflects edits, tags, categories and deletions', async () => {
    await add(1, '처음', '옛 글', ['산책']);
    await run("update articles set title = '나중', content = '새 글' where id = 1");
    expect([await idsOf('처음'), await idsOf('옛'), await idsOf('나중 새 산책')]).to.deep.equal([[], [], [1]]);
    await run("update tags set name = '여행' where name = '산책'");
    expect([await idsOf('산책'), await idsOf('여행')]).to.deep.equal([[], [1]]);
    await run('delete from article_tags where article_id = 1');
    expect(await idsOf('여행')).to.deep.equal([]);
    const other = await addShelf(search.database, 'mover');
    await run('update articles set member_id = $memberId, category_id = $categoryId where id = 1', { ...other });
    expect(await idsOf('글', { ...other })).to.deep.equal([1]);
    await run('delete from articles where id = 1');
    expect(await find('글')).to.deep.equal({ ids: [], total: 0 });
  });

  it('does not write the index when only the comment count changes', async () => {
    await add(2, '제목', '본문');
    const before = await rowVersion();
    await run('update articles set comment_count = 1 where id = 2');
    expect(await rowVersion()).to.equal(before);
  });

  it('does not find changes that were rolled back', async () => {
    const failed = search.database.sequelize.transaction(async (transaction) => {
      await search.database.sequelize.query("update articles set title = '되돌림' where id = 2", { transaction });
      throw new Error('rolled back');
    });
    expect(await failed.catch((error: Error) => error.message)).to.equal('rolled back');
    expect([await idsOf('되돌림'), await idsOf('제목')]).to.deep.equal([[], [2]]);
  });

  async function rowVersion(): Promise<unknown> {
    const [rows] = await search.database.sequelize.query('select xmin::text from article_search where article_id = 2');
    return (rows as { xmin: string }[])[0]?.xmin;
  }
});
