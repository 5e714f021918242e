/** Import of languages and of translations: by keys, repeated and dry runs, and what cannot be kept. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { claimAuthor } from '../../src/commands/claim-author.js';
import { type LoadOptions, loadSource } from '../../src/import/load.js';
import { Report } from '../../src/import/report.js';
import type { SourceArticle, SourceItem } from '../../src/import/source.js';
import { useApp } from '../support/app.js';
import { buildMember } from '../support/build.js';
import { runDaybook } from '../support/cli.js';
import { testDatabase } from '../support/database.js';
import { makeFolder } from '../support/folder.js';
import { sourceArticle, sourceOf } from '../support/import-source.js';
import { rowsOf } from '../support/imported.js';

const app = useApp();

async function importItems(items: readonly SourceItem[], options: LoadOptions = {}) {
  const report = new Report();
  await loadSource(app.database, sourceOf(items), report, options);
  return report;
}

const text = (key: string, language: string | null, translationKey?: string, others: Partial<SourceArticle> = {}) =>
  sourceArticle(key, { metadata: { language }, ...(translationKey !== undefined && { translationKey }), ...others });

/** The titles of each group with their languages. */
const groups = async () =>
  (
    await rowsOf<{ key: string; articles: string }>(
      app.database,
      `select g.key, string_agg(a.title || ' ' || a.language, ', ' order by a.id) as articles
       from translation_groups g join all_articles a on a.translation_group_id = g.id group by g.id order by g.id`,
    )
  ).map(({ key, articles }) => `${key}: ${articles.replaceAll('Title ', '')}`);

describe('An import of translations', () => {
  beforeEach(testDatabase);

  it('connects the texts of an author with the same key, and adds later ones', async () => {
    const items = [
      text('a', 'ko', 'about'),
      text('b', 'EN_us', 'about'),
      text('c', 'fr', 'other'),
      text('d', 'fr'),
      text('e', 'de', 'about', { author: { key: 'bea', name: 'Bea', email: null } }),
    ];
    const report = await importItems(items);
    expect(report.counts('reduced')).to.deep.equal({});
    expect(await groups()).to.deep.equal(['about: a ko, b en-US', 'other: c fr', 'about: e de']);
    await importItems([...items, text('f', 'ja', 'about')]);
    expect(await groups()).to.deep.equal(['about: a ko, b en-US, f ja', 'other: c fr', 'about: e de']);
    const stamps = await rowsOf(app.database, `select key from translation_groups where changed_at = 'epoch'`);
    expect(stamps).to.deep.equal([]);
  });

  it('reports what cannot be kept, also in a dry run', async () => {
    await importItems([text('first', 'ko', 'about')]);
    const items = [
      text('a', 'ko', 'about'),
      text('b', 'en', 'about'),
      text('c', 'en', 'about'),
      text('d', null, 'about'),
      text('e', 'not a language', 'about'),
      text('f', 'fr', 'about', { state: 'DRAFT' }),
    ];
    const dry = await importItems(items, { isDryRun: true });
    expect(await groups()).to.deep.equal(['about: first ko']);
    const report = await importItems(items);
    expect(report.counts('reduced')).to.deep.equal({
      'translations in a language that another one has: they are of no other article': 2,
      'translations without a language: they are of no other article': 2,
      'language: left out, since it is not a BCP 47 language tag': 1,
      'translations that are drafts: only articles are translations of each other': 1,
    });
    expect(dry.counts('reduced')).to.deep.equal(report.counts('reduced'));
    expect(await groups()).to.deep.equal(['about: first ko, b en']);
  });

  it('belong to the member who claims their author', async () => {
    await importItems([text('a', 'ko', 'about'), text('b', 'en', 'about')]);
    const member = await buildMember(app.url);
    await app.database.sequelize.query(
      `insert into translation_groups (member_id, key) values (${member.id}, 'about')`,
    );
    const [author] = await rowsOf<{ id: number }>(app.database, `select id from members where nickname = 'Ann Lee'`);
    const { database } = app;
    const source = { config: { mail: null }, database, client: { address: '', device: '' }, viewer: null };
    await claimAuthor(source, { authorId: author?.id ?? 0, memberId: member.id });
    const [group] = await groups();
    expect(group).to.match(/^[0-9a-f-]{36}: a ko, b en$/);
    const owners = await rowsOf(app.database, 'select distinct member_id::int as id from translation_groups');
    expect(owners).to.deep.equal([{ id: member.id }]);
  });

  it('reads them from the front matter of Hugo', async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, 'content'));
    for (const [name, lang] of [
      ['one', 'en'],
      ['two', 'ko'],
    ] as const)
      await writeFile(
        join(folder, 'content', `${name}.md`),
        `---\ntitle: ${name}\nauthor: Ann\ndate: 2024-01-02\nlang: ${lang}\ntranslationKey: page\n---\nText\n`,
      );
    await writeFile(join(folder, 'hugo.toml'), 'title = "Site"\n');
    const { code, stdout, stderr } = await runDaybook(['import', folder], { DATABASE_URL: app.database.url });
    expect(code, stdout + stderr).to.equal(0);
    expect(await groups()).to.deep.equal(['page: one en, two ko']);
  });
});
