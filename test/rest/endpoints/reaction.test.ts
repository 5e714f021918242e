/** Likes, bookmarks, follows and the lists of readers, over both APIs. */
import { useApp } from '../../support/app.js';
import { buildArticle, buildMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';

const app = useApp();

describe('smoke', () => {
  it('works', async () => {
    const { id, author } = await buildArticle(app.url, {});
    const reader = await buildMember(app.url);
    const { token } = reader;
    for (const t of [
      `PUT /api/articles/${id}/like`, `PUT /api/articles/${id}/like`, `GET /api/articles/${id}`, `GET /api/articles`,
      `DELETE /api/articles/${id}/like`, `PUT /api/articles/${id}/bookmark`, 'GET /api/bookmarks', `GET /api/articles/${id}/viewer`,
      `PUT /api/members/${author.id}/follow`, `PUT /api/members/${author.id}/follow`, 'GET /api/members/me/following', 'GET /api/articles/following',
      `GET /api/members/${author.id}`, `GET /api/members/by-nickname/${author.nickname}`, `PUT /api/members/${reader.id}/follow`,
      `DELETE /api/members/${author.id}/follow`, `DELETE /api/articles/${id}/bookmark`,
    ]) {
      const r = await call(app.url, t, { token });
      console.log(t, r.status, JSON.stringify(r.body));
    }
    const q = `{ followedArticleConnection(first: 2) { totalCount edges { cursor node { id } } } bookmarkConnection(last: 2) { totalCount edges { node { id bookmarkedAt } } } followingConnection(first: 1) { totalCount edges { node { id followerCount } } } }`;
    console.log(JSON.stringify(await graphql(app.url, q, {}, token)));
    console.log(JSON.stringify((await call(app.url, 'GET /api/notifications', { token: author.token })).body));
  });
});
