/** Lists by likes and views, the archive by month, and related articles, over both APIs. */
import { expect } from 'chai';
import { refreshTrends } from '../../../src/models/article/trend.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import { addJobs, runJobs } from '../../support/jobs.js';
import { ageStamps, fetchCopy } from '../../support/stamps.js';
import { statementsDuring } from '../../support/statements.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp();
let author: BuiltMember;
let readers: number[];
const run = (sql: string) => app.database.sequelize.query(sql);

/** Noon of the last of 30 days, which begin on 15 February. */
const UNTIL = '2026-03-16T12:00:00Z';

beforeEach(async () => {
  await run('delete from all_articles');
  author = await buildMember(app.url);
  await run("delete from members where email like 'reader%'");
  const rows = await rowsOf<{ id: number }>(
    app.database,
    "insert into members (email, member_name, nickname) select 'reader' || n, 'r' || n, 'reader' || n from generate_series(1, 9) n returning id",
  );
  readers = rows.map(({ id }) => Number(id));
});

const write = async (fields: object = {}, by = author) => (await buildArticle(app.url, { ...fields }, by)).id;
/** @param time of the likes */
const like = (articleId: number, likes: number, time = '2026-03-16T11:59:59Z') =>
  run(`insert into reactions (article_id, kind, member_id, created_at)
    select ${articleId}, 'LIKE', id, '${time}' from unnest(array[${readers}]) id
    where not exists (select from reactions where article_id = ${articleId} and member_id = id) limit ${likes}`);
const view = async (articleId: number, views: number, day = '2026-03-16') => {
  await run(`update article_counts set views = views + ${views} where article_id = ${articleId}`);
  await run(`insert into article_view_days (article_id, day, views) values (${articleId}, '${day}', ${views})`);
};
const rank = (until = UNTIL) => refreshTrends(app.database, { until });

async function list(query: string, token?: string) {
  const path = token === undefined ? '/api/articles' : '/api/articles/me';
  const options = token === undefined ? {} : { token };
  const { body } = await expectStatus(call(app.url, `GET ${path}?${query}`, options), 200, '1', query);
  const { contents, pagination } = body?.data ?? {};
  return { ids: contents.map(({ id }: { id: number }) => id), total: pagination.totalElements };
}

/** All pages of one element. */
async function walk(args: string, field = 'articleConnection', token?: string) {
  const ids: number[] = [];
  let total = 0;
  for (let after = ''; ; ) {
    const query = `{ ${field}(first: 1, ${args}${after}) { totalCount edges { node { id } } pageInfo { hasNextPage endCursor } } }`;
    const { data } = await graphql(app.url, query, {}, token);
    const { edges, pageInfo, totalCount } = data[field];
    ids.push(...edges.map(({ node }: { node: { id: string } }) => Number(node.id)));
    total = totalCount;
    if (!pageInfo.hasNextPage) return { ids, total };
    after = `, after: "${pageInfo.endCursor}"`;
  }
}

