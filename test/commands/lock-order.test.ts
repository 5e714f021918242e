/** Commands of comments beside the end of their article: rows are locked in one order (docs/decisions/lock-order.md). */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import {
  type BuiltArticle,
  type BuiltComment,
  type BuiltMember,
  buildArticle,
  buildComment,
  buildMember,
} from '../support/build.js';
import { call } from '../support/client.js';
import { buildHeldComment, edit, setApproval } from '../support/held.js';
import { rowsOf } from '../support/imported.js';
import { countDeadlocksOf, untilWaiting } from '../support/interleave.js';
import { runJobs } from '../support/jobs.js';
import { decide, REASONS } from '../support/moderation.js';
import { DIFFERENCES, withdraw } from '../support/reactions.js';
import { buildWithRole } from '../support/roles.js';

const app = useApp({ LIMIT_WRITES: '1000000/1m' });

/** By the author of the article, whose changes a process makes one after the other. */
const HIDDEN = 'is hidden';
const BY_OPERATOR = 'its deletion by an operator';

type Send = () => Promise<{ status: number; body: unknown }>;

describe('A comment whose article ends at the same time', () => {
  let article: BuiltArticle;
  let comment: BuiltComment;
  let reply: BuiltComment;
  let held: BuiltComment;
  let moderator: BuiltMember;
  beforeEach(async () => {
    article = await buildArticle(app.url);
    comment = await buildComment(app.url, article.id);
    reply = await buildComment(app.url, article.id, { parentCommentId: comment.id });
    held = await buildHeldComment(app.url, article.id);
    moderator = await buildWithRole(app, 'MODERATOR');
  });

  const create = async (fields: object) => {
    const { token } = await buildMember(app.url);
    return () =>
      call(app.url, `POST /api/articles/${article.id}/comments`, { token, json: { content: 'Text', ...fields } });
  };
  const remove = ({ id, author: { token } }: BuiltComment) => call(app.url, `DELETE /api/comments/${id}`, { token });

  const commands: Record<string, () => Send | Promise<Send>> = {
    'is created': () => create({}),
    'is created as a reply': () => create({ parentCommentId: comment.id }),
    'is edited': () => () => edit(app.url, comment, 'Other words'),
    'is edited, and mentions the author of the article': () => () =>
      edit(app.url, comment, `@[${article.author.nickname}]`),
    'is deleted': () => () => remove(reply),
    'is deleted, and leaves its place': () => () => remove(comment),
    [HIDDEN]: () => () =>
      call(app.url, `PUT /api/comments/${reply.id}/hidden`, { token: article.author.token, json: { hidden: true } }),
    'is approved': () => () => setApproval(app.url, held.id, true, moderator),
    'is approved by a decision': () => () => decide(app.url, moderator, { commentId: held.id, action: 'APPROVE' }),
    'is removed by a decision': () => () =>
      decide(app.url, moderator, { commentId: reply.id, action: 'REMOVE', ...REASONS }),
  };
  const ends: Record<string, Send> = {
    'its deletion': () => call(app.url, `DELETE /api/articles/${article.id}`, { token: article.author.token }),
    [BY_OPERATOR]: async () => {
      await app.database.sequelize.query(`delete from all_articles where id = ${article.id}`);
      return { status: 200, body: null };
    },
    'the withdrawal of its author': () => withdraw(app.url, article.author),
  };

  for (const [ending, end] of Object.entries(ends))
    for (const [name, prepare] of Object.entries(commands)) {
      if (name === HIDDEN && ending !== BY_OPERATOR) continue;
      it(`${name} beside ${ending} without a deadlock`, async () => {
        const send = await prepare();
        const before = await countDeadlocksOf('');
        let responses: Promise<{ status: number; body: unknown }[]> | undefined;
        // Both have taken their first locks, and wait for the article.
        await app.database.sequelize.transaction(async (transaction) => {
          await app.database.sequelize.query(`select from all_articles where id = ${article.id} for no key update`, {
            transaction,
          });
          const ended = end();
          await untilWaiting(app.database, 1);
          responses = Promise.all([ended, send()]);
          await untilWaiting(app.database, 2);
        });
        const [ended, changed] = (await responses) ?? [];
        expect(ended?.status, JSON.stringify(ended?.body)).to.equal(200);
        expect(changed?.status, JSON.stringify(changed?.body)).to.be.oneOf([200, 201, 404]);
        expect(await countDeadlocksOf('')).to.equal(before);
        await runJobs(app);
        expect(await rowsOf(app.database, 'select from comments')).to.deep.equal([]);
        expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
      });
    }

  it('is left without an author beside its deletion without a deadlock', async () => {
    // A place of a held comment, whose end changes the stamp of the article.
    const { token } = comment.author;
    const content = 'https://a.test https://b.test www.c.test d.com';
    await call(app.url, `PATCH /api/comments/${comment.id}`, { token, json: { content } });
    const before = await countDeadlocksOf('');
    let responses: Promise<{ status: number }[]> | undefined;
    await app.database.sequelize.transaction(async (transaction) => {
      await app.database.sequelize.query(`select from all_articles where id = ${article.id} for no key update`, {
        transaction,
      });
      const ended = call(app.url, `DELETE /api/articles/${article.id}`, { token: article.author.token });
      await untilWaiting(app.database, 1);
      responses = Promise.all([ended, withdraw(app.url, comment.author)]);
      await untilWaiting(app.database, 2);
    });
    expect((await responses)?.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(await countDeadlocksOf('')).to.equal(before);
    expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
  });
});
