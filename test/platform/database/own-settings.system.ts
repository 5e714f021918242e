/** Run-time parameters that an operator has set for the database: the service sets those that it depends on with each connection. */
import { expect } from 'chai';
import { openDatabase } from '../../../src/platform/database/pool.js';
import { statement } from '../../../src/platform/database/statement.js';
import { buildArticle, buildComment } from '../../support/build.js';
import { call } from '../../support/client.js';
import { execute, freshDatabase } from '../../support/database.js';
import { closeLiveClients, followEvents } from '../../support/live.js';
import { startService } from '../../support/process.js';
import { summaryOf } from '../../support/summaries.js';
import { until } from '../../support/until.js';

const FOREIGN_SETTINGS: Readonly<Record<string, string>> = {
  datestyle: 'German, DMY',
  intervalstyle: 'iso_8601',
  timezone: 'Asia/Seoul',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  array_nulls: 'off',
  standard_conforming_strings: 'off',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  work_mem: '64kB',
  random_page_cost: '4',
};

const OWN_SETTINGS = statement<[], Record<string, string>>(
  'own_settings',
  `select ${Object.keys(FOREIGN_SETTINGS)
    .map((name) => `current_setting('${name}') as "${name}"`)
    .join(', ')}, current_setting('transaction_isolation') as isolation`,
);

describe('Settings of the database', () => {
  afterEach(closeLiveClients);
  let url: string;
  before(async () => {
    url = await freshDatabase('foreign_settings');
    const name = new URL(url).pathname.slice(1);
    await execute(
      Object.entries(FOREIGN_SETTINGS).map(([key, value]) => `alter database ${name} set ${key} = '${value}'`),
    );
  });

  it('do not change those of the service, in and outside of transactions', async () => {
    const database = openDatabase(url, { poolSize: 1, statementTimeoutMs: 1_000 });
    const expected = {
      datestyle: 'ISO, DMY',
      intervalstyle: 'postgres',
      timezone: 'UTC',
      bytea_output: 'hex',
      extra_float_digits: '1',
      array_nulls: 'on',
      standard_conforming_strings: 'on',
      default_transaction_isolation: 'read committed',
      default_transaction_deferrable: 'off',
      work_mem: '32MB',
      random_page_cost: '1.1',
      isolation: 'read committed',
    };
    try {
      const inTransaction = database.transaction((db) => db.query(OWN_SETTINGS, []));
      for (const [settings] of [await database.query(OWN_SETTINGS, []), await inTransaction]) {
        expect(settings).to.deep.equal(expected);
      }
    } finally {
      await database.close();
    }
  });

  it('do not keep the service from migrations, reads, writes, jobs and streams', async () => {
    const service = await startService(url);
    try {
      const { id, author } = await buildArticle(service.url);
      const client = await followEvents(service.url, author.token);
      await Promise.all(Array.from({ length: 3 }, () => buildComment(service.url, id)));
      await client.count(3);
      await until(async () => (await summaryOf(service.url, id)).status === 'COMPLETED');
      const { status, body } = await call(service.url, `GET /api/articles/${id}/comments?size=50`);
      expect([status, body?.data.contents.length]).to.deep.equal([200, 3]);
      // Times of REST are in UTC, without a time zone.
      const written = Date.parse(`${body?.data.contents[0].createdAt}Z`);
      expect(Math.abs(Date.now() - written), 'age in milliseconds').to.be.below(600_000);
    } finally {
      await service.stop();
    }
  });
});