describe('Lists by likes and views', () => {
  it('have the articles without any after the others, with every filter, on pages and connections, in one statement', async () => {
    const [a, b] = [await write({ title: 'Tide a', tags: ['sea'] }), await write({ title: 'Tide b' })];
    const other = await buildMember(app.url);
    const c = await write({ title: 'Tide c', tags: ['sea'] }, other);
    const d = await write({ title: 'Another' });
    const hidden = await write({ title: 'Tide hidden', tags: ['sea'], visibility: 'PRIVATE' });
    for (const [id, likes] of [
      [a, 2],
      [b, 5],
      [c, 2],
      [hidden, 9],
    ] as const)
      await like(id, likes);
    for (const [id, views] of [
      [d, 7],
      [c, 3],
    ] as const)
      await view(id, views);
    const { categoryId } = (await call(app.url, `GET /api/articles/${a}`)).body?.data ?? {};
    const expected: [string, string, number[], number[]][] = [
      ['', '', [b, c, a, d], [d, c, b, a]],
      [`memberId=${author.id}`, `memberId: ${author.id}`, [b, a, d], [d, b, a]],
      [`categoryId=${categoryId}`, `categoryId: ${categoryId}`, [b, a, d], [d, b, a]],
      ['tag=sea', 'tag: "sea"', [c, a], [c, a]],
      ['keyword=tide', 'keyword: "tide"', [b, c, a], [c, b, a]],
      ['from=2020-01-01', 'from: "2020-01-01T00:00:00Z"', [b, c, a, d], [d, c, b, a]],
      [`tag=sea&memberId=${author.id}`, `tag: "sea", memberId: ${author.id}`, [a], [a]],
    ];
    for (const [query, filter, byLikes, byViews] of expected) {
      for (const [sort, name, ids] of [
        ['likeCount,desc', 'LIKE_COUNT_DESC', byLikes],
        ['viewCount,desc', 'VIEW_COUNT_DESC', byViews],
      ] as const) {
        const found = { ids, total: ids.length };
        const texts = await statementsDuring(async () => {
          expect(await list(`sort=${sort}&${query}`), `${sort} ${query}`).to.deep.equal(found);
        });
        // A search, or a list without an index, sets its time limit.
        expect(
          texts.filter((text) => !/^set_config|statement_timeout/i.test(text)),
          query,
        ).to.have.lengthOf(1);
        expect((await list(`sort=${sort}&${query}&size=1&page=2`)).ids).to.deep.equal(ids.slice(1, 2));
        expect(await walk(`sort: ${name}, filter: { ${filter} }`), `${sort} ${query}`).to.deep.equal(found);
      }
    }
    const own = { ids: [hidden, b, a, d], total: 4 };
    expect(await list('sort=likeCount,desc', author.token)).to.deep.equal(own);
    expect(await walk('sort: LIKE_COUNT_DESC', 'myArticleConnection', author.token)).to.deep.equal(own);
    expect(await list('sort=likeCount,desc&visibility=PUBLIC', author.token)).to.deep.equal({
      ids: [b, a, d],
      total: 3,
    });
    expect(await list('sort=likeCount,desc&visibility=PRIVATE', author.token)).to.deep.equal({
      ids: [hidden],
      total: 1,
    });
    const query = `{ member(id: ${author.id}) { articles(first: 2, sort: LIKE_COUNT_DESC) { totalCount edges { node { id } } } } }`;
    expect((await graphql(app.url, query)).data.member.articles).to.deep.equal({
      totalCount: 3,
      edges: [{ node: { id: String(b) } }, { node: { id: String(a) } }],
    });
  });

  it('follow changes of counts, visibility and author at once', async () => {
    const [a, b] = [await write(), await write()];
    const order = async () => (await list('sort=likeCount,desc')).ids;
    await like(a, 1);
    expect(await order()).to.deep.equal([a, b]);
    await like(b, 2);
    expect(await order()).to.deep.equal([b, a]);
    await setPrivate(app.url, { id: b, author });
    expect(await order()).to.deep.equal([a]);
    await setPrivate(app.url, { id: b, author }, false);
    expect(await order()).to.deep.equal([b, a]);
    const other = await buildMember(app.url);
    await run(
      `update all_articles set member_id = ${other.id}, category_id = (select id from categories where member_id = ${other.id}) where id = ${a}`,
    );
    expect((await list(`sort=likeCount,desc&memberId=${other.id}`)).ids).to.deep.equal([a]);
    await run(`delete from members where id = ${other.id}`);
    expect(await order()).to.deep.equal([b]);
  });

  it('continue after a cursor from its number, whatever happens to the others meanwhile', async () => {
    const ids = [await write(), await write(), await write(), await write()] as const;
    for (const [index, id] of ids.entries()) await like(id, index + 1);
    const page = async (after?: string) => {
      const args = after === undefined ? '' : `, after: "${after}"`;
      const query = `{ articleConnection(first: 2, sort: LIKE_COUNT_DESC${args}) { edges { node { id } cursor } } }`;
      return (await graphql(app.url, query)).data.articleConnection.edges as { node: { id: string }; cursor: string }[];
    };
    const first = await page();
    const idsOf = (edges: typeof first) => edges.map(({ node }) => Number(node.id));
    expect(idsOf(first)).to.deep.equal([ids[3], ids[2]]);
    await run(`delete from reactions where article_id = ${ids[2]}`);
    await like(ids[0], 8);
    // The first article has moved before the cursor; the third one follows again, with no likes.
    expect(idsOf(await page(first[1]?.cursor))).to.deep.equal([ids[1], ids[2]]);
  });
});

