/** Writes whose transaction is committed just before the database becomes unreachable: their responses need no further statement. */
import { expect } from 'chai';
import { SERVICE_CLIENT } from '../../src/platform/database/connection-shares.js';
import type { Database } from '../../src/platform/database/pool.js';
import { useApp } from '../support/app.js';
import { buildArticle, buildComment, buildMember } from '../support/build.js';
import { call, graphql } from '../support/client.js';
import { testDatabase } from '../support/database.js';
import { describeFault } from '../support/faults.js';

let real: Database;
/** Whether the database becomes unreachable with the next commit. */
let isDoomed = false;
let isLost = false;

/** The database of the tests, which rejects every statement outside of a transaction after the commit. */
const faulty: Database = {
  get url() {
    return real.url;
  },
  get sequelize() {
    return real.sequelize;
  },
  isTransaction: false,
  query: async (statement, values) => {
    if (isLost) throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
    return real.query(statement, values);
  },
  change: async (statement, values) => {
    const rows = await real.change(statement, values);
    // A single statement is a transaction of its own.
    isLost = isDoomed;
    return rows;
  },
  transaction: async (work) => {
    const result = await real.transaction(work);
    isLost = isDoomed;
    return result;
  },
  begin: async (work) => {
    const open = await real.begin(work);
    const commit = async () => {
      await open.commit();
      isLost = isDoomed;
    };
    return { ...open, commit };
  },
  beginSnapshot: () => real.beginSnapshot(),
  now: () => real.now(),
  close: async () => {},
  poolState: () => real.poolState(),
  client: SERVICE_CLIENT,
  forClient: () => faulty,
  queues: () => [],
};

describeFault('commit-response', (measured) => {
  before(async () => {
    real = await testDatabase();
  });
  const app = useApp({}, { database: faulty });

  /** Runs the request on a database that becomes unreachable with its commit. */
  async function doomed<Response>(request: () => Promise<Response>): Promise<Response> {
    isDoomed = true;
    try {
      const response = await request();
      expect(isLost, 'the request committed a transaction').to.equal(true);
      return response;
    } finally {
      isDoomed = false;
      isLost = false;
    }
  }

  it('is reported as done over REST, with its result', async () => {
    const { id, author } = await buildArticle(app.url);
    const comment = await buildComment(app.url, id, {}, author);
    const { token } = author;
    const article = { title: 'Tide', content: 'The tide is out.', tags: ['sea'] };
    const requests: [target: string, json: object | undefined, status: number, field: string][] = [
      ['POST /api/articles', article, 201, 'content'],
      [`PUT /api/articles/${id}`, article, 200, 'content'],
      [`POST /api/articles/${id}/comments`, { content: 'Calm.' }, 201, 'content'],
      [`PATCH /api/comments/${comment.id}`, { content: 'Rough.' }, 200, 'content'],
      ['PATCH /api/members/me', { bio: 'At sea.' }, 204, ''],
      ['POST /api/categories', { categoryName: 'Sea' }, 201, 'categoryName'],
      ['PUT /api/notifications/read', undefined, 200, ''],
      [`DELETE /api/comments/${comment.id}`, undefined, 200, ''],
      [`DELETE /api/articles/${id}`, undefined, 200, ''],
    ];
    for (const [target, json, status, field] of requests) {
      const response = await doomed(() => call(app.url, target, { token, ...(json && { json }) }));
      expect(response.status, `${target} ${JSON.stringify(response.body)}`).to.equal(status);
      if (field) expect(response.body?.data[field], target).to.equal((json as Record<string, unknown>)[field]);
    }
    measured(`${requests.length} of ${requests.length} kinds of writes reported as done`);
  });

  it('is reported as done over GraphQL, with the selected parts that are in other tables', async () => {
    const { token } = await buildMember(app.url);
    const mutation = `mutation { createArticle(input: { title: "Tide", content: "**Out**" }) {
      title contentHtml summaryStatus aiTags authorName categoryName tags } }`;
    const { data, errors } = await doomed(() => graphql(app.url, mutation, {}, token));
    expect(errors).to.equal(undefined);
    expect(data.createArticle).to.include({ title: 'Tide', summaryStatus: 'PENDING' });
    expect(data.createArticle.contentHtml).to.contain('<strong>Out</strong>');
  });
});
