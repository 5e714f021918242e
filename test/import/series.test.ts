/** Import of series: their order, their limits, repeated and dry runs, and the front matter that names them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type LoadOptions, loadSource } from '../../src/import/load.js';
import { Report } from '../../src/import/report.js';
import type { SourceItem } from '../../src/import/source.js';
import { hashnode } from '../../src/import/sources/hashnode.js';
import { markdown } from '../../src/import/sources/markdown.js';
import { MAX_SERIES, MAX_SERIES_ARTICLES } from '../../src/models/series.js';
import { useApp } from '../support/app.js';
import { testDatabase } from '../support/database.js';
import { makeFolder } from '../support/folder.js';
import { sourceArticle, sourceOf } from '../support/import-source.js';
import { readSource, reasonsOf } from '../support/import-sources.js';
import { rowsOf } from '../support/imported.js';

const app = useApp();

async function importItems(items: readonly SourceItem[], options: LoadOptions = {}) {
  const report = new Report();
  await loadSource(app.database, sourceOf(items), report, options);
  return report;
}

/** An article in a series. */
function part(
  key: string,
  title: string,
  { position = null as number | null, day = 1, state = 'PUBLIC' as const } = {},
) {
  return sourceArticle(key, { series: { title, position }, state, createdAt: new Date(Date.UTC(2024, 0, day)) });
}

const coast: SourceItem = {
  ...{ kind: 'series', place: 'members.json', title: 'Coast', description: 'A walk.' },
  ...{ author: { key: 'ann', name: 'Ann Lee', email: null }, updatedAt: new Date('2024-05-06T07:08:09Z') },
};

const titlesIn = async (series: string) =>
  (
    await rowsOf<{ title: string }>(
      app.database,
      `select a.title from all_articles a join series s on s.id = a.series_id where s.title = '${series}' order by a.series_position`,
    )
  ).map(({ title }) => title.replace('Title ', ''));

describe('An import of series', () => {
  beforeEach(testDatabase);

  it('adds each once, for its author, with its articles by position, or by time', async () => {
    const report = await importItems([
      coast,
      ...[
        part('c', 'Coast', { position: 30 }),
        part('a', 'Coast', { position: 10 }),
        part('b', 'Coast', { position: 20 }),
      ],
      ...[part('z', 'Sea', { day: 3 }), part('x', 'Sea', { day: 1 }), part('y', 'Sea', { day: 2 })],
      sourceArticle('other', {
        author: { key: 'bea', name: 'Bea', email: null },
        series: { title: 'Sea', position: null },
      }),
    ]);
    expect(report.counts('reduced')).to.deep.equal({});
    expect([await titlesIn('Coast'), (await titlesIn('Sea')).filter((title) => title !== 'other')]).to.deep.equal([
      ['a', 'b', 'c'],
      ['x', 'y', 'z'],
    ]);
    const found = await rowsOf(
      app.database,
      `select title, description, nickname, to_char(s.updated_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') like '2024%' as dated
       from series s join members m on m.id = s.member_id order by s.id`,
    );
    expect(found).to.deep.equal([
      { title: 'Coast', description: 'A walk.', nickname: 'Ann Lee', dated: true },
      { title: 'Sea', description: '', nickname: 'Ann Lee', dated: false },
      { title: 'Sea', description: '', nickname: 'Bea', dated: false },
    ]);
  });

  it('that is repeated adds new articles in their place, and nothing that was changed or deleted meanwhile', async () => {
    await importItems([part('a', 'Coast', { day: 1 }), part('c', 'Coast', { day: 3 }), part('d', 'Gone')]);
    await app.database.sequelize.query(
      `update series set title = 'Shore' where title = 'Coast'; delete from series where title = 'Gone'`,
    );
    const again = [part('a', 'Coast', { day: 1 }), part('b', 'Coast', { day: 2 }), part('c', 'Coast', { day: 3 })];
    const report = await importItems([...again, part('d', 'Gone'), part('e', 'Gone')]);
    expect(await titlesIn('Shore')).to.deep.equal(['a', 'b', 'c']);
    expect(report.counts('reduced')).to.deep.equal({
      'series that were removed from the journal: their articles are in none': 1,
    });
    expect(await rowsOf(app.database, 'select title from series')).to.deep.equal([{ title: 'Shore' }]);
    expect((await importItems([...again, part('e', 'Gone')])).added.articles).to.equal(0);
  });

  it('reports what exceeds the limits, also in a dry run', async () => {
    await importItems([part('first', 'Long')]);
    await app.database.sequelize.query(`
      insert into all_articles (slug, member_id, category_id, title, content, series_id, series_position)
      select gen_random_uuid(), a.member_id, a.category_id, 'Title', 'Content', a.series_id, n
      from all_articles a, generate_series(2, ${MAX_SERIES_ARTICLES}) n;
      insert into series (member_id, title) select member_id, 'Other' from series, generate_series(2, ${MAX_SERIES})`);
    const title = ` ${'x'.repeat(120)}\n`;
    const items = [
      ...[part('more', 'Long', { position: 201 }), part('new', 'New')],
      sourceArticle('draft', { state: 'DRAFT', series: { title: 'Long', position: 1 } }),
      sourceArticle('named', { author: { key: 'bea', name: 'Bea', email: null }, series: { title, position: null } }),
    ];
    const count = () =>
      rowsOf(app.database, 'select (select count(*) from series), (select count(*) from all_articles) as articles');
    const before = await count();
    const dry = await importItems(items, { isDryRun: true });
    expect(await count()).to.deep.equal(before);
    const report = await importItems(items);
    expect(report.counts('reduced')).to.deep.equal({
      [`articles beyond the ${MAX_SERIES_ARTICLES} of a series: they are in none`]: 1,
      [`series beyond ${MAX_SERIES} of their author: their articles are in none`]: 1,
      'series of drafts: only articles are in series': 1,
      'titles of series shortened to 100 characters': 1,
    });
    expect(dry.counts('reduced')).to.deep.equal(report.counts('reduced'));
    expect(await titlesIn('Long')).to.have.lengthOf(MAX_SERIES_ARTICLES);
    expect(await rowsOf(app.database, 'select id from all_articles where series_id is null')).to.have.lengthOf(2);
    expect(await rowsOf(app.database, `select length(title) from series where title like 'xxx%'`)).to.deep.equal([
      { length: 100 },
    ]);
  });
});