describe('Lists of a period', () => {
  it('have the articles with likes or views in the last 1, 7 and 30 days (UTC) until the last full hour, by their number', async () => {
    const [a, b, c, d] = [await write({ tags: ['sea'] }), await write(), await write({ tags: ['sea'] }), await write()];
    await like(a, 1, '2026-03-16T00:00:00Z');
    await like(a, 1, '2026-03-15T23:59:59Z');
    await like(b, 3, '2026-03-10T00:00:00Z');
    await like(b, 1, '2026-03-09T23:59:59Z');
    await like(c, 5, '2026-02-15T00:00:00Z');
    await like(c, 1, '2026-02-14T23:59:59Z');
    await like(d, 9, UNTIL);
    await view(d, 2, '2026-03-16');
    await view(a, 2, '2026-03-15');
    await view(c, 9, '2026-02-14');
    await rank();
    const expected: [string, string, number[]][] = [
      ['likeCount', 'day', [a]],
      ['likeCount', 'week', [b, a]],
      ['likeCount', 'month', [c, b, a]],
      ['viewCount', 'day', [d]],
      ['viewCount', 'week', [d, a]],
      ['viewCount', 'month', [d, a]],
    ];
    for (const [count, period, ids] of expected) {
      const found = { ids, total: ids.length };
      const texts = await statementsDuring(async () => {
        expect(await list(`sort=${count},desc&period=${period}`), `${count} ${period}`).to.deep.equal(found);
      });
      expect(texts).to.have.lengthOf(1);
      const sort = count === 'likeCount' ? 'LIKE_COUNT_DESC' : 'VIEW_COUNT_DESC';
      expect(await walk(`sort: ${sort}, period: ${period.toUpperCase()}`)).to.deep.equal(found);
      const page = `{ articles(sort: ${sort}, period: ${period.toUpperCase()}, size: 1, page: 2) { contents { id } pagination { totalElements } } }`;
      const { contents, pagination } = (await graphql(app.url, page)).data.articles;
      expect(contents).to.deep.equal(ids.slice(1, 2).map((id) => ({ id: String(id) })));
      expect(pagination.totalElements).to.equal(ids.length);
    }
    // Their number of likes is that of all time.
    const { body } = await call(app.url, 'GET /api/articles?sort=likeCount,desc&period=week');
    expect(body?.data.contents.map(({ likeCount }: { likeCount: number }) => likeCount)).to.deep.equal([4, 2]);
  });

  it('combine with the filters and with searches', async () => {
    const [a, b] = [await write({ title: 'Tide a', tags: ['sea'] }), await write({ title: 'Tide b' })];
    const other = await buildMember(app.url);
    const c = await write({ title: 'Tide c', tags: ['sea'] }, other);
    await write({ title: 'Tide d', tags: ['sea'] });
    for (const [id, likes] of [
      [a, 1],
      [b, 2],
      [c, 3],
    ] as const)
      await like(id, likes);
    await rank();
    const { categoryId } = (await call(app.url, `GET /api/articles/${a}`)).body?.data ?? {};
    const expected: [string, string, number[]][] = [
      ['', '', [c, b, a]],
      [`memberId=${author.id}`, `memberId: ${author.id}`, [b, a]],
      [`categoryId=${categoryId}`, `categoryId: ${categoryId}`, [b, a]],
      ['tag=sea', 'tag: "sea"', [c, a]],
      ['keyword=tide', 'keyword: "tide"', [c, b, a]],
      ['from=2020-01-01', 'from: "2020-01-01T00:00:00Z"', [c, b, a]],
      ['to=2020-01-01', 'to: "2020-01-01T00:00:00Z"', []],
      [`keyword=tide&memberId=${author.id}&tag=sea`, `keyword: "tide", memberId: ${author.id}, tag: "sea"`, [a]],
    ];
    for (const [query, filter, ids] of expected) {
      const found = { ids, total: ids.length };
      expect(await list(`sort=likeCount,desc&period=month&${query}`), query).to.deep.equal(found);
      expect(await walk(`sort: LIKE_COUNT_DESC, period: MONTH, filter: { ${filter} }`), query).to.deep.equal(found);
    }
  });

  it('never have private articles, except for their authors, nor those of withdrawn members', async () => {
    const other = await buildMember(app.url);
    const [a, b, c] = [await write(), await write(), await write({}, other)];
    for (const id of [a, b, c]) await like(id, 2);
    await rank();
    const query = 'sort=likeCount,desc&period=week';
    expect(await list(query)).to.deep.equal({ ids: [c, b, a], total: 3 });
    await setPrivate(app.url, { id: b, author });
    expect(await list(query)).to.deep.equal({ ids: [c, a], total: 2 });
    expect(await list(query, author.token)).to.deep.equal({ ids: [b, a], total: 2 });
    expect(await list(`${query}&visibility=PRIVATE`, author.token)).to.deep.equal({ ids: [b], total: 1 });
    await rank();
    expect(await list(query)).to.deep.equal({ ids: [c, a], total: 2 });
    const { token, password } = other;
    await expectStatus(call(app.url, 'DELETE /api/members/me', { token, json: { password } }), 200, '1');
    expect(await list(query)).to.deep.equal({ ids: [a], total: 1 });
    await call(app.url, `DELETE /api/articles/${a}`, { token: author.token });
    expect(await list(query)).to.deep.equal({ ids: [], total: 0 });
    await setPrivate(app.url, { id: b, author }, false);
    expect(await list(query)).to.deep.equal({ ids: [b], total: 1 });
  });

  it('reject a period with another order, and cursors of another period', async () => {
    const message = 'period: needs a sort order by likes or views: likeCount,desc or viewCount,desc';
    for (const query of [
      'period=week',
      'period=week&sort=createdAt,desc',
      'period=day&keyword=tide',
      'period=day&memberId=9007199254740993',
    ]) {
      expectFieldErrors(
        await expectStatus(call(app.url, `GET /api/articles?${query}`), 400, 'VALIDATION_FAILED'),
        message,
      );
      const own = query.replace(/&memberId.*/, '');
      const reply = call(app.url, `GET /api/articles/me?${own}`, { token: author.token });
      expectFieldErrors(await expectStatus(reply, 400, 'VALIDATION_FAILED'), message);
    }
    for (const period of ['year', 'WEEK', '', '7']) {
      const reply = await expectStatus(
        call(app.url, `GET /api/articles?sort=likeCount,desc&period=${period}`),
        400,
        'VALIDATION_FAILED',
      );
      expectFieldErrors(reply, `period: must be one of day or week or month, got "${period}"`);
    }
    await expectStatus(call(app.url, 'GET /api/articles?sort=likeCount,asc'), 400, 'VALIDATION_FAILED');
    for (const field of ['articles', 'articleConnection']) {
      const part = field === 'articles' ? 'contents { id }' : 'edges { cursor }';
      const { errors } = await graphql(app.url, `{ ${field}(period: WEEK) { ${part} } }`);
      expect(errors?.[0]?.extensions.errors).to.deep.equal([{ field: 'period', message: message.slice(8) }]);
    }
    await like(await write(), 1);
    await rank();
    const read = (args: string) =>
      graphql(app.url, `{ articleConnection(first: 1, sort: LIKE_COUNT_DESC, ${args}) { edges { cursor } } }`);
    const [{ cursor }] = (await read('period: WEEK')).data.articleConnection.edges;
    expect((await read(`period: WEEK, after: "${cursor}"`)).errors).to.equal(undefined);
    for (const period of ['', 'period: DAY, ']) {
      const { errors } = await read(`${period}after: "${cursor}"`);
      expect(errors?.[0]?.extensions.errors).to.deep.equal([
        { field: 'after', message: 'must be a cursor returned by this list in the same order' },
      ]);
    }
  });
});

