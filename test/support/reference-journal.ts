/** The journal of the examples in the reference, with the same members and ids. */
import { expect } from 'chai';
import { refreshTrends } from '../../src/models/article/trend.js';
import type { TestApp } from './app.js';
import { type BuiltMember, buildArticle, buildComment, buildImage, buildMember } from './build.js';
import { numberChanges } from './changes.js';
import { call } from './client.js';
import { buildDraft } from './drafts.js';
import { notificationsOf } from './notifications.js';
import { buildSeries } from './series.js';
import { buildStyle } from './styles.js';
import { insertWebhook } from './webhooks.js';

/** Requires an empty database. @returns Mina, the member who sends the examples */
export async function prepareShownJournal(url: string): Promise<BuiltMember> {
  const password = 'the fog lifts at nine';
  const mina = await buildMember(url, {
    email: 'mina@example.org',
    password,
    memberName: 'Mina Kim',
    nickname: 'mina',
  });
  const jun = await buildMember(url, { email: 'jun@example.org', memberName: 'Jun Park', nickname: 'jun' });
  const { body } = await call(url, 'POST /api/categories', { token: mina.token, json: { categoryName: 'Travel' } });
  const shown = {
    title: 'A morning at the lighthouse',
    content: 'The fog lifts at nine, and there it is.',
    category: 'Travel',
    tags: ['sea', 'autumn'],
    language: 'en',
  };
  const article = await buildArticle(url, { ...shown, content: 'The fog lifts at nine, and it is there.' }, mina);
  await call(url, `PUT /api/articles/${article.id}`, { token: mina.token, json: shown });
  const question = await buildComment(url, article.id, { content: 'Which lighthouse is it?' }, jun);
  const authorReply = await buildComment(url, article.id, { parentCommentId: question.id }, mina);
  const reply = await buildComment(url, article.id, { parentCommentId: question.id }, jun);
  await call(url, `PUT /api/comments/${reply.id}/hidden`, { token: mina.token, json: { hidden: true } });
  const image = await buildImage(url, mina, 640, 480);
  // One that a draft contains cannot be deleted.
  const draftImage = await buildImage(url, mina, 640, 480);
  const style = await buildStyle(url, mina);
  const next = await buildArticle(
    url,
    { title: 'Tea above the harbor', content: 'Come with me.', tags: ['autumn'] },
    mina,
  );
  const draft = await call(url, 'POST /api/drafts', {
    token: mina.token,
    json: { title: 'The lighthouse at night', tags: ['sea'], imageId: draftImage.id },
  });
  const finished = await buildDraft(
    url,
    { title: 'The harbor in winter', content: 'Two boats are left.', tags: ['sea'] },
    mina,
  );
  const herring = await buildArticle(
    url,
    { title: 'Herring for breakfast', content: 'Salted, as always.', tags: ['fish'], language: 'en' },
    jun,
  );
  for (const target of [`/api/articles/${article.id}/bookmark`, `/api/members/${jun.id}/follow`]) {
    await call(url, `PUT ${target}`, { token: mina.token });
  }
  const series = await buildSeries(url, mina, [article], {
    title: 'Along the coast',
    description: 'From the lighthouse to the harbor, in five days.',
  });
  const bora = await buildMember(url, { email: 'bora@example.org', memberName: 'Bora Choi', nickname: 'bora' });
  await call(url, `PUT /api/members/${bora.id}/block`, { token: mina.token });
  const notifications = (await notificationsOf(url, mina)).map(({ id }) => id);
  const ids = [
    mina.id,
    jun.id,
    body?.data.id,
    article.id,
    next.id,
    question.id,
    authorReply.id,
    reply.id,
    style.id,
    image.id,
    draftImage.id,
    draft.body?.data.id,
    finished.id,
    herring.id,
    series,
    ...notifications,
  ];
  expect(ids).to.deep.equal([1, 2, 3, 1, 2, 1, 2, 3, 1, 1, 2, 1, 2, 3, 1, 3, 1]);
  return mina;
}

/**
 * What an operator, a moderator, a login provider, another device and time have created: a linked account, a passkey, a session, an earlier state of a
 * draft, and decisions.
 */
export async function addShownAccount({ database }: Pick<TestApp, 'database'>, memberId: number): Promise<void> {
  await numberChanges(database);
  await database.sequelize.query(`update members set role = 'ADMIN' where id = ${memberId}`);
  await database.sequelize.query(`insert into social_links (member_id, provider, subject, email)
    values (${memberId}, 'KAKAO', 'mina', 'mina@example.com')`);
  await database.sequelize.query(`insert into passkeys
    (member_id, name, credential_id, public_key, counter, transports, is_backup_eligible, is_backed_up)
    values (${memberId}, 'Laptop', sha256('x'), 'x', 0, '{internal}', true, true)`);
  // Used last, since each example has a session of its own, of which a limited number is kept.
  await database.sequelize.query(`insert into sessions (id, member_id, refresh_hash, expires_at, last_used_at)
    values ('7c4a4e1c-6b0f-4d83-9a53-2f1f6b9d0c11', ${memberId}, sha256('x'), now() + interval '1 day', now() + interval '1 hour')`);
  await database.sequelize.query(`insert into api_tokens (id, member_id, token_hash, name, scopes)
    values ('0b7f6c7e-3f0a-4c59-8a55-6b1a4a0d7c52', ${memberId}, sha256('x'), 'Static site', '{read,articles}')`);
  await database.sequelize.query(`insert into draft_revisions (draft_id, number, title, content, tags, created_at)
    values (1, 1, 'The lighthouse', 'The light turns.', '{sea}', now())`);
  await database.sequelize.query(`insert into share_links (token_hash, member_id, article_id, expires_at)
    values (sha256('q6mCGJ5kV1pTtXcL0wF4hZbRy8sNn2eUo7iDaKxMv3E'), ${memberId}, 1, now() + interval '7 days')`);
  await database.sequelize.query(`with k as (insert into moderation_cases (article_id) values (3) returning id)
    insert into reports (case_id, reporter_id, reason, text) select id, 3, 'OTHER', 'It is about fish.' from k`);
  await database.sequelize.query(`insert into decisions (member_id, comment_id, action, rule, statement, note)
    values (${memberId}, 2, 'REMOVE', 'No advertising', 'It consists of links to a shop.', ''), (2, 3, 'DISMISS', '', '', '')`);
  const webhookId = await insertWebhook(database);
  await database.sequelize.query(`insert into webhook_attempts (webhook_id, message_id, event, cursor, attempted_at, duration_ms, response)
    values (${webhookId}, 'msg_1', 'changes', '', now(), 1, '')`);
  // A like of the last days.
  await database.sequelize.query(`insert into reactions (article_id, kind, member_id, created_at)
    values (1, 'LIKE', ${memberId}, now() - interval '2 days')`);
  await refreshTrends(database);
}
