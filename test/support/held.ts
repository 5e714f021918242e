/** Comments that wait for approval, and who approves them. */
import { expect } from 'chai';
import type { TestApp } from './app.js';
import { type BuiltComment, type BuiltMember, buildMember } from './build.js';
import { call } from './client.js';

/** Content with more links than comments may have. */
export const MANY_LINKS = 'https://a.test https://b.test www.c.test d.com';

/** A comment that is held: by its links, unless the settings hold it anyway. */
export async function buildHeldComment(
  url: string,
  articleId: number,
  overrides: { content?: string; parentCommentId?: number } = {},
  author?: BuiltMember,
): Promise<BuiltComment> {
  const writer = author ?? (await buildMember(url));
  const json = { content: MANY_LINKS, ...overrides };
  const { status, body } = await call(url, `POST /api/articles/${articleId}/comments`, { token: writer.token, json });
  expect([status, body?.data.held], JSON.stringify(body)).to.deep.equal([201, true]);
  return { id: body?.data.id, content: json.content, author: writer };
}

/** Comments of a member that wait for approval. */
export async function holdMany(
  { database }: Pick<TestApp, 'database'>,
  articleId: number,
  memberId: number,
  count: number,
) {
  await database.sequelize.query(`insert into held_comments (id, article_id, member_id, received_by, content)
    select nextval(pg_get_serial_sequence('comments', 'id')), id, ${memberId}, member_id, 'Held'
    from all_articles, generate_series(1, ${count}) where id = ${articleId}`);
}

export function setApproval(
  url: string,
  id: number | string,
  approved: unknown,
  { token }: Pick<BuiltMember, 'token'>,
) {
  return call(url, `PUT /api/comments/${id}/approval`, { token, json: { approved } });
}

export function edit(url: string, { id, author: { token } }: BuiltComment, content: string) {
  return call(url, `PATCH /api/comments/${id}`, { token, json: { content } });
}

export async function makeModerator({ database }: Pick<TestApp, 'database'>, { id }: BuiltMember, role = 'MODERATOR') {
  await database.sequelize.query('update members set role = :role where id = :id', { replacements: { id, role } });
}