describe('The job rank-articles', () => {
  const state = () =>
    rowsOf(app.database, 'select article_id, days, likes, views, is_private from article_trends order by 1, 2');

  it('counts until the last full hour, renews the stamp of lists once, and only if something public has changed', async () => {
    const id = await write();
    await like(id, 2, new Date(Date.now() - 3_600_000 * 26).toISOString());
    // After the last full hour, also if the next one begins meanwhile.
    await like(id, 3, new Date(Date.now() + 3_600_000).toISOString());
    await ageStamps(app.database);
    const path = `${app.url}/api/articles?sort=likeCount,desc&period=month`;
    const before = await fetchCopy(path);
    const job = () => addJobs(app.database, 'rank-articles', [{}]).then(() => runJobs(app));
    const texts = await statementsDuring(job);
    expect(texts.filter((text) => text.includes('stamp_journal'))).to.have.lengthOf(1);
    const after = await fetchCopy(path);
    expect([after.etag === before.etag, JSON.parse(after.body).data.pagination.totalElements]).to.deep.equal([
      false,
      1,
    ]);
    const [row] = await rowsOf<{ likes: number }>(app.database, 'select likes from article_trends where days = 30');
    expect(row?.likes).to.equal(2);
    await like(await write({ visibility: 'PRIVATE' }), 2, new Date(Date.now() - 3_600_000 * 26).toISOString());
    const again = await statementsDuring(job);
    expect(again.filter((text) => text.includes('stamp_journal'))).to.have.lengthOf(0);
    expect((await fetchCopy(path)).etag).to.equal(after.etag);
  });

  it('works in batches with the same result, also after an interruption', async () => {
    const template = await write();
    await run(`insert into all_articles (slug, member_id, category_id, title, content)
      select gen_random_uuid(), member_id, category_id, 'T' || n, 'C' from all_articles, generate_series(1, 700) n where id = ${template}`);
    await run(`insert into article_view_days (article_id, day, views)
      select id, date '2026-03-16' - (id % 3)::integer * 5, 1 + id % 4 from all_articles`);
    await run(`insert into reactions (article_id, kind, member_id, created_at)
      select id, 'LIKE', ${readers[0]}, timestamptz '2026-03-16T09:00:00Z' - id % 2 * interval '10 days' from all_articles`);
    const stopping = new AbortController();
    let batches = 0;
    const signal = {
      throwIfAborted: () => {
        if (++batches > 1) stopping.abort();
        stopping.signal.throwIfAborted();
      },
    } as AbortSignal;
    const error = await refreshTrends(app.database, { until: UNTIL, signal }).then(
      () => null,
      (one: Error) => one.name,
    );
    expect(error).to.equal('AbortError');
    const part = (await state()).length;
    await rank();
    const found = await state();
    expect(part).to.be.within(1, found.length - 1);
    const counted = await rowsOf(
      app.database,
      `select a.id as article_id, p.days, l.likes::integer, v.views::integer, false as is_private
      from all_articles a cross join (values (1::smallint), (7), (30)) p(days),
        lateral (select count(*) as likes from reactions where article_id = a.id and created_at >= timestamptz '2026-03-17Z' - p.days * interval '1 day') l,
        lateral (select coalesce(sum(views), 0) as views from article_view_days where article_id = a.id and day > date '2026-03-16' - p.days) v
      where l.likes > 0 or v.views > 0 order by 1, 2`,
    );
    expect(found).to.deep.equal(counted);
    // A month later, nothing is left.
    await rank('2026-05-16T12:00:00Z');
    expect(await state()).to.deep.equal([]);
    expect((await list('sort=viewCount,desc&period=month')).total).to.equal(0);
  });

  it('sees a concurrent change of the visibility, or is seen by it', async () => {
    const [a, b] = [await write(), await write()];
    for (const id of [a, b]) await like(id, 1);
    await Promise.all([setPrivate(app.url, { id: a, author }), rank(), setPrivate(app.url, { id: b, author }), rank()]);
    expect(await list('sort=likeCount,desc&period=week')).to.deep.equal({ ids: [], total: 0 });
    expect(await list('sort=likeCount,desc&period=week', author.token)).to.deep.equal({ ids: [b, a], total: 2 });
  });
});

