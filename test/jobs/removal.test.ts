import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildArticle, buildComment } from '../support/build.js';
import { call } from '../support/client.js';
import { buildDecision } from '../support/decisions.js';
import { rowsOf } from '../support/imported.js';
import { interleave } from '../support/interleave.js';
import { addJobs, runJobs } from '../support/jobs.js';
import { ageRemovals, remove, restore } from '../support/removal.js';

const app = useApp();

async function deleteRemoved(): Promise<void> {
  await addJobs(app.database, 'delete-removed', [{}]);
  await runJobs(app);
}

const countOf = async (table: string, id: number) =>
  (await rowsOf(app.database, `select id from ${table} where id = ${id}`)).length;

describe('The job delete-removed', () => {
  it('deletes articles and comments that were removed 30 days ago, and no others', async () => {
    const [due, kept] = [await buildArticle(app.url), await buildArticle(app.url)];
    const comment = await buildComment(app.url, kept.id);
    const other = await buildComment(app.url, kept.id);
    for (const { id } of [due, kept]) await remove(app, 'article', id);
    for (const { id } of [comment, other]) await remove(app, 'comment', id);
    await ageRemovals(app, 29.99);
    await deleteRemoved();
    expect([await countOf('all_articles', due.id), await countOf('comments', comment.id)]).to.deep.equal([1, 1]);
    await restore(app, 'article', kept.id);
    await restore(app, 'comment', other.id);
    await ageRemovals(app, 0.02);
    await deleteRemoved();
    expect([await countOf('all_articles', due.id), await countOf('comments', comment.id)]).to.deep.equal([0, 0]);
    expect([await countOf('all_articles', kept.id), await countOf('comments', other.id)]).to.deep.equal([1, 1]);
    expect((await call(app.url, `GET /api/articles/${kept.id}`)).body?.data.commentCount).to.equal(1);
  });

  it('keeps what an appeal is about until the appeal is decided', async () => {
    const article = await buildArticle(app.url);
    const comment = await buildComment(app.url, (await buildArticle(app.url)).id);
    await remove(app, 'article', article.id);
    await remove(app, 'comment', comment.id);
    await app.database.sequelize.query(`
      with d as (
        insert into decisions (member_id, article_id, comment_id, action, rule, statement, note)
        values (${article.author.id}, ${article.id}, null, 'REMOVE', '', 'Libel', ''), (${comment.author.id}, null, ${comment.id}, 'REMOVE', '', 'Threat', '')
        returning id)
      insert into appeals (decision_id, text) select id, 'Quoted only' from d`);
    await ageRemovals(app, 31);
    await deleteRemoved();
    expect([await countOf('all_articles', article.id), await countOf('comments', comment.id)]).to.deep.equal([1, 1]);
    await app.database.sequelize.query(`
      with upheld as (
        insert into decisions (action, appeal_of, rule, statement, note) select 'UPHOLD', decision_id, '', '', '' from appeals returning id, appeal_of)
      update appeals p set answer_id = u.id from upheld u where u.appeal_of = p.decision_id`);
    await deleteRemoved();
    expect([await countOf('all_articles', article.id), await countOf('comments', comment.id)]).to.deep.equal([0, 0]);
  });

  it('keeps what is appealed while the job waits for it', async () => {
    const article = await buildArticle(app.url);
    const decision = await buildDecision(app, { action: 'REMOVE', memberId: article.author.id, articleId: article.id });
    await remove(app, 'article', article.id);
    await ageRemovals(app, 31);
    await interleave(app, {
      lock: `select from all_articles where id = ${article.id} for share`,
      request: deleteRemoved,
      change: `insert into appeals (decision_id, text) values (${decision}, 'Quoted only')`,
    });
    expect(await countOf('all_articles', article.id)).to.equal(1);
  });

  it('is done before an appeal that waits for it, which finds nothing to restore', async () => {
    const article = await buildArticle(app.url);
    const decision = await buildDecision(app, { action: 'REMOVE', memberId: article.author.id, articleId: article.id });
    const { status } = await interleave(app, {
      lock: `select from all_articles where id = ${article.id} for update`,
      request: () =>
        call(app.url, `POST /api/decisions/${decision}/appeal`, {
          token: article.author.token,
          json: { text: 'Quoted only' },
        }),
      change: `delete from all_articles where id = ${article.id}`,
    });
    expect(status).to.equal(201);
  });

  it('keeps the place of a comment with replies', async () => {
    const { id } = await buildArticle(app.url);
    const comment = await buildComment(app.url, id);
    const reply = await buildComment(app.url, id, { parentCommentId: comment.id });
    await remove(app, 'comment', comment.id);
    await ageRemovals(app, 31);
    await deleteRemoved();
    const [shown] = (await call(app.url, `GET /api/articles/${id}/comments`)).body?.data.contents ?? [];
    expect([shown.content, shown.replies[0].content]).to.deep.equal(['(deleted)', reply.content]);
    // Further runs do not find it.
    expect(await rowsOf(app.database, 'select from comments where removed_at is not null')).to.deep.equal([]);
  });
});
