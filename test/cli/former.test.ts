/** Databases from before the first release: they are rejected unchanged, and their journals are moved by an export and an import. */
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { stateOf } from '../support/backup.js';
import { ROOT, runDaybook, startDaybook } from '../support/cli.js';
import { emptyDatabase, execute, freshDatabase } from '../support/database.js';
import { makeFolder } from '../support/folder.js';

const REASON =
  /has the schema of a version before the first release, which is not migrated\. Nothing was changed\. Export .* --markdown FOLDER --all.* Not carried over: /;

describe('A journal of a version before the first release', function () {
  this.timeout(60_000);

  it('is rejected by each command, with what to do, and does not change', async () => {
    const archive = join(await makeFolder(), 'backup.tar.gz');
    const current = { DATABASE_URL: await freshDatabase('daybook_current'), DATA_DIR: await makeFolder() };
    expect((await runDaybook(['backup', archive, '--without-secrets'], current)).code).to.equal(0);

    const DATABASE_URL = await freshDatabase('daybook_former');
    await execute(
      [
        "delete from migrations where name <> '0001'",
        "update migrations set name = '0001-journal'",
        "insert into migrations (name) values ('0002-accounts')",
        "insert into members (email, member_name, nickname) values ('a@private.test', 'Ada', 'ada')",
      ],
      DATABASE_URL,
    );
    const environment = { DATABASE_URL, DATA_DIR: await makeFolder(), PORT: '0' };
    const before = await stateOf(DATABASE_URL);
    for (const args of [
      ['start'],
      ['migrate'],
      ['migrate', '--dry-run'],
      ['doctor'],
      ['export'],
      ['import', join(ROOT, 'test/data/former')],
      ['backup', join(await makeFolder(), 'backup.tar.gz')],
      ['restore', archive],
    ]) {
      const isService = args[0] === 'start';
      const run = isService ? startDaybook(args, environment).result : runDaybook(args, environment);
      const { code, stdout, stderr } = await run;
      expect([code, stdout + stderr], args.join(' ')).to.satisfy(
        ([exit, output]: [number, string]) => exit === 1 && REASON.test(output),
        stdout + stderr,
      );
      expect(await stateOf(DATABASE_URL), args.join(' ')).to.deep.equal(before);
    }
  });

  it('is moved by its export, with texts, comments, drafts, series and authors', async () => {
    const DATABASE_URL = await emptyDatabase('daybook_moved');
    const folder = join(ROOT, 'test/data/former');
    const { code, stderr } = await runDaybook(['import', folder], { DATABASE_URL, DATA_DIR: await makeFolder() });
    expect(code, stderr).to.equal(0);
    const client = new pg.Client(DATABASE_URL);
    await client.connect();
    const select = async (sql: string) => (await client.query({ text: sql, rowMode: 'array' })).rows;
    try {
      expect(
        await select(
          `select a.title, a.slug, m.nickname, a.is_private, s.title from all_articles a join members m on m.id = a.member_id
           left join series s on s.id = a.series_id order by a.created_at`,
        ),
      ).to.deep.equal([
        ['Owls in the attic', 'owls-in-the-attic', 'ada', false, 'The attic'],
        ['다락방의 부엉이', '다락방의-부엉이', 'ben', false, null],
        ['What the owls eat', 'what-the-owls-eat', 'ada', true, null],
      ]);
      expect(
        await select(
          'select c.content, p.content from comments c left join comments p on p.id = c.parent_id order by c.id',
        ),
      ).to.deep.equal([
        ['Where do they sleep?', null],
        ['Behind the chimney.', 'Where do they sleep?'],
      ]);
      expect(await select('select title, tags from drafts')).to.deep.equal([['A third owl', ['owls']]]);
      expect(await select('select email, password_hash from members')).to.deep.equal([
        [null, null],
        [null, null],
      ]);
    } finally {
      await client.end();
    }
  });
});
