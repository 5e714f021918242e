/** Connections: stable under concurrent changes, in every order and both directions; forged cursors are rejected. */
import { expect } from 'chai';
import fc from 'fast-check';
import { type ArticleOrder, orderIn } from '../../src/models/article/order.js';
import { ArticleSort } from '../../src/schema/article-list.js';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember, useMember } from '../support/build.js';
import { graphql } from '../support/client.js';
import { statementsDuring } from '../support/statements.js';

const app = useApp();

interface Page {
  edges: { node: { id: string }; cursor: string }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

const PAGE = 'edges { node { id } cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
const ARTICLES = `query ($filter: ArticleFilter, $sort: ArticleSort, $first: Int, $after: String, $last: Int, $before: String) {
  articleConnection(filter: $filter, sort: $sort, first: $first, after: $after, last: $last, before: $before) { ${PAGE} }
}`;

async function read(variables: object): Promise<Page> {
  const { data, errors } = await graphql(app.url, ARTICLES, { ...variables });
  expect(errors, JSON.stringify(errors)).to.equal(undefined);
  return data.articleConnection;
}

/** Reads all pages of `size` in one direction, and runs `meanwhile` between two pages. */
async function walk(base: object, size: number, isForward: boolean, meanwhile = async () => {}): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Page = await read({
      ...base,
      ...(isForward ? { first: size, after: cursor } : { last: size, before: cursor }),
    });
    const found = page.edges.map(({ node }) => node.id);
    if (isForward) ids.push(...found);
    else ids.unshift(...found);
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
    if (!(isForward ? hasNextPage : hasPreviousPage)) return ids;
    cursor = isForward ? endCursor : startCursor;
    await meanwhile();
  }
}

async function sql(text: string): Promise<void> {
  await app.database.sequelize.query(text);
}

/** Inserts an article with one of few values for each sort key, so that many articles tie. */
async function insert({ id: memberId }: BuiltMember, seed: number): Promise<void> {
  await sql(`insert into articles (member_id, category_id, title, content, comment_count, created_at, updated_at)
    select ${memberId}, c.id, chr(97 + ${seed % 3}), 'x', ${seed % 4}, timestamptz '2026-01-01Z' + ${seed % 5} * interval '1 ms',
           timestamptz '2026-01-01Z' + ${(seed * 7) % 5} * interval '1 second'
    from categories c where c.member_id = ${memberId} and c.is_default`);
  await sql(
    `update article_counts set likes = ${seed % 4}, views = ${seed % 3} where article_id = (select max(id) from articles)`,
  );
}

describe('articleConnection', () => {
  for (const [sort, order] of Object.entries(ArticleSort)) {
    it(`returns each article exactly once while others are inserted and deleted: ${sort}`, async function () {
      this.timeout(60_000);
      const by = orderIn(order as ArticleOrder);
      const changes = fc.array(fc.record({ isInsert: fc.boolean(), seed: fc.nat(60) }), { maxLength: 12 });
      const property = fc.asyncProperty(
        fc.array(fc.nat(60), { maxLength: 14 }),
        changes,
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        async (seeds, steps, size, isForward) => {
          await sql('delete from articles');
          for (const seed of seeds) await insert(member, seed);
          const mortal = new Set<string>();
          let isKept = new Set<string>(await idsIn(by));
          const left = [...steps];
          const meanwhile = async () => {
            const step = left.shift();
            if (step?.isInsert) await insert(member, step.seed);
            else if (step) {
              const all = await idsIn(by);
              const victim = all[step.seed % Math.max(all.length, 1)];
              if (victim === undefined) return;
              mortal.add(victim);
              await sql(`delete from articles where id = ${victim}`);
            }
          };
          const filter = { memberId: String(member.id) };
          const seen = await walk({ sort, filter }, size, isForward, meanwhile);
          isKept = new Set([...isKept].filter((id) => !mortal.has(id)));
          expect(new Set(seen).size, 'shown twice').to.equal(seen.length);
          const survivors = (await idsIn(by)).filter((id) => isKept.has(id));
          expect(
            seen.filter((id) => isKept.has(id)),
            'lost, or out of order',
          ).to.deep.equal(survivors);
        },
      );
      await fc.assert(property, { numRuns: 12, seed: 42 });
    });
  }

  const member = useMember(app);

  async function idsIn({ key, isDescending }: { key: string; isDescending: boolean }): Promise<string[]> {
    const direction = isDescending ? 'desc' : 'asc';
    const [rows] =
      await app.database.sequelize.query(`select a.id::text from articles a join article_counts r on r.article_id = a.id where a.member_id = ${member.id}
      order by ${key} ${direction}, a.id ${direction}`);
    return (rows as { id: string }[]).map(({ id }) => id);
  }

  it('rejects forged cursors, cursors of another order, and first together with last', async () => {
    await buildArticle(app.url, {}, member);
    const { edges } = await read({ sort: 'TITLE_ASC' });
    const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const bad = [
      edges[0]?.cursor,
      '',
      'x',
      '😀',
      forged(null),
      forged(['createdAt,desc', '99999999999999999', 1]),
      forged(['createdAt,desc', String(Date.UTC(10_000, 0)), 1]),
      forged(['createdAt,desc', '1e3', 1]),
      forged(['createdAt,desc', "1'", 1]),
      forged(['createdAt,desc', '1', 0]),
      forged(['createdAt,desc', '1', 1e300]),
      forged(['createdAt,desc', 1, 1]),
    ];
    for (const after of bad) {
      const { errors } = await graphql(app.url, ARTICLES, { after });
      expect(errors?.[0]?.extensions, JSON.stringify(after)).to.deep.equal({
        code: 'VALIDATION_FAILED',
        errors: [{ field: 'after', message: 'must be a cursor returned by this list in the same order' }],
      });
    }
    const nul = await graphql(app.url, ARTICLES, { sort: 'TITLE_ASC', after: forged(['title,asc', 'a\0', 1]) });
    expect(nul.errors?.[0]?.extensions.code).to.equal('VALIDATION_FAILED');
    for (const variables of [{ first: 1, last: 1 }, { first: 0 }, { first: 101 }, { last: -1 }]) {
      const { errors } = await graphql(app.url, ARTICLES, variables);
      expect(errors?.[0]?.extensions.code, JSON.stringify(variables)).to.equal('VALIDATION_FAILED');
    }
  });

  it('reads a page in one statement', async () => {
    await read({ first: 2 });
    expect(await statementsDuring(() => read({ first: 2 }))).to.have.length(1);
  });
});

