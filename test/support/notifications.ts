/** Reads and creates notifications of members. */
import { expect } from 'chai';
import type { TestApp } from './app.js';
import { type BuiltArticle, type BuiltMember } from './build.js';
import { call, graphql } from './client.js';

export interface Notified {
  id: number;
  type: string;
  message: string;
  articleId: number | null;
  commentId: number | null;
  draftId: number | null;
  decisionId: number | null;
  actor: string | null;
  read: boolean;
  createdAt: string;
}

/** The newest 100 notifications, newest first. @param query such as `&unreadOnly=true` */
export async function notificationsOf(url: string, { token }: BuiltMember, query = ''): Promise<Notified[]> {
  const { status, body } = await call(url, `GET /api/notifications?size=100${query}`, { token });
  expect(status, JSON.stringify(body)).to.equal(200);
  return body?.data.contents;
}

/** The stored counter of unread notifications. */
export async function unreadOf(url: string, { token }: BuiltMember): Promise<number> {
  const { data } = await graphql(url, '{ me { unreadNotifications } }', {}, token);
  return data.me.unreadNotifications;
}

/** Inserts `times` COMMENT notifications for the author of an article in one transaction. */
export async function insertNotifications(
  { database }: TestApp,
  { id, author }: BuiltArticle,
  times: number,
): Promise<void> {
  await database.sequelize.query(`insert into notifications (member_id, type, article_id)
    select ${author.id}, 'COMMENT', ${id} from generate_series(1, ${times})`);
}

export async function setNotificationType(
  url: string,
  { token }: BuiltMember,
  type: string,
  enabled: boolean,
): Promise<void> {
  const target = `PUT /api/members/me/notification-settings/${type}`;
  const { status, body } = await call(url, target, { token, json: { enabled } });
  expect([status, body?.data]).to.deep.equal([200, { type, enabled, email: 'OFF' }]);
}
