/** The job that removes images which no article has referred to for seven days. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildArticle, buildImage, useMember } from '../support/build.js';
import { call } from '../support/client.js';
import { rowsOf } from '../support/imported.js';
import { addJobs, runJobs, waitingJobs } from '../support/jobs.js';

const app = useApp();

describe('The removal of unreferenced images', () => {
  const member = useMember(app);
  const upload = () => buildImage(app.url, member);
  const age = (id: number, interval: string) =>
    app.database.sequelize.query(
      `update images set unreferenced_at = now() - interval '${interval}' where id = ${id} and unreferenced_at is not null`,
    );
  async function run(): Promise<void> {
    await addJobs(app.database, 'remove-unreferenced-images', [{}]);
    await runJobs(app);
  }
  const exists = async (id: number) => (await rowsOf(app.database, `select from images where id = ${id}`)).length === 1;
  const files = async (key: string) =>
    (await readdir(join(app.dataDir, 'images'))).filter((name) => name.startsWith(key));

  it('removes the row and all files after seven days', async () => {
    const { id, key } = await upload();
    await age(id, '6 days 23 hours');
    await run();
    expect([await exists(id), (await files(key)).length]).to.deep.equal([true, 2]);
    await age(id, '7 days 1 minute');
    await run();
    expect([await exists(id), await files(key)]).to.deep.equal([false, []]);
  });

  it('keeps an image that an article refers to, and counts from the last reference', async () => {
    const { id, key, url } = await upload();
    await age(id, '8 days');
    const article = await buildArticle(app.url, { content: `![](${url})` }, member);
    await run();
    expect(await exists(id)).to.equal(true);
    await call(app.url, `DELETE /api/articles/${article.id}`, { token: member.token });
    await run();
    expect([await exists(id), (await files(key)).length]).to.deep.equal([true, 2]);
  });

  it('keeps the files if the transaction of the removal fails, and removes them in the next run', async () => {
    const { id, key } = await upload();
    await age(id, '8 days');
    await app.database.sequelize.query(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused'; end $$`);
    await app.database.sequelize.query(
      'create constraint trigger refused after delete on images deferrable initially deferred for each row execute function refuse()',
    );
    try {
      await run();
    } finally {
      await app.database.sequelize.query('drop function refuse cascade');
    }
    expect([await exists(id), (await files(key)).length]).to.deep.equal([true, 2]);
    await app.database.sequelize.query('update graphile_worker._private_jobs set run_at = now()');
    await run();
    expect([await exists(id), await files(key)]).to.deep.equal([false, []]);
  });

  it('retries the removal of files that fails', async () => {
    const { id, key } = await upload();
    await age(id, '8 days');
    const { remove } = app.services.images;
    app.services.images.remove = () => Promise.reject(new Error('the store does not respond'));
    await run();
    app.services.images.remove = remove;
    expect([await exists(id), (await files(key)).length]).to.deep.equal([false, 2]);
    await app.database.sequelize.query('update graphile_worker._private_jobs set run_at = now()');
    await runJobs(app);
    expect(await files(key)).to.deep.equal([]);
  });

  it('keeps an image that is referenced again by a transaction that is open while the job runs', async () => {
    const { id, key, url } = await upload();
    const { id: articleId } = await buildArticle(app.url, {}, member);
    await age(id, '8 days');
    const transaction = await app.database.sequelize.transaction();
    await app.database.sequelize.query(`update articles set content = '![](${url})' where id = ${articleId}`, {
      transaction,
    });
    await run();
    await transaction.commit();
    await run();
    expect([await exists(id), (await files(key)).length]).to.deep.equal([true, 2]);
  });

  it('never removes the image of an article that is written at the same time', async function () {
    this.timeout(60_000);
    const { id: articleId } = await buildArticle(app.url, {}, member);
    for (let round = 0; round < 12; round++) {
      const { id, url } = await upload();
      await age(id, '8 days');
      const edit = call(app.url, `PUT /api/articles/${articleId}`, {
        token: member.token,
        json: { title: 't', content: `![](${url}) ${round}` },
      });
      await Promise.all([edit, run()]);
      const referenced = await rowsOf(app.database, `select from article_images where image_id = ${id}`);
      expect(referenced.length, `round ${round}`).to.equal((await exists(id)) ? 1 : 0);
      await call(app.url, `DELETE /api/images/${id}`, { token: member.token });
    }
    expect((await waitingJobs(app)).filter(({ lastError }) => lastError !== null)).to.deep.equal([]);
  });
});