describe('Comment connections', () => {
  it('return all comments of each list, forwards and backwards', async () => {
    const { id, author } = await buildArticle(app.url);
    const guest = await buildMember(app.url);
    const tops: string[] = [];
    const replies: string[] = [];
    for (let n = 0; n < 5; n++) tops.unshift(String((await buildComment(app.url, id, {}, guest)).id));
    for (let n = 0; n < 5; n++) {
      const parentCommentId = Number(tops[0]);
      replies.push(String((await buildComment(app.url, id, { parentCommentId }, guest)).id));
    }
    const newest = [...[...replies].reverse(), ...tops];
    const lists: [string, string[], BuiltMember][] = [
      [`commentConnection(articleId: ${id}, ARGS)`, tops, guest],
      [`replyConnection(commentId: ${tops[0]}, ARGS)`, replies, guest],
      ['myCommentConnection(ARGS)', newest, guest],
      ['receivedCommentConnection(ARGS)', newest, author],
    ];
    for (const [field, wanted, { token }] of lists) {
      for (const [size, edge, step, more] of [
        ['first', 'endCursor', 'after', 'hasNextPage'],
        ['last', 'startCursor', 'before', 'hasPreviousPage'],
      ] as const) {
        const seen: string[] = [];
        for (let cursor: string | null = null, isLeft = true; isLeft; ) {
          const args = `${size}: 2${cursor ? `, ${step}: "${cursor}"` : ''}`;
          const { data, errors } = await graphql(
            app.url,
            `{ list: ${field.replace('ARGS', args)} { ${PAGE} } }`,
            {},
            token,
          );
          expect(errors).to.equal(undefined);
          const ids = data.list.edges.map(({ node }: { node: { id: string } }) => node.id);
          if (size === 'first') seen.push(...ids);
          else seen.unshift(...ids);
          cursor = data.list.pageInfo[edge];
          isLeft = data.list.pageInfo[more];
        }
        expect(seen, `${field} ${size}`).to.deep.equal(wanted);
      }
    }
  });

  it('return ARTICLE_NOT_FOUND and COMMENT_NOT_FOUND for unknown ids', async () => {
    const { errors } = await graphql(app.url, '{ commentConnection(articleId: 999999) { edges { cursor } } }');
    expect(errors?.[0]?.extensions.code).to.equal('ARTICLE_NOT_FOUND');
    const none = await graphql(app.url, '{ replyConnection(commentId: 999999) { edges { cursor } } }');
    expect(none.errors?.[0]?.extensions.code).to.equal('COMMENT_NOT_FOUND');
  });
});

describe('Member.articles and Article.comments', () => {
  it('are batched into 4 statements in a transaction for a page of articles', async () => {
    const one = await buildArticle(app.url, { title: 'Mine' });
    await buildComment(app.url, one.id);
    const query = `{ articleConnection(first: 20) { edges { node { author { nickname articles(first: 2, sort: TITLE_ASC) {
      edges { node { title tags } } } } comments(last: 1) { edges { node { content } } } } } } }`;
    const { data, errors } = await graphql(app.url, query);
    expect(errors).to.equal(undefined);
    const [newest] = data.articleConnection.edges;
    expect(newest.node.author.articles.edges).to.deep.equal([{ node: { title: 'Mine', tags: [] } }]);
    expect(newest.node.comments.edges).to.have.length(1);
    expect(await statementsDuring(() => graphql(app.url, query))).to.have.length(6);
    const profile = await graphql(
      app.url,
      `{ member(id: ${one.author.id}) { nickname articles { edges { cursor } } } }`,
    );
    expect(profile.data.member.articles.edges).to.have.length(1);
  });
});