describe('GET /api/articles/archive', () => {
  async function archive(memberId?: number) {
    const query = memberId === undefined ? '' : `?memberId=${memberId}`;
    const { body } = await expectStatus(call(app.url, `GET /api/articles/archive${query}`), 200, '1');
    const argument = memberId === undefined ? '' : `(memberId: ${memberId})`;
    const { data } = await graphql(app.url, `{ articleArchive${argument} { year month articleCount } }`);
    expect(data.articleArchive).to.deep.equal(body?.data.contents);
    return body?.data.contents.map((one: { year: number; month: number; articleCount: number }) =>
      Object.values(one).join(' '),
    );
  }
  const insert = (times: readonly string[], memberId = author.id) =>
    run(`insert into all_articles (slug, member_id, category_id, title, content, created_at)
      select gen_random_uuid(), ${memberId}, (select id from categories where member_id = ${memberId} limit 1), 'T', 'C', t::timestamptz
      from unnest(array[${times.map((time) => `'${time}'`)}]) t`);

  it('counts public articles by month (UTC), latest first, of all members or of one', async () => {
    const other = await buildMember(app.url);
    await insert([
      '2025-12-31T23:59:59Z',
      '2026-01-01T00:00:00Z',
      '2026-01-01T08:00:00+09:00',
      '2026-01-31T23:30:00-01:00',
    ]);
    await insert(['2026-01-15T00:00:00Z'], other.id);
    expect(await archive()).to.deep.equal(['2026 2 1', '2026 1 2', '2025 12 2']);
    expect(await archive(author.id)).to.deep.equal(['2026 2 1', '2026 1 1', '2025 12 2']);
    expect(await archive(other.id)).to.deep.equal(['2026 1 1']);
    expect(await archive(999_999)).to.deep.equal([]);
    const texts = await statementsDuring(() => call(app.url, 'GET /api/articles/archive?memberId=1'));
    expect(texts.length).to.be.at.most(2);
    await expectStatus(call(app.url, 'GET /api/articles/archive?memberId=x'), 400, 'VALIDATION_FAILED');
    expect(
      (await call(app.url, 'GET /api/articles/archive?memberId=99999999999999999999')).body?.data.contents,
    ).to.deep.equal([]);
  });

  it('follows visibility, author, deletion and withdrawal', async () => {
    const other = await buildMember(app.url);
    await insert(['2026-01-15T00:00:00Z', '2026-01-16T00:00:00Z', '2026-02-16T00:00:00Z']);
    const ids = (await rowsOf<{ id: string }>(app.database, 'select id from articles order by id')).map(({ id }) => id);
    await run(`update all_articles set is_private = true where id = ${ids[0]}`);
    expect(await archive()).to.deep.equal(['2026 2 1', '2026 1 1']);
    await run(`update all_articles set is_private = true where id = ${ids[1]}`);
    expect(await archive(author.id)).to.deep.equal(['2026 2 1']);
    await run(`update all_articles set is_private = false, member_id = ${other.id},
      category_id = (select id from categories where member_id = ${other.id}) where id = ${ids[0]}`);
    expect([await archive(author.id), await archive(other.id)]).to.deep.equal([['2026 2 1'], ['2026 1 1']]);
    await run(`update all_articles set created_at = '2024-06-01Z' where id = ${ids[2]}`);
    expect(await archive()).to.deep.equal(['2026 1 1', '2024 6 1']);
    await call(app.url, `DELETE /api/articles/${ids[2]}`, { token: author.token });
    await run(`delete from members where id = ${other.id}`);
    expect(await archive()).to.deep.equal([]);
  });

  it('has validators that change with a publication', async () => {
    await insert(['2026-01-15T00:00:00Z']);
    await ageStamps(app.database);
    const read = () => fetchCopy(`${app.url}/api/articles/archive`);
    const before = await read();
    await write({ visibility: 'PRIVATE' });
    expect((await read()).etag).to.equal(before.etag);
    await write();
    expect((await read()).etag).to.not.equal(before.etag);
  });
});

