/** Notifications over GraphQL: linked objects, connections and mutation results. */
import { expect } from 'chai';
import { SETTABLE_KINDS } from '../../src/models/notification/kinds.js';
import { useApp } from '../support/app.js';
import { type BuiltComment, type BuiltMember, buildArticle, buildComment, buildMember } from '../support/build.js';
import { graphql } from '../support/client.js';
import { planOf, statementsDuring } from '../support/statements.js';

const app = useApp();

let host: BuiltMember;
let guest: BuiltMember;
let comments: BuiltComment[];
async function meet(): Promise<void> {
  [host, guest] = [await buildMember(app.url), await buildMember(app.url)];
  const { id } = await buildArticle(app.url, { title: 'Owls' }, host);
  comments = [];
  for (let number = 0; number < 3; number++) comments.push(await buildComment(app.url, id, {}, guest));
}

async function send(query: string, variables: Record<string, unknown> = {}, member = host) {
  const { data, errors } = await graphql(app.url, query, variables, member.token);
  expect(errors, JSON.stringify(errors)).to.equal(undefined);
  return data;
}

describe('GraphQL notifications', () => {
  beforeEach(meet);

  const LINKED = `{ notifications(size: 2) {
    contents { id type message read actorName outcome articleId
      actor { nickname } article { title } comment { content author { id } } }
    pagination { totalElements }
  } }`;

  it('link to article, comment and actor with a number of statements independent of their count', async () => {
    const { notifications } = await send(LINKED);
    expect(notifications.pagination.totalElements).to.equal(3);
    expect(notifications.contents[0]).to.deep.include({
      type: 'COMMENT',
      actorName: guest.nickname,
      actor: { nickname: guest.nickname },
      article: { title: 'Owls' },
      comment: { content: comments[2]?.content, author: { id: String(guest.id) } },
      outcome: null,
      read: false,
    });
    const one = await statementsDuring(() => send(LINKED.replace('size: 2', 'size: 1')));
    const all = await statementsDuring(() => send(LINKED.replace('size: 2', 'size: 3')));
    expect(all.length).to.equal(one.length);
  });

  it('are paginated as connections, forwards and backwards, all or unread only', async () => {
    const query = `query ($unreadOnly: Boolean! = false, $first: Int, $after: String, $last: Int, $before: String) {
      notificationConnection(unreadOnly: $unreadOnly, first: $first, after: $after, last: $last, before: $before) {
        edges { node { id commentId } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      } }`;
    const commentIds = async (variables: Record<string, unknown>) => {
      const { notificationConnection: found } = await send(query, variables);
      const ids = found.edges.map(({ node }: { node: { commentId: string } }) => Number(node.commentId));
      return { ids, ...found.pageInfo };
    };
    const newestFirst = comments.map(({ id }) => id).reverse();
    const start = await commentIds({ first: 2 });
    expect(start).to.deep.include({ ids: newestFirst.slice(0, 2), hasNextPage: true, hasPreviousPage: false });
    // Marking one as read between two pages does not shift the second page.
    const { notificationConnection } = await send(query, { first: 1 });
    await send('mutation ($id: ID!) { markNotificationRead(id: $id) { id } }', {
      id: notificationConnection.edges[0].node.id,
    });
    const rest = await commentIds({ first: 2, after: start.endCursor });
    expect(rest).to.deep.include({ ids: newestFirst.slice(2), hasNextPage: false, hasPreviousPage: true });
    expect((await commentIds({ last: 2, before: rest.startCursor })).ids).to.deep.equal(newestFirst.slice(0, 2));
    expect((await commentIds({ unreadOnly: true })).ids).to.deep.equal(newestFirst.slice(1));
    const rejected = await graphql(app.url, query, { after: 'nonsense' }, host.token);
    expect(rejected.errors?.[0]?.extensions.code).to.equal('VALIDATION_FAILED');
  });

  it('are marked as read singly or all at once, and the response has the updated counter', async () => {
    const { notifications } = await send('{ me { unreadNotifications } notifications { contents { id } } }');
    const [{ id }] = notifications.contents;
    const both = `mutation ($id: ID!) {
      markNotificationRead(id: $id) { id read }
      markAllNotificationsRead { id unreadNotifications }
    }`;
    const { markNotificationRead, markAllNotificationsRead } = await send(both, { id });
    expect(markNotificationRead).to.deep.equal({ id, read: true });
    expect(markAllNotificationsRead).to.deep.equal({ id: String(host.id), unreadNotifications: 0 });
    const foreign = await graphql(
      app.url,
      'mutation ($id: ID!) { markNotificationRead(id: $id) { id } }',
      { id },
      guest.token,
    );
    expect(foreign.errors?.[0]?.extensions.code).to.equal('NOTIFICATION_FORBIDDEN');
  });

  it('are not counted for their number', async () => {
    const texts = await statementsDuring(() =>
      send('{ me { unreadNotifications } again: me { unreadNotifications } }'),
    );
    // The session, the member and the number, the latter in a transaction.
    expect(texts).to.have.length(5);
    // Those of articles and members that ended, usually none, are subtracted.
    const text = texts.find((one) => one.includes('ended_notifications')) ?? '';
    const plan = await planOf(app.database, text, [[host.id]], '(analyze)');
    const scans = plan.split('\n').filter((line) => / on notifications /.test(line));
    expect(scans).to.have.length(3);
    for (const line of scans) expect(line).to.contain('(never executed)');
  });

  it('are enabled and disabled by type', async () => {
    const set = `mutation ($enabled: Boolean, $toggle: Boolean) {
      setNotification(type: REPLY, enabled: $enabled, toggle: $toggle) { type enabled }
    }`;
    expect((await send(set, { enabled: false })).setNotification).to.deep.equal({ type: 'REPLY', enabled: false });
    expect((await send(set)).setNotification.enabled, 'unchanged').to.equal(false);
    expect((await send(set, { toggle: true })).setNotification.enabled).to.equal(true);
    expect((await send(set, { toggle: true, enabled: true })).setNotification.enabled).to.equal(true);
    const { notificationSettings } = await send('{ notificationSettings { type enabled } }');
    expect(notificationSettings.map(({ type }: { type: string }) => type)).to.deep.equal(SETTABLE_KINDS);
  });

  it('require a token', async () => {
    const rejected = await graphql(app.url, '{ notifications { contents { id } } }');
    expect(rejected.errors?.[0]?.extensions.code).to.equal('UNAUTHENTICATED');
  });
});
