import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildArticle, buildComment } from '../support/build.js';
import { call } from '../support/client.js';
import { rowsOf } from '../support/imported.js';
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

  it('keeps the place of a comment with replies', async () => {
    const { id } = await buildArticle(app.url);
    const comment = await buildComment(app.url, id);
    const reply = await buildComment(app.url, id, { parentCommentId: comment.id });
    await remove(app, 'comment', comment.id);
    await ageRemovals(app, 31);
    await deleteRemoved();
    const [shown] = (await call(app.url, `GET /api/articles/${id}/comments`)).body?.data.contents ?? [];
    expect([shown.content, shown.replies[0].content]).to.deep.equal(['(deleted)', reply.content]);
  });
});