describe('GET /api/articles/{articleId}/related', () => {
  async function related(id: number, query = '', token?: string) {
    const options = token === undefined ? {} : { token };
    const { body } = await expectStatus(call(app.url, `GET /api/articles/${id}/related${query}`, options), 200, '1');
    const size = /size=(\d+)/.exec(query)?.[1] ?? 10;
    const document = `{ relatedArticles(articleId: ${id}, size: ${size}) { id tags content author { id } } }`;
    const { data } = await graphql(app.url, document, {}, token);
    const ids = body?.data.contents.map((one: { id: number }) => one.id);
    expect(data.relatedArticles.map((one: { id: string }) => Number(one.id))).to.deep.equal(ids);
    return ids;
  }

  it('lists the articles with the most tags in common, then words of the title, then the newest, in one statement', async () => {
    const id = await write({ title: 'Lighthouse, 등대 in “autumn”', tags: ['sea', 'walk', 'fog'] });
    const one = await write({ title: 'Something', tags: ['sea'] });
    const words = await write({ title: 'Another lighthouse', tags: ['Sea'] });
    const two = await write({ title: 'Else', tags: ['fog', 'walk', 'tea'] });
    const korean = await write({ title: '등대에서 본 autumn' });
    const newer = await write({ title: 'Anything', tags: ['fog'] });
    const hidden = await write({ title: 'Lighthouse', tags: ['sea', 'walk', 'fog'], visibility: 'PRIVATE' });
    await write({ title: 'In the garden', tags: ['tea'] });
    expect(await related(id)).to.deep.equal([two, words, newer, one, korean]);
    expect(await related(id, '?size=2')).to.deep.equal([two, words]);
    expect(await related(id, '', author.token)).to.deep.equal([two, words, newer, one, korean]);
    expect(await related(hidden, '', author.token)).to.deep.equal([id, two, words, newer, one]);
    const texts = await statementsDuring(() => call(app.url, `GET /api/articles/${id}/related?size=3`));
    expect(texts.filter((text) => !/stamp/.test(text))).to.have.lengthOf(1);
  });

  it('is empty for an article that has nothing in common with others', async () => {
    const id = await write({ title: '??? !!! (x) [y] ^z` {} ~', tags: [] });
    await write({ title: '!!! a' });
    expect(await related(id)).to.deep.equal([]);
  });

  it('responds 404 for unknown articles and those of others that are private, and 400 for a wrong size', async () => {
    const id = await write({ visibility: 'PRIVATE', tags: ['sea'] });
    await write({ tags: ['sea'] });
    const other = await buildMember(app.url);
    for (const options of [{}, { token: other.token }])
      await expectStatus(call(app.url, `GET /api/articles/${id}/related`, options), 404, 'ARTICLE_NOT_FOUND');
    await expectStatus(call(app.url, 'GET /api/articles/999999/related'), 404, 'ARTICLE_NOT_FOUND');
    const { data, errors } = await graphql(app.url, `{ relatedArticles(articleId: ${id}) { id } }`);
    expect([data, errors?.[0]?.extensions.code]).to.deep.equal([{ relatedArticles: null }, 'ARTICLE_NOT_FOUND']);
    for (const size of ['0', '21', 'x', '-1'])
      await expectStatus(call(app.url, `GET /api/articles/${id}/related?size=${size}`), 400, 'VALIDATION_FAILED');
  });

  it('has validators that change with tags and titles', async () => {
    const [id, other] = [await write({ tags: ['sea'] }), await write()];
    await ageStamps(app.database);
    const read = () => fetchCopy(`${app.url}/api/articles/${id}/related`);
    const before = await read();
    expect((await read()).etag).to.equal(before.etag);
    const json = { title: 'T', content: 'C', tags: ['sea'] };
    await call(app.url, `PUT /api/articles/${other}`, { token: author.token, json });
    const after = await read();
    expect([after.etag === before.etag, JSON.parse(after.body).data.contents[0].id]).to.deep.equal([false, other]);
  });
});
