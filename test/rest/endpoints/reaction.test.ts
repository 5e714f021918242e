/** Likes, bookmarks and follows, and the lists of readers, over both APIs. */
import { expect } from 'chai';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { interleave } from '../../support/interleave.js';
import { runJobs } from '../../support/jobs.js';
import { ageStamps, fetchCopy } from '../../support/stamps.js';
import { statementsDuring } from '../../support/statements.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp();
let article: BuiltArticle;
let reader: BuiltMember;
beforeEach(async () => {
  article = await buildArticle(app.url, { tags: ['sea'] });
  reader = await buildMember(app.url);
});

const send = (target: string, { token } = reader) => call(app.url, target, { token });
const data = async (target: string, member = reader) => {
  const { body } = await expectStatus(send(target, member), 200, '1', target);
  return body?.data;
};
const like = (member = reader, method = 'PUT') => data(`${method} /api/articles/${article.id}/like`, member);
const bookmark = (id = article.id, method = 'PUT') => data(`${method} /api/articles/${id}/bookmark`);
const follow = (member = article.author, method = 'PUT') => data(`${method} /api/members/${member.id}/follow`);
const idsOf = (list: { contents: { id: number }[] }) => list.contents.map(({ id }) => id);
const etagOf = async (path: string) => (await fetchCopy(app.url + path)).etag;

const mutate = async (field: string, argument: string, selection: string, member = reader) =>
  (await graphql(app.url, `mutation { ${field}(${argument}) { ${selection} } }`, {}, member.token)).data[field];

/** What a change does besides authentication and limits. */
const changing = (texts: readonly string[]) => texts.filter((text) => !/sessions|rate_limit/.test(text));

const CHANGES = ['like', 'bookmark'].flatMap((name) =>
  ['PUT', 'DELETE'].map((method) => (id: number | string) => `${method} /api/articles/${id}/${name}`),
);

