/** One write for each kind of change of publicly visible data, through the API where it supports the change. */
import { expect } from 'chai';
import { sqlState } from '../../src/platform/database/pool.js';
import type { TestApp } from './app.js';
import {
  type BuiltArticle,
  type BuiltComment,
  type BuiltMember,
  buildArticle,
  buildComment,
  buildMember,
} from './build.js';
import { call, type RequestOptions } from './client.js';
import { flat } from './images.js';
import { filePart, multipart, requestPart } from './multipart.js';

/** The objects of the writes. Deleted objects are removed from it. */
export interface Journal {
  members: BuiltMember[];
  articles: BuiltArticle[];
  comments: (BuiltComment & { articleId: number; parentId: number | null })[];
}

/** Makes one change. @param pick returns any element, or undefined for an empty array */
type Write = (app: TestApp, journal: Journal, pick: <T>(from: readonly T[]) => T | undefined) => Promise<void>;

let count = 0;
const TAG = 'sea';

export const WRITES: Record<string, Write> = {
  'an article is written': async ({ url }, journal, pick) => {
    const author = pick(journal.members);
    if (author) journal.articles.push(await buildArticle(url, { tags: [TAG, `tag ${count++}`] }, author));
  },
  'an article without tags is written': async ({ url }, journal, pick) => {
    const author = pick(journal.members);
    if (author) journal.articles.push(await buildArticle(url, {}, author));
  },
  'an article is edited': async (app, journal, pick) => editArticle(app, pick(journal.articles), {}),
  'an article gets other tags': async (app, journal, pick) =>
    editArticle(app, pick(journal.articles), { tags: count++ % 2 === 0 ? ['land'] : ['land', TAG] }),
  'the tags of an article are deleted by hand': async ({ database }, journal, pick) =>
    sql(database, `delete from article_tags where article_id = ${pick(journal.articles)?.id ?? 0}`),
  'a tag of an article is added by hand': async ({ database }, journal, pick) => {
    const id = pick(journal.articles)?.id ?? 0;
    const spare = `select from article_tags x where x.article_id = a.id and (x.tag_id = t.id or x.position = 9)`;
    await sql(
      database,
      `insert into article_tags (article_id, position, tag_id)
       select a.id, 9, t.id from articles a, tags t where a.id = ${id} and not exists (${spare}) limit 1`,
    );
  },
  'an article gets another image': async ({ url }, journal, pick) => {
    const article = pick(journal.articles);
    if (!article) return;
    const png = await flat(4, 4).png().toBuffer();
    const parts = multipart([requestPart({ title: 'Pictured', content: TAG }), filePart(png)]);
    await write(url, `PUT /api/articles/${article.id}`, { ...parts, token: article.author.token });
  },
  'an article is liked': async ({ url }, journal, pick) => {
    const [article, member] = [pick(journal.articles), pick(journal.members)];
    if (article && member) await write(url, `PUT /api/articles/${article.id}/like`, { token: member.token });
  },
  'a like is removed': async ({ database }, _journal, _pick) => sql(database, 'delete from reactions'),
  'a member is followed': async ({ url }, journal, pick) => {
    const [followed, member] = [pick(journal.articles)?.author, pick(journal.members)];
    if (!followed || !member || followed.id === member.id) return;
    await write(url, `PUT /api/members/${followed.id}/follow`, { token: member.token });
  },
  'follows end': async ({ database }, _journal, _pick) => sql(database, 'delete from follows'),
  'a series is written': async ({ url }, journal, pick) => {
    const author = pick(journal.articles)?.author;
    if (!author) return;
    const articleIds = journal.articles.flatMap((article) => (article.author === author ? article.id : []));
    await write(url, 'POST /api/series', { token: author.token, json: { title: `Series ${count++}`, articleIds } });
  },
  'a series gets another title by hand': async ({ database }) =>
    sql(database, `update series set title = 'Titled ${count++}'`),
  'an article leaves its series by hand': async ({ database }, journal, pick) =>
    sql(
      database,
      `update articles set series_id = null, series_position = null where id = ${pick(journal.articles)?.id ?? 0}`,
    ),
  'the series end': async ({ database }, _journal, _pick) => sql(database, 'delete from series'),
  'an article is deleted': async ({ url }, journal, pick) => {
    const article = journal.articles.length > 4 ? pick(journal.articles) : undefined;
    if (!article) return;
    journal.articles.splice(journal.articles.indexOf(article), 1);
    await write(url, `DELETE /api/articles/${article.id}`, { token: article.author.token });
  },
  'the summary column of an article is set by hand': async ({ database }, journal, pick) => {
    const article = pick(journal.articles);
    await sql(database, `update articles set ai_summary = 'Sum ${count++}' where id = ${article?.id ?? 0}`);
  },
  'the status of a summary changes': async ({ database }, journal, pick) =>
    sql(
      database,
      `insert into article_summaries (article_id, status) select id, 'PROCESSING' from articles where id = ${pick(journal.articles)?.id ?? 0}
       on conflict (article_id) do update set revision = article_summaries.revision + 1, status = 'FAILED'`,
    ),
  'a comment is written': async ({ url }, journal, pick) => {
    const [author, article] = [pick(journal.members), pick(journal.articles)];
    if (!author || !article) return;
    const comment = await attempt(() => buildComment(url, article.id, {}, author));
    if (comment) journal.comments.push({ ...comment, articleId: article.id, parentId: null });
  },
  'a reply is written': async ({ url }, journal, pick) => {
    const parent = pick(journal.comments.filter(({ parentId }) => parentId === null));
    const author = pick(journal.members);
    if (!author || !parent) return;
    const { articleId, id } = parent;
    const reply = await attempt(() => buildComment(url, articleId, { parentCommentId: id }, author));
    if (reply) journal.comments.push({ ...reply, articleId, parentId: id });
  },
  'a comment is reworded': async ({ url }, journal, pick) => {
    const comment = pick(journal.comments);
    if (!comment) return;
    const options = { token: comment.author.token, json: { content: `Words ${count++}` } };
    await write(url, `PATCH /api/comments/${comment.id}`, options);
  },
  'a comment is hidden, or shown again': async ({ url }, journal, pick) => {
    const comment = pick(journal.comments);
    const article = journal.articles.find(({ id }) => id === comment?.articleId);
    if (!comment || !article) return;
    const options = { token: article.author.token, json: { hidden: count++ % 3 !== 0 } };
    await write(url, `PUT /api/comments/${comment.id}/hidden`, options);
  },
  'a comment is deleted': async ({ url }, journal, pick) => {
    const comment = journal.comments.length > 3 ? pick(journal.comments) : undefined;
    if (!comment) return;
    journal.comments.splice(journal.comments.indexOf(comment), 1);
    await write(url, `DELETE /api/comments/${comment.id}`, { token: comment.author.token });
  },
  'a comment with a reply is deleted, which leaves a placeholder': async ({ url }, journal, pick) => {
    const parent = pick(journal.comments.filter(({ id }) => journal.comments.some(({ parentId }) => parentId === id)));
    if (!parent) return;
    journal.comments.splice(journal.comments.indexOf(parent), 1);
    await write(url, `DELETE /api/comments/${parent.id}`, { token: parent.author.token });
  },
  'a number of comments is corrected by hand': async ({ database }, journal, pick) =>
    sql(
      database,
      `update articles set comment_count = comment_count + 7 where id = ${pick(journal.articles)?.id ?? 0}`,
    ),
  'a member takes another nickname': async ({ url }, journal, pick) => {
    const member = pick(journal.members);
    if (!member) return;
    await write(url, 'PATCH /api/members/me', { token: member.token, json: { nickname: `Name ${count++}` } });
  },
  'a category gets another name': async ({ database }, journal, pick) => {
    const id = pick(journal.members)?.id ?? 0;
    await sql(database, `update categories set name = 'Shelf ${count++}' where member_id = ${id} and is_default`);
  },
  'a category is deleted, and its articles move': async ({ url }, journal, pick) => {
    const article = pick(journal.articles);
    if (!article) return;
    const { token } = article.author;
    const name = `Shelf ${count++}`;
    const made = await write(url, 'POST /api/categories', { token, json: { categoryName: name } });
    await write(url, `PUT /api/articles/${article.id}`, {
      token,
      json: { title: 'Moved', content: TAG, category: name },
    });
    await write(url, `DELETE /api/categories/${made?.id ?? 0}`, { token });
  },
  'a tag gets another name': async ({ database }) =>
    sql(
      database,
      `update tags set name = 'tag! ${count++}' where id = (select max(id) from tags where name like 'tag%')`,
    ),
  'a member withdraws': async ({ url }, journal, pick) => {
    const member = journal.members.length > 3 ? pick(journal.members.slice(1)) : undefined;
    if (!member) return;
    leave(journal, member);
    await write(url, 'DELETE /api/members/me', { token: member.token, json: { password: member.password } });
    journal.members.push(await buildMember(url));
  },
};

