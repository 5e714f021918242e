/** Many edits of one article, by two clients at the same time, while the job that thins revisions runs. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildArticle } from '../support/build.js';
import { call } from '../support/client.js';
import { rowsOf } from '../support/imported.js';
import { addJobs, runJobs } from '../support/jobs.js';

/** The job that thins revisions runs five times meanwhile, each time with twice as many revisions as it keeps. */
const EDITS = Number(process.env.EDITS ?? 1_000);
const KEPT = 50;

const app = useApp({ LIMIT_WRITES: '1000000/1h' });

describe(`${EDITS} edits of an article`, function () {
  this.timeout(1_800_000);

  it('keep the promised number of revisions, each of them once and with its content', async () => {
    const { id, author } = await buildArticle(app.url, { content: 'Edit 1', tags: ['first'] });
    const count = async () => {
      const [row] = await rowsOf<{ count: number }>(
        app.database,
        `select count(*) from article_revisions where article_id = ${id}`,
      );
      return row?.count ?? 0;
    };
    let version = 1;
    let maxCount = 0;
    const edit = async () => {
      while (version <= EDITS) {
        const number = ++version;
        const json = { title: 'Owls', content: `Edit ${number}` };
        const { status } = await call(app.url, `PUT /api/articles/${id}`, { token: author.token, json });
        expect(status).to.equal(200);
        if (number % 37 === 0) maxCount = Math.max(maxCount, await count());
        if (number % Math.ceil(EDITS / 5 - 1) === 0) {
          await addJobs(app.database, 'thin-revisions', [{}]);
          await runJobs(app);
        }
      }
    };
    await Promise.all([edit(), edit()]);
    const { body } = await call(app.url, `GET /api/articles/${id}/revisions?size=100`, author);
    const numbers: number[] = body?.data.contents.map(({ number }: { number: number }) => number);
    // The edits may take until the next day, of which one more is kept.
    expect(maxCount).to.be.within(KEPT, 2 * KEPT + 1);
    expect(numbers.slice(0, KEPT)).to.deep.equal(Array.from({ length: KEPT }, (_, index) => EDITS - index));
    expect(numbers.length).to.be.within(KEPT, 2 * KEPT + 1);
    const contents = await rowsOf<{ content: string }>(
      app.database,
      `select distinct content from article_revisions where article_id = ${id}`,
    );
    expect(contents).to.have.lengthOf(numbers.length);
  });
});