describe('Likes', () => {
  it('are added and removed over both APIs, any number of times, with the exact number', async () => {
    const { id } = article;
    for (const _ of [1, 2]) expect(await like()).to.deep.equal({ articleId: id, liked: true, likeCount: 1 });
    const argument = `articleId: ${id}`;
    const other = await mutate('likeArticle', argument, 'articleId liked likeCount', article.author);
    expect(other).to.deep.equal({ articleId: String(id), liked: true, likeCount: 2 });
    for (const _ of [1, 2])
      expect(await like(reader, 'DELETE')).to.deep.equal({ articleId: id, liked: false, likeCount: 1 });
    const none = await mutate('unlikeArticle', argument, 'articleId liked likeCount', article.author);
    expect(none).to.deep.equal({ articleId: String(id), liked: false, likeCount: 0 });
  });

  it('appear at once in articles and all of their lists', async () => {
    const { id, author } = article;
    await call(app.url, `PUT /api/members/${author.id}/follow`, { token: reader.token });
    await bookmark();
    const lists = ['/api/articles', `/api/articles?memberId=${author.id}`, '/api/articles?tag=sea&keyword=content'];
    const own = ['/api/bookmarks', '/api/articles/following'];
    const counts = async () => [
      (await call(app.url, `GET /api/articles/${id}`)).body?.data.likeCount,
      ...(await Promise.all(lists.map(async (list) => (await data(`GET ${list}`, author)).contents[0].likeCount))),
      ...(await Promise.all(
        lists.map(async (list) => (await call(app.url, `GET ${list}`)).body?.data.contents[0].likeCount),
      )),
      ...(await Promise.all(own.map(async (list) => (await data(`GET ${list}`)).contents[0].likeCount))),
      (await data('GET /api/articles/me', author)).contents[0].likeCount,
      (await graphql(app.url, `{ article(id: ${id}) { likeCount } }`)).data.article.likeCount,
      (await graphql(app.url, '{ articleConnection(first: 1) { edges { node { likeCount } } } }')).data
        .articleConnection.edges[0].node.likeCount,
    ];
    expect(new Set(await counts())).to.deep.equal(new Set([0]));
    await like();
    expect(new Set(await counts())).to.deep.equal(new Set([1]));
    await like(reader, 'DELETE');
    expect(new Set(await counts())).to.deep.equal(new Set([0]));
  });

  it('change the validators of the article and of lists, and no others', async () => {
    const { id, author } = article;
    const comment = await buildComment(app.url, id);
    const changed = [
      ...[`/api/articles/${id}`, '/api/articles', '/api/articles?keyword=content', `/api/articles/${id}/summary`],
      `/graphql?query={article(id:${id}){likeCount}}`,
    ];
    const same = [
      ...['/feed.xml', `/members/${author.id}/feed.json`, '/tags/sea/feed.atom', '/sitemap.xml'],
      ...[`/api/articles/${id}/comments`, `/api/comments/${comment.id}/replies`, `/api/members/${author.id}`],
    ];
    for (const change of [() => like(), () => like(reader, 'DELETE')]) {
      await ageStamps(app.database);
      const tags = await Promise.all([...changed, ...same].map(etagOf));
      await change();
      const after = await Promise.all([...changed, ...same].map(etagOf));
      expect(tags.every((tag) => tag !== null)).to.equal(true);
      const different = [...changed, ...same].filter((_, index) => after[index] !== tags[index]);
      expect(different).to.deep.equal(changed);
    }
  });

  it('that change nothing renew no validators', async () => {
    await like();
    await ageStamps(app.database);
    const tag = await etagOf('/api/articles');
    await like();
    await like(article.author, 'DELETE');
    expect(await etagOf('/api/articles')).to.equal(tag);
  });

  it('of a member end with the account, and those of an article with it', async () => {
    await like();
    await like(article.author);
    expect(
      (await call(app.url, 'DELETE /api/members/me', { token: reader.token, json: { password: reader.password } }))
        .status,
    ).to.equal(200);
    expect((await call(app.url, `GET /api/articles/${article.id}`)).body?.data.likeCount).to.equal(1);
    await data(`DELETE /api/articles/${article.id}`, article.author);
    await runJobs(app);
    const [rows] = await app.database.sequelize.query(`select article_id from reactions where article_id = ${article.id}
      union all select article_id from article_counts where article_id = ${article.id}`);
    expect(rows).to.deep.equal([]);
  });

  it('of a locked member remain', async () => {
    await like();
    await app.database.sequelize.query(`update members set locked_at = now() where id = ${reader.id}`);
    expect((await call(app.url, `GET /api/articles/${article.id}`)).body?.data.likeCount).to.equal(1);
  });

  it('returns 404 if the article, which the member likes already, is deleted meanwhile', async () => {
    await like();
    const response = await interleave(app, {
      lock: `select pg_advisory_xact_lock(4270009, lock_of_pair(${article.author.id}, ${reader.id}))`,
      request: () => send(`PUT /api/articles/${article.id}/like`),
      change: `delete from all_articles where id = ${article.id}`,
    });
    expect([response.status, response.body?.code]).to.deep.equal([404, 'ARTICLE_NOT_FOUND']);
  });
});

describe('Reactions to a private article', () => {
  it('are 404 for everyone except the author, as those to an unknown article, and stay stored', async () => {
    await like();
    await bookmark();
    await setPrivate(app.url, article);
    const reads = [(id: number | string) => `GET /api/articles/${id}/viewer`, ...CHANGES];
    for (const target of reads) {
      const [hidden, unknown] = [await send(target(article.id)), await send(target(999_999))];
      expect([hidden.status, hidden.body]).to.deep.equal([404, unknown.body]);
      expect(hidden.body?.code).to.equal('ARTICLE_NOT_FOUND');
    }
    expect(await data('GET /api/bookmarks')).to.deep.include({ contents: [] });
    expect((await data('GET /api/bookmarks')).pagination.totalElements).to.equal(0);
    expect((await like(article.author)).likeCount).to.equal(2);
    await setPrivate(app.url, article, false);
    expect((await like(article.author, 'DELETE')).likeCount).to.equal(1);
    expect(idsOf(await data('GET /api/bookmarks'))).to.deep.equal([article.id]);
    expect(await data(`GET /api/articles/${article.id}/viewer`)).to.include({ liked: true, bookmarked: true });
  });

  it('by its author renew no validator of others', async () => {
    await setPrivate(app.url, article);
    await ageStamps(app.database);
    const tag = await etagOf('/api/articles');
    await like(article.author);
    await like(article.author, 'DELETE');
    expect(await etagOf('/api/articles')).to.equal(tag);
  });
});