function leave(journal: Journal, member: BuiltMember): void {
  const stays = ({ author }: { author: BuiltMember }) => author !== member;
  journal.members = journal.members.filter((other) => other !== member);
  const removed = new Set(journal.articles.filter((article) => !stays(article)).map(({ id }) => id));
  journal.articles = journal.articles.filter(stays);
  journal.comments = journal.comments.filter((comment) => stays(comment) && !removed.has(comment.articleId));
}

async function editArticle({ url }: TestApp, article: BuiltArticle | undefined, fields: object): Promise<void> {
  if (!article) return;
  const json = { title: `Edit ${count++}`, content: `${TAG} ${count}`, ...fields };
  await write(url, `PUT /api/articles/${article.id}`, { token: article.author.token, json });
}

/** Accepts 4xx statuses of objects that a concurrent write has deleted. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check the content of the response.
async function write(url: string, target: string, options: RequestOptions): Promise<any> {
  const { status, body } = await call(url, target, options);
  expect(status, `${target}: ${JSON.stringify(body)}`).to.be.oneOf([200, 201, 204, 401, 403, 404, 409]);
  return body?.data;
}

async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  return work().catch(() => undefined);
}

/** Foreign key and unique violations, caused by concurrent writes. */
const TOO_LATE = ['23503', '23505'];

/** Retries after a deadlock, like the writes of the service. */
async function sql(database: TestApp['database'], text: string): Promise<void> {
  try {
    await database.sequelize.transaction((transaction) => database.sequelize.query(text, { transaction }));
  } catch (error) {
    if (!TOO_LATE.includes(sqlState(error) ?? '')) throw error;
  }
}
