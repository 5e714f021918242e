/** What a moderator sees and may do while suspended: no more than a member, with a session and a subscription from before. */
import { expect } from 'chai';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { useApp } from '../../support/app.js';
import {
  type BuiltArticle,
  type BuiltComment,
  type BuiltMember,
  buildArticle,
  buildComment,
} from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { buildHeldComment, setApproval } from '../../support/held.js';
import { interleave } from '../../support/interleave.js';
import { socketOf, untilRead } from '../../support/live.js';
import { decide } from '../../support/moderation.js';
import { remove } from '../../support/removal.js';
import { buildWithRole, setRole, suspend, unsuspend } from '../../support/roles.js';
import { until } from '../../support/until.js';

const app = useApp();

let moderator: BuiltMember;
let article: BuiltArticle;
let removedArticle: BuiltArticle;
let removed: BuiltComment;
let blocked: BuiltComment;
let held: BuiltComment;

beforeEach(async () => {
  moderator = await buildWithRole(app, 'MODERATOR');
  [article, removedArticle] = [await buildArticle(app.url), await buildArticle(app.url)];
  removed = await buildComment(app.url, article.id, { content: 'A threat' });
  await remove(app, 'comment', removed.id);
  blocked = await buildComment(app.url, article.id, { content: 'An insult' });
  await call(app.url, `PUT /api/members/${moderator.id}/block`, { token: blocked.author.token });
  held = await buildHeldComment(app.url, article.id);
  await buildComment(app.url, removedArticle.id, { content: 'Really?' });
  await remove(app, 'article', removedArticle.id);
});

type Shown = { content: string };

/** What the moderator reads over both APIs. */
async function shown() {
  const { token } = moderator;
  const page = await call(app.url, `GET /api/articles/${article.id}/comments`, { token });
  const query = `query ($article: ID!, $held: ID!, $removedArticle: ID!) {
    commentConnection(articleId: $article, first: 5) { edges { node { content } } }
    comment(id: $held) { content }
    article(id: $removedArticle) { title }
    comments(articleId: $removedArticle) { contents { content } }
  }`;
  const ids = { article: article.id, held: held.id, removedArticle: removedArticle.id };
  const { data } = await graphql(app.url, query, ids, token);
  const paths = [
    `comments/${held.id}`,
    `articles/${removedArticle.id}`,
    `articles/${removedArticle.id}/comments`,
    'moderation/queue',
    'moderation/decisions',
  ];
  const statuses = await Promise.all(
    paths.map(async (path) => (await call(app.url, `GET /api/${path}`, { token })).status),
  );
  return {
    page: page.body?.data.contents.map(({ content }: Shown) => content),
    connection: data.commentConnection.edges.map(({ node }: { node: Shown }) => node.content),
    held: data.comment?.content ?? null,
    hasArticle: data.article !== null,
    hasComments: data.comments !== null,
    statuses,
  };
}

const asModerator = () => {
  const contents = [blocked.content, removed.content];
  return {
    page: contents,
    connection: contents,
    held: held.content,
    hasArticle: true,
    hasComments: true,
    statuses: [200, 200, 200, 200, 200],
  };
};
const asMember = (status = 403) => {
  const contents = ['(blocked)', '(removed)'];
  return {
    page: contents,
    connection: contents,
    held: null,
    hasArticle: false,
    hasComments: false,
    statuses: [404, 404, 404, status, status],
  };
};

describe('A moderator', () => {
  it('sees what moderators see, except during a suspension', async () => {
    expect(await shown()).to.deep.equal(asModerator());
    await suspend(app, moderator.id);
    expect(await shown()).to.deep.equal(asMember());
    expect(await unsuspend(app, moderator.id)).to.equal(true);
    expect(await shown()).to.deep.equal(asModerator());
    await suspend(app, moderator.id, '2099-12-31T00:00:00Z');
    await app.database.sequelize.query(
      `update members set suspended_until = now() - interval '1 second' where id = ${moderator.id}`,
    );
    expect(await shown()).to.deep.equal(asModerator());
    await setRole(app, moderator.id, 'MEMBER');
    expect(await shown()).to.deep.equal(asMember());
  });

  it('who is an admin sees no more either', async () => {
    await setRole(app, moderator.id, 'ADMIN');
    await suspend(app, moderator.id, null);
    expect(await shown()).to.deep.equal(asMember());
  });

  it('who is suspended decides on nothing, and does not learn what exists', async () => {
    await suspend(app, moderator.id);
    await expectStatus(setApproval(app.url, held.id, true, moderator), 403, 'MEMBER_SUSPENDED');
    await expectStatus(decide(app.url, moderator, { commentId: held.id, action: 'APPROVE' }), 403, 'MEMBER_SUSPENDED');
    // A deletion, which suspended members may make.
    const deletion = call(app.url, `DELETE /api/comments/${held.id}`, { token: moderator.token });
    await expectStatus(deletion, 404, 'COMMENT_NOT_FOUND');
  });

  // The moderator does not see the comment of an approval any more.
  for (const [name, status, code, send] of [
    [
      'a decision',
      403,
      'MEMBER_SUSPENDED',
      () => decide(app.url, moderator, { commentId: held.id, action: 'APPROVE' }),
    ],
    ['an approval', 404, 'COMMENT_NOT_FOUND', () => setApproval(app.url, held.id, true, moderator)],
  ] as const) {
    it(`who is suspended during ${name} does not make it`, async () => {
      const response = await interleave(app, {
        lock: `select from members where id = ${moderator.id} for update`,
        request: send,
        change: `update members set suspended_since = now(), suspended_until = 'infinity', suspension_rule = 'A', suspension_statement = 'B'
          where id = ${moderator.id}`,
      });
      await expectStatus(Promise.resolve(response), status, code);
      const { token } = held.author;
      expect((await call(app.url, `GET /api/comments/${held.id}`, { token })).status).to.equal(200);
      await expectStatus(call(app.url, `GET /api/comments/${held.id}`), 404, 'COMMENT_NOT_FOUND');
    });
  }

  it('receives no removed or blocked content by a subscription from before the suspension', async () => {
    const received: string[] = [];
    const client = createClient({
      url: socketOf(app.url),
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${moderator.token}` },
    });
    const isOpen = untilRead();
    client.subscribe<{ notificationReceived: { comment: Shown | null } }>(
      { query: 'subscription { notificationReceived { comment { content } } }' },
      {
        // That of the suspension has no comment.
        next: ({ data }) =>
          void received.push(...[data?.notificationReceived.comment ?? []].flat().map(({ content }) => content)),
        error: () => {},
        complete: () => {},
      },
    );
    await isOpen;
    const notify = async ({ id, author }: BuiltComment) => {
      const count = received.length;
      await app.database.sequelize.query(`insert into notifications (member_id, type, article_id, comment_id, actor_id)
        values (${moderator.id}, 'MENTION', ${article.id}, ${id}, ${author.id})`);
      await until(() => received.length > count);
    };
    try {
      await notify(removed);
      await suspend(app, moderator.id);
      await app.database.sequelize.query(`delete from notifications where member_id = ${moderator.id}`);
      await notify(removed);
      await notify(blocked);
    } finally {
      await client.dispose();
    }
    expect(received).to.deep.equal([removed.content, '(removed)', '(blocked)']);
  });
});