describe('Bookmarks', () => {
  it('are a list, the latest first, in numbered pages and with cursors, each in one statement', async () => {
    const { author } = article;
    const ids = [article.id];
    for (let count = 0; count < 4; count++) ids.unshift((await buildArticle(app.url, {}, author)).id);
    for (const id of ids.toReversed()) expect(await bookmark(id)).to.deep.equal({ articleId: id, bookmarked: true });
    // Keeps its time.
    await bookmark(ids[3]);
    const page = await data('GET /api/bookmarks?page=2&size=2');
    expect([idsOf(page), page.pagination.totalElements]).to.deep.equal([ids.slice(2, 4), 5]);
    expect(page.contents[0].bookmarkedAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    expect((await data('GET /api/bookmarks?page=9')).contents).to.deep.equal([]);
    const query = `query ($after: String) {
      bookmarkConnection(first: 2, after: $after) { totalCount edges { node { id bookmarkedAt } } pageInfo { endCursor hasNextPage } }
    }`;
    const found: string[] = [];
    let after: string | null = null;
    for (let count = 0; count < 3; count++) {
      const response = await graphql(app.url, query, { after }, reader.token);
      const { totalCount, edges, pageInfo } = response.data.bookmarkConnection;
      expect([totalCount, pageInfo.hasNextPage]).to.deep.equal([5, count < 2]);
      found.push(...edges.map(({ node }: { node: { id: string } }) => node.id));
      after = pageInfo.endCursor;
    }
    expect(found).to.deep.equal(ids.map(String));
    expect(await statementsDuring(() => send('GET /api/bookmarks'))).to.have.lengthOf(2);
    for (const _ of [1, 2]) expect((await bookmark(ids[0], 'DELETE')).bookmarked).to.equal(false);
    expect(idsOf(await data('GET /api/bookmarks'))).to.deep.equal(ids.slice(1));
    expect(await data('GET /api/bookmarks', author)).to.deep.include({ contents: [] });
  });

  it('contain private articles of the member', async () => {
    await data(`PUT /api/articles/${article.id}/bookmark`, article.author);
    await setPrivate(app.url, article);
    const { contents, pagination } = await data('GET /api/bookmarks', article.author);
    expect([contents[0].visibility, pagination.totalElements]).to.deep.equal(['PRIVATE', 1]);
  });

  it('are limited, exactly, also by parallel requests', async () => {
    await app.database.sequelize.query(`insert into reader_counts (member_id, bookmarks) values (${reader.id}, 9998)`);
    const ids = [article.id];
    for (let count = 0; count < 4; count++) ids.push((await buildArticle(app.url, {}, article.author)).id);
    const responses = await Promise.all(ids.map((id) => send(`PUT /api/articles/${id}/bookmark`)));
    const codes = responses.map(({ status, body }) => `${status} ${body?.code}`).sort();
    expect(codes).to.deep.equal(['200 1', '200 1', ...Array.from({ length: 3 }, () => '400 BOOKMARK_LIMIT_REACHED')]);
    // An existing bookmark needs no place.
    for (const id of idsOf(await data('GET /api/bookmarks'))) await bookmark(id);
  });
});

describe('Follows', () => {
  it('list the followed members, the last first, and the numbers of their profiles', async () => {
    const { author } = article;
    const second = await buildMember(app.url);
    for (const _ of [1, 2]) expect(await follow()).to.deep.equal({ memberId: author.id, following: true });
    const answer = await mutate('followMember', `memberId: ${second.id}`, 'memberId following');
    expect(answer).to.deep.equal({ memberId: String(second.id), following: true });
    const { contents, pagination } = await data('GET /api/members/me/following');
    expect([contents.map(({ id }: { id: number }) => id), pagination.totalElements]).to.deep.equal([
      [second.id, author.id],
      2,
    ]);
    expect(contents[1]).to.have.all.keys(
      ...[
        'id',
        'nickname',
        'bio',
        'profileImg',
        'profileImgSizes',
        'role',
        'articleCount',
        'followerCount',
        'createdAt',
      ],
    );
    expect(contents[1]).to.include({ nickname: author.nickname, articleCount: 1, followerCount: 1 });
    expect(await statementsDuring(() => send('GET /api/members/me/following'))).to.have.lengthOf(2);
    expect((await data('GET /api/members/me/following?page=3')).contents).to.deep.equal([]);
    const query = '{ followingConnection(last: 1) { totalCount edges { node { nickname followerCount } } } }';
    const { followingConnection } = (await graphql(app.url, query, {}, reader.token)).data;
    const node = { nickname: author.nickname, followerCount: 1 };
    expect(followingConnection).to.deep.equal({ totalCount: 2, edges: [{ node }] });
    expect(await data(`GET /api/articles/${article.id}/viewer`)).to.include({ followsAuthor: true });
    for (const _ of [1, 2]) expect((await follow(author, 'DELETE')).following).to.equal(false);
    await mutate('unfollowMember', `memberId: ${second.id}`, 'following');
    expect((await data('GET /api/members/me/following')).pagination.totalElements).to.equal(0);
  });

  it('of oneself, and of unknown and unconfirmed members, are rejected', async () => {
    const own = await send(`PUT /api/members/${reader.id}/follow`);
    expect([own.status, own.body?.data.errors[0].field]).to.deep.equal([400, 'memberId']);
    const pending = await buildMember(app.url);
    await app.database.sequelize.query(
      `update members set pending_since = now(), email_verified_at = null where id = ${pending.id}`,
    );
    for (const id of [pending.id, ...HUGE_IDS])
      for (const method of ['PUT', 'DELETE'])
        await expectStatus(send(`${method} /api/members/${id}/follow`), 404, 'MEMBER_NOT_FOUND', String(id));
    await expectStatus(
      send(`GET /api/members/by-nickname/${encodeURIComponent(pending.nickname)}`),
      404,
      'MEMBER_NOT_FOUND',
    );
  });

  it('are limited, exactly', async () => {
    await app.database.sequelize.query(`insert into reader_counts (member_id, following) values (${reader.id}, 4999)`);
    const others = [await buildMember(app.url), await buildMember(app.url), article.author];
    const responses = await Promise.all(others.map(({ id }) => send(`PUT /api/members/${id}/follow`)));
    expect(responses.map(({ body }) => body?.code).sort()).to.deep.equal([
      '1',
      'FOLLOW_LIMIT_REACHED',
      'FOLLOW_LIMIT_REACHED',
    ]);
  });

  it('end with either account', async () => {
    const second = await buildMember(app.url);
    await follow();
    await follow(second);
    const withdraw = ({ token, password }: BuiltMember) =>
      call(app.url, 'DELETE /api/members/me', { token, json: { password } });
    expect((await withdraw(second)).status).to.equal(200);
    expect((await data('GET /api/members/me/following')).pagination.totalElements).to.equal(1);
    expect((await withdraw(reader)).status).to.equal(200);
    expect((await call(app.url, `GET /api/members/${article.author.id}`)).body?.data.followerCount).to.equal(0);
  });
});

describe('GET /api/articles/following', () => {
  it('lists the public articles of followed members, newest first, in one statement, as pages and with cursors', async () => {
    const { author } = article;
    const second = await buildMember(app.url);
    await buildArticle(app.url);
    const ids = [article.id];
    for (const writer of [second, author, author, second, author])
      ids.unshift((await buildArticle(app.url, {}, writer)).id);
    await buildArticle(app.url, { visibility: 'PRIVATE' }, author);
    expect(idsOf(await data('GET /api/articles/following'))).to.deep.equal([]);
    await follow();
    await follow(second);
    for (const [page, size] of [
      [1, 10],
      [1, 2],
      [2, 2],
      [3, 2],
      [2, 4],
      [9, 2],
    ] as const) {
      const list = await data(`GET /api/articles/following?page=${page}&size=${size}`);
      expect(idsOf(list), `${page} ${size}`).to.deep.equal(ids.slice((page - 1) * size, page * size));
      expect(list.pagination.totalElements).to.equal(6);
    }
    expect(await statementsDuring(() => send('GET /api/articles/following'))).to.have.lengthOf(2);
    const read = async (argument: string, cursor: string | null) => {
      const query = `query ($cursor: String) { list: followedArticleConnection(${argument}: $cursor) {
        totalCount edges { node { id } } pageInfo { startCursor endCursor } } }`;
      const { list } = (await graphql(app.url, query, { cursor }, reader.token)).data;
      expect(list.totalCount).to.equal(6);
      return { found: list.edges.map(({ node }: { node: { id: string } }) => Number(node.id)), ...list.pageInfo };
    };
    const first = await read('first: 2, after', null);
    const next = await read('first: 3, after', first.endCursor);
    expect([...first.found, ...next.found]).to.deep.equal(ids.slice(0, 5));
    expect((await read('last: 2, before', next.startCursor)).found).to.deep.equal(ids.slice(0, 2));
    expect((await read('last: 4, before', null)).found).to.deep.equal(ids.slice(2));
    await follow(second, 'DELETE');
    expect((await data('GET /api/articles/following')).pagination.totalElements).to.equal(4);
  });
});

describe('Public profiles', () => {
  it('show the numbers of public articles and followers, and are found by nickname', async () => {
    const { author } = article;
    const byNickname = `/api/members/by-nickname/${encodeURIComponent(author.nickname.toUpperCase())}`;
    const profiles = [`/api/members/${author.id}`, byNickname];
    const expectNumbers = async (articleCount: number, followerCount: number) => {
      for (const path of profiles) {
        const { body } = await expectStatus(call(app.url, `GET ${path}`), 200, '1', path);
        expect(body?.data, path).to.include({ id: author.id, nickname: author.nickname, articleCount, followerCount });
      }
    };
    await expectNumbers(1, 0);
    await follow();
    await expectNumbers(1, 1);
    await setPrivate(app.url, article);
    await expectNumbers(0, 1);
    await setPrivate(app.url, article, false);
    await follow(author, 'DELETE');
    await expectNumbers(1, 0);
    await call(app.url, 'PATCH /api/members/me', { token: author.token, json: { nickname: `${author.nickname} x` } });
    await expectStatus(call(app.url, `GET ${byNickname}`), 404, 'MEMBER_NOT_FOUND');
    const query = `{ memberByNickname(nickname: "${author.nickname} X ") { id followerCount articleCount } }`;
    const found = (await graphql(app.url, query)).data.memberByNickname;
    expect(found).to.deep.equal({ id: String(author.id), followerCount: 0, articleCount: 1 });
    for (const name of ['x', 'x'.repeat(31), 'a%00b']) {
      expect((await call(app.url, `GET /api/members/by-nickname/${name}`)).status, name).to.equal(400);
    }
  });

  it('of a member who is followed change; other responses do not', async () => {
    const { author } = article;
    const profile = `/api/members/${author.id}`;
    const nickname = `/api/members/by-nickname/${encodeURIComponent(author.nickname)}`;
    const others = [`/api/members/${reader.id}`, '/api/articles', `/api/articles/${article.id}`, '/feed.xml'];
    const paths = [profile, nickname, ...others];
    const tags = await Promise.all(paths.map(etagOf));
    expect(tags.includes(null)).to.equal(false);
    await follow();
    const after = await Promise.all(paths.map(etagOf));
    expect(paths.filter((_, index) => tags[index] !== after[index])).to.deep.equal([profile, nickname]);
    const headers = { 'If-None-Match': after[1] ?? '' };
    expect((await call(app.url, `GET ${nickname}`, { headers })).status).to.equal(304);
  });
});

describe('Changes of readers', () => {
  const targets = () => [
    ...CHANGES.map((target) => target(article.id)),
    `PUT /api/members/${article.author.id}/follow`,
    `DELETE /api/members/${article.author.id}/follow`,
  ];

  it('are one statement each, also a repeated one', async () => {
    for (const target of [...targets(), ...targets()]) {
      const texts = await statementsDuring(() => data(target));
      expect(changing(texts), target).to.have.lengthOf(1);
    }
  });

  it('need a login, or an API token with the scope reactions; their lists need read', async () => {
    const [reactions, read] = [
      await buildApiToken(app.url, reader, ['reactions']),
      await buildApiToken(app.url, reader, ['read']),
    ];
    const lists = [
      `/api/articles/${article.id}/viewer`,
      '/api/bookmarks',
      '/api/members/me/following',
      '/api/articles/following',
    ];
    for (const target of [...targets(), ...lists.map((path) => `GET ${path}`)]) {
      const isList = target.startsWith('GET');
      expect((await call(app.url, target)).status, target).to.equal(401);
      const statuses = await Promise.all(
        [reactions, read].map(async ({ token }) => (await call(app.url, target, { token })).status),
      );
      expect(statuses, target).to.deep.equal(isList ? [403, 200] : [200, 403]);
    }
  });

  it('are 404 for unknown articles, and 400 for invalid ids', async () => {
    for (const target of [...CHANGES, (id: number | string) => `GET /api/articles/${id}/viewer`]) {
      for (const id of HUGE_IDS) await expectStatus(send(target(id)), 404, 'ARTICLE_NOT_FOUND', target(id));
      for (const id of BAD_IDS) expect((await send(target(id))).status, target(id)).to.equal(400);
    }
  });
});