describe('Series in front matter', () => {
  it('are read from the forms of Hugo, and of backups of Velog', async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, 'posts'));
    const forms = {
      list: 'series: ["Coast, and sea"]\nseries_weight: 20',
      text: 'series: Coast, and sea\nseries_order: 3',
      named: 'series:\n  name: Coast\nseries_order: first',
      several: 'series: [Coast, Sea]',
      none: 'series: []',
    };
    for (const [name, text] of Object.entries(forms))
      await writeFile(join(folder, 'posts', `${name}.md`), `---\ntitle: ${name}\ndate: 2024-01-01\n${text}\n---\nText`);
    const { articles } = await readSource(markdown, folder);
    const read = Object.fromEntries(Object.keys(forms).map((name) => [name, articles.get(name)?.series]));
    expect(read).to.deep.equal({
      list: { title: 'Coast, and sea', position: 20 },
      text: { title: 'Coast, and sea', position: 3 },
      named: { title: 'Coast', position: null },
      several: { title: 'Coast', position: null },
      none: null,
    });
    expect(reasonsOf(articles.get('several'))).to.deep.equal(['further series: an article is in one']);
  });

  it('are read from an export of Hashnode that has their names, and reported otherwise', async () => {
    const path = join(await makeFolder(), 'hashnode.json');
    const post = { contentMarkdown: 'Text', dateAdded: '2024-01-01T00:00:00Z', publication: 'p' };
    const posts = [
      { ...post, _id: '1', title: 'Named', series: { _id: 's', name: 'Coast' } },
      { ...post, _id: '2', title: 'Numbered', series: '5f0000000000000000000001' },
    ];
    await writeFile(path, JSON.stringify({ posts }));
    const { articles } = await readSource(hashnode, path);
    expect(articles.get('Named')?.series).to.deep.equal({ title: 'Coast', position: null });
    expect(reasonsOf(articles.get('Numbered'))).to.deep.equal(['series: the export has their ids and not their names']);
  });
});