describe('Connections', () => {
  const writer = useMember(app);
  const titles = ['An owl', 'The owl', 'A lamp', 'Owls again'];
  before(async () => {
    for (const title of titles) await buildArticle(app.url, { title, content: 'x' }, writer);
  });
  const own = () => ({ memberId: String(writer.id) });

  it('have the size of the whole list, in one statement', async () => {
    const article = await buildArticle(app.url, {}, writer);
    const replied = await buildComment(app.url, article.id);
    await buildComment(app.url, article.id, { parentCommentId: replied.id });
    await buildComment(app.url, article.id);
    const token = writer.token;
    const queries: [string, number][] = [
      ['articleConnection(first: 1, filter: { memberId: $id }) { totalCount edges { node { id } } }', 5],
      ['articleConnection(first: 1, filter: { memberId: "99999999999999999999" }) { totalCount }', 0],
      ['myArticleConnection(first: 1) { totalCount }', 5],
      [`commentConnection(first: 1, articleId: ${article.id}) { totalCount }`, 2],
      [`replyConnection(first: 1, commentId: ${replied.id}) { totalCount }`, 1],
      ['receivedCommentConnection(first: 1) { totalCount }', 3],
      ['notificationConnection(first: 1) { totalCount }', 3],
      ['notificationConnection(first: 1, unreadOnly: true) { totalCount }', 3],
      ['myCommentConnection(first: 1) { totalCount }', 0],
    ];
    for (const [field, total] of queries) {
      const declared = field.includes('$id') ? 'query ($id: ID!)' : 'query';
      const statements = await statementsDuring(async () => {
        const { data, errors } = await graphql(app.url, `${declared} { list: ${field} }`, { id: writer.id }, token);
        expect(errors, field).to.equal(undefined);
        expect(data.list.totalCount, field).to.equal(total);
      });
      // Besides the check of the session.
      expect(statements.length, field).to.be.at.most(2);
    }
    const nested =
      'query ($id: ID!) { member(id: $id) { articles(first: 2) { totalCount edges { node { comments(first: 1) { totalCount } } } } } }';
    const { data } = await graphql(app.url, nested, { id: writer.id });
    expect(data.member.articles.totalCount).to.equal(5);
    expect(data.member.articles.edges[0].node.comments.totalCount).to.equal(2);
  });

  it('of articles can be searched by keyword, in every order and both directions', async () => {
    const all = async (variables: object) => {
      const pages: string[] = [];
      for (let after: string | null = null; ; ) {
        const page: Page = await read({ ...variables, first: 1, after });
        pages.push(...page.edges.map(({ node }) => node.id));
        after = page.pageInfo.endCursor;
        if (!page.pageInfo.hasNextPage) return pages;
      }
    };
    const filter = { ...own(), keyword: 'owl' };
    const newest = await all({ filter });
    expect(newest).to.have.lengthOf(3);
    expect(await all({ filter, sort: 'CREATED_AT_ASC' })).to.deep.equal([...newest].reverse());
    const last = await read({ filter, last: 2 });
    expect(last.edges.map(({ node }) => node.id)).to.deep.equal(newest.slice(1));
    const query =
      'query ($filter: ArticleFilter) { articleConnection(filter: $filter, sort: TITLE_ASC) { totalCount edges { node { title } } } }';
    const { data } = await graphql(app.url, query, { filter });
    expect(data.articleConnection.totalCount).to.equal(3);
    expect(data.articleConnection.edges.map(({ node }: { node: { title: string } }) => node.title)).to.deep.equal([
      'An owl',
      'Owls again',
      'The owl',
    ]);
  });

  it('of comments are oldest first if requested, with cursors of their own', async () => {
    const article = await buildArticle(app.url, {}, writer);
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.push(String((await buildComment(app.url, article.id)).id));
    const query = `query ($id: ID!, $after: String, $sort: CommentSort) {
      commentConnection(articleId: $id, first: 2, after: $after, sort: $sort) { edges { node { id } } pageInfo { endCursor } }
    }`;
    const send = async (variables: object) => graphql(app.url, query, { id: article.id, ...variables });
    const { data } = await send({ sort: 'CREATED_AT_ASC' });
    const { edges, pageInfo } = data.commentConnection;
    expect(edges.map(({ node }: { node: { id: string } }) => node.id)).to.deep.equal(ids.slice(0, 2));
    const after = pageInfo.endCursor;
    const next = await send({ sort: 'CREATED_AT_ASC', after });
    expect(next.data.commentConnection.edges).to.deep.equal([{ node: { id: ids[2] } }]);
    expect((await send({ after })).errors?.[0]?.extensions.code).to.equal('VALIDATION_FAILED');
  });
});
