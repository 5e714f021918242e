/** `import --update`: imported articles get the newly converted content, unless they were edited. */
import { expect } from 'chai';
import type { LoadOptions } from '../../src/import/load.js';
import { useApp } from '../support/app.js';
import { call } from '../support/client.js';
import { testDatabase } from '../support/database.js';
import { articleOf, load, rowsOf } from '../support/imported.js';
import { FOOT, HEAD, item, useFiles } from '../support/wordpress.js';

const app = useApp();
const fileOf = useFiles();
const EDITED = 'articles that were edited in the journal: --update leaves them';
const AGAIN = 'articles whose content was converted again (--update)';

const post = (id: number, content: string) =>
  item(id, { content: `<![CDATA[${content}]]>`, xml: `<link>https://made.example/?p=${id}</link>` });
const exportOf = (...contents: string[]) =>
  fileOf(HEAD + contents.map((content, at) => post(at + 1, content)).join('') + FOOT);
const update = async (path: string, options: LoadOptions = {}) =>
  load(app.database, path, { isUpdate: true, ...options });
const resultsOf = (report: Awaited<ReturnType<typeof load>>) => JSON.parse(JSON.stringify(report)).results;
/** As a version with another converter would have written it. */
const rewrite = (key: number, content: string) =>
  app.database.sequelize.query(`update all_articles set content = '${content}', revision = 1 where id =
    (select row_id from imported_records where kind = 'article' and key = '${key}');
    update imported_records r set revision = a.revision from all_articles a where r.kind = 'article' and r.key = '${key}' and a.id = r.row_id`);
const revisionsOf = async (key: number) =>
  (
    await rowsOf<{ revision: number; imported: number }>(
      app.database,
      `select a.revision, r.revision as imported from imported_records r join all_articles a on a.id = r.row_id where r.kind = 'article' and r.key = '${key}'`,
    )
  )[0];

describe('import --update', () => {
  beforeEach(testDatabase);

  it('replaces contents that were not edited, and leaves those that were', async () => {
    await load(app.database, await exportOf('<p>Old one</p>', '<p>Old two</p>', '<p>Same</p>'));
    const before = await articleOf(app.database, 1);
    await app.database.sequelize.query(`update articles set content = 'Edited' where content like '%Old two%'`);
    const later = await exportOf('<p>New one</p>', '<p>New two</p>', '<p>Same</p>', '<p>Added</p>');
    const dry = await update(later, { isDryRun: true });
    expect((await articleOf(app.database, 1)).content).to.equal(before.content);
    const report = await update(later);
    expect((await articleOf(app.database, 1)).content).to.include('New one');
    expect((await articleOf(app.database, 2)).content).to.equal('Edited');
    expect(await articleOf(app.database, 1)).to.include({
      title: before.title,
      created: before.created,
      updated: before.updated,
    });
    for (const each of [dry, report]) {
      expect(resultsOf(each)).to.deep.include({ created: 1, updated: 1, unchanged: 2 });
      expect([each.counts('skipped'), each.counts('changed')]).to.deep.equal([{ [EDITED]: 1 }, { [AGAIN]: 1 }]);
    }
    const { data } = (await call(app.url, `GET /api/articles/${before.id}`)).body ?? {};
    expect(data?.content).to.include('New one');
  });

  it('writes nothing where the content is the same, and without the option', async () => {
    const path = await exportOf('<p>One</p>');
    await load(app.database, path);
    expect(await revisionsOf(1)).to.deep.equal({ revision: 1, imported: 1 });
    const report = await update(path);
    expect(resultsOf(report)).to.deep.include({ updated: 0, unchanged: 1 });
    expect(await revisionsOf(1)).to.deep.equal({ revision: 1, imported: 1 });
    await load(app.database, await exportOf('<p>Two</p>'));
    expect((await articleOf(app.database, 1)).content).to.include('One');
  });

  it('replaces a content again that an update or the links of an import have changed before', async () => {
    const contents = (text: string) => exportOf(`<p>${text} <a href="https://made.example/?p=2">b</a></p>`, '<p>b</p>');
    const articleUrl = 'https://new.example/{id}';
    await load(app.database, await contents('One'), { articleUrl });
    expect(await revisionsOf(1)).to.deep.equal({ revision: 2, imported: 2 });
    const { content } = await articleOf(app.database, 1);
    expect(content).to.include('https://new.example/');
    expect(resultsOf(await update(await contents('One'), { articleUrl }))).to.deep.include({ updated: 0 });
    const without = await update(await contents('Two'));
    expect(without.counts('skipped')).to.include.keys(
      'articles whose links lead to new pages: set ARTICLE_URL, and run the update again',
    );
    for (const text of ['Two', 'Three']) {
      expect(resultsOf(await update(await contents(text), { articleUrl }))).to.deep.include({ updated: 1 });
      expect((await articleOf(app.database, 1)).content)
        .to.include(text)
        .and.include('https://new.example/');
    }
    expect(await revisionsOf(1)).to.deep.equal({ revision: 4, imported: 4 });
  });

  it('updates records of imports before revisions were stored, and private articles', async () => {
    const one = HEAD + item(1, { content: 'One' }).replace('publish', 'private') + FOOT;
    await load(app.database, await fileOf(one));
    await rewrite(1, 'Converted by an earlier version');
    await update(await fileOf(one));
    const [row] = await rowsOf<{ content: string }>(app.database, 'select content from all_articles');
    expect(row?.content).to.include('One');
  });

  it('leaves an article that is edited between the comparison and the write', async () => {
    await load(app.database, await exportOf('<p>One</p>'));
    await app.database.sequelize.query(`create function edit_first() returns trigger language plpgsql as $$ begin
      if pg_trigger_depth() = 1 and current_setting('test.edited', true) is distinct from 'yes' and new.content like '%Two%' then return null; end if;
      return new; end $$; create trigger edit_first before update on all_articles for each row execute function edit_first()`);
    try {
      const report = await update(await exportOf('<p>Two</p>'));
      expect(report.counts('skipped')).to.deep.equal({
        'articles that were edited meanwhile: run the import again': 1,
      });
      expect((await articleOf(app.database, 1)).content).to.include('One');
    } finally {
      await app.database.sequelize.query('drop trigger edit_first on all_articles; drop function edit_first()');
    }
  });
});
