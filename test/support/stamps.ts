/** All public GET endpoints, and aging of timestamps for validators. */
import { expect } from 'chai';
import type { Database } from '../../src/platform/database/pool.js';
import type { TestApp } from './app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember } from './build.js';
import { send } from './request.js';
import { buildSeries } from './series.js';

export interface Sample {
  articleId: number;
  commentId: number;
  memberId: number;
  seriesId: number;
  tag: string;
  /** Of the article. */
  slug: string;
  /** Of the member. */
  nickname: string;
}

/** The ids in a journal that was empty before. */
export const SAMPLE: Sample = {
  articleId: 1,
  commentId: 1,
  memberId: 1,
  seriesId: 1,
  tag: 'sea',
  slug: 'owls',
  nickname: 'keeper',
};

/** Creates SAMPLE and a reply to the comment, 10 seconds in the past. @returns their author */
export async function buildSample({ url, database }: TestApp): Promise<BuiltMember> {
  const author = await buildMember(url, { nickname: SAMPLE.nickname });
  const article = await buildArticle(url, { title: 'Owls', tags: [SAMPLE.tag], content: 'By the sea' }, author);
  const comment = await buildComment(url, article.id, {}, author);
  await buildComment(url, article.id, { parentCommentId: comment.id }, author);
  const series = await buildSeries(url, author, [article]);
  expect([author.id, article.id, comment.id, series]).to.deep.equal([
    SAMPLE.memberId,
    SAMPLE.articleId,
    SAMPLE.commentId,
    SAMPLE.seriesId,
  ]);
  await ageStamps(database);
  return author;
}

/** Those of `publicAddresses` that ignore tokens. */
export const TOKENLESS = /^\/(?:sitemap|llms|articles)/;

/** Paths of each public GET endpoint, each kind of feed, the sitemap, and the files for language models. */
export function publicAddresses({ articleId, commentId, memberId, seriesId, tag, slug, nickname }: Sample): string[] {
  return [
    '/api/articles',
    `/api/articles?tag=${tag}&size=2&sort=commentCount,desc`,
    `/api/articles?keyword=${tag}`,
    `/api/articles?memberId=${memberId}`,
    '/api/articles?sort=likeCount,desc',
    '/api/articles?sort=viewCount,desc&period=week',
    '/api/articles/archive',
    `/api/articles/archive?memberId=${memberId}`,
    `/api/articles/${articleId}`,
    `/api/articles/by-slug/${slug}`,
    `/api/articles/${articleId}/rendered`,
    `/api/articles/${articleId}/markdown`,
    `/api/articles/${articleId}/neighbors`,
    `/api/articles/${articleId}/related`,
    `/api/articles/${articleId}/summary`,
    `/api/articles/${articleId}/comments?size=3`,
    `/api/comments/${commentId}`,
    `/api/comments/${commentId}/replies`,
    `/api/members/${memberId}`,
    `/api/members/by-nickname/${nickname}`,
    `/api/members/${memberId}/categories`,
    `/api/members/${memberId}/series`,
    `/api/series/${seriesId}?size=2`,
    '/api/tags?size=5',
    `/api/tags?memberId=${memberId}`,
    '/feed.xml',
    `/members/${memberId}/feed.atom`,
    `/tags/${tag}/feed.json`,
    '/sitemap.xml',
    `/articles/${slug}.md`,
    '/llms.txt',
  ];
}

/** Moves every timestamp 10 seconds into the past. */
export async function ageStamps(database: Database): Promise<void> {
  await database.sequelize.transaction(async (transaction) => {
    const run = (sql: string) => database.sequelize.query(sql, { transaction });
    // Disables the triggers that would set the timestamps to the current time.
    await run('set local session_replication_role = replica');
    const earlier = (column: string) => `${column} = ${column} - interval '10 seconds'`;
    await run(`update articles set ${earlier('revised_at')}, ${earlier('discussed_at')}`);
    await run(`update article_counts set ${earlier('changed_at')}`);
    await run(`update member_counts set ${earlier('profile_changed_at')}`);
    await run(`update article_summaries set ${earlier('changed_at')}`);
    await run(`update journal_stamps set ${earlier('changed_at')}`);
    await run(`update name_stamps set ${earlier('changed_at')}`);
  });
}

export interface Copy {
  status: number;
  etag: string | null;
  lastModified: string | null;
  body: string;
  headers: Headers;
}

export async function fetchCopy(address: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Copy> {
  const sent = { 'Accept-Encoding': 'gzip', ...headers };
  const { status, headers: received, text } = await send(address, method, sent);
  return {
    status,
    etag: received.get('ETag'),
    lastModified: received.get('Last-Modified'),
    body: text,
    headers: received,
  };
}
