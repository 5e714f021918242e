/** The time of publication that an author sets: articles, drafts, and what lists order by it. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { buildArticle, buildMember, useMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();

const TEXT = { title: 'Owls', content: 'One is in the attic.' };

type Listed = { id: number };

describe('The time of publication', () => {
  const author = useMember(app);
  const send = (target: string, json?: object, token = author.token) =>
    call(app.url, target, { token, ...(json && { json }) });
  const rest = async (target: string, json?: object, token?: string) => (await send(target, json, token)).body?.data;
  const create = (fields: object) => rest('POST /api/articles', { ...TEXT, ...fields });
  const ahead = (ms: number) => new Date(app.database.now() + ms).toISOString();

  it('is that of the creation by default, also of a private article, and visibility does not change it', async () => {
    const { id, publishedAt, createdAt } = await create({ visibility: 'PRIVATE' });
    expect(publishedAt)
      .to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
      .and.to.equal(createdAt);
    await app.database.sequelize.query(`update all_articles set created_at = '2020-01-01T00:00:00Z' where id = ${id}`);
    expect((await rest(`PUT /api/articles/${id}/visibility`, { visibility: 'PUBLIC' })).publishedAt).to.equal(
      '2020-01-01T00:00:00',
    );
  });

  it('is set by a new article and by an edit, and kept by an edit without it', async () => {
    const { id, publishedAt, createdAt, updatedAt } = await create({ publishedAt: '2015-03-01T09:30:00+09:00' });
    expect([publishedAt, createdAt]).to.deep.equal(['2015-03-01T00:30:00', '2015-03-01T00:30:00']);
    expect(Date.parse(`${updatedAt}Z`)).to.be.above(Date.parse('2026-01-01'));
    const put = async (fields: object) => {
      const { publishedAt, createdAt, revision } = await rest(`PUT /api/articles/${id}`, { ...TEXT, ...fields });
      return [publishedAt, createdAt, revision];
    };
    expect(await put({})).to.deep.equal(['2015-03-01T00:30:00', '2015-03-01T00:30:00', 2]);
    expect(await put({ publishedAt: null })).to.deep.equal(['2015-03-01T00:30:00', '2015-03-01T00:30:00', 3]);
    expect(await put({ publishedAt: '1970-01-01T00:00:00Z' })).to.deep.equal([
      '1970-01-01T00:00:00',
      '1970-01-01T00:00:00',
      4,
    ]);
  });

  it('is set over GraphQL', async () => {
    const create =
      'mutation ($input: CreateArticleInput!) { createArticle(input: $input) { id publishedAt createdAt } }';
    const input = { ...TEXT, publishedAt: '2015-03-01T00:30:00Z' };
    const { id, ...times } = (await graphql(app.url, create, { input }, author.token)).data?.createArticle ?? {};
    expect(times).to.deep.equal({ publishedAt: '2015-03-01T00:30:00Z', createdAt: '2015-03-01T00:30:00Z' });
    const update =
      'mutation ($id: ID!, $input: UpdateArticleInput!) { updateArticle(id: $id, input: $input) { publishedAt } }';
    const edit = { ...TEXT, publishedAt: '2016-03-01T00:30:00Z' };
    const { data } = await graphql(app.url, update, { id, input: edit }, author.token);
    expect(data?.updateArticle.publishedAt).to.equal('2016-03-01T00:30:00Z');
  });

  it('is stored as now up to 60 seconds ahead of the clock of the database', async () => {
    const { publishedAt } = await create({ publishedAt: ahead(50_000) });
    const aheadMs = Date.parse(`${publishedAt}Z`) - app.database.now();
    expect(aheadMs).to.be.at.most(0).and.above(-30_000);
  });

  it('is neither before 1970 nor in the future, for which the error names schedules', async () => {
    const { id } = await create({});
    for (const publishedAt of ['1969-12-31T23:59:59.999Z', ahead(70_000), '9999-12-31T00:00:00.000Z']) {
      const message = `must be from 1970-01-01T00:00:00Z until now, got ${publishedAt}; to publish a text later, schedule a draft`;
      for (const target of ['POST /api/articles', `PUT /api/articles/${id}`, 'POST /api/drafts']) {
        const { status, body } = await send(target, { ...TEXT, publishedAt });
        expect([status, body?.data]).to.deep.equal([400, { errors: [{ field: 'publishedAt', message }] }]);
      }
    }
  });

  it('of a draft is null until it is set, and that of the article when it is published', async () => {
    const { id, publishedAt } = await rest('POST /api/drafts', TEXT);
    expect(publishedAt).to.equal(null);
    const saved = await rest(`PATCH /api/drafts/${id}`, { publishedAt: '2015-03-01T00:30:00Z' });
    expect([saved.publishedAt, saved.revision]).to.deep.equal(['2015-03-01T00:30:00', 2]);
    expect((await rest(`PATCH /api/drafts/${id}`, { publishedAt: '2015-03-01T00:30:00Z' })).revision).to.equal(2);
    const article = await rest(`POST /api/drafts/${id}/publish`);
    expect(article.publishedAt).to.equal('2015-03-01T00:30:00');
    const edit = await rest(`PUT /api/articles/${article.id}/draft`);
    expect(edit.publishedAt).to.equal(null);
    const published = await rest(`POST /api/drafts/${edit.id}/publish`);
    expect([published.id, published.publishedAt]).to.deep.equal([article.id, '2015-03-01T00:30:00']);
    const { id: other } = await rest('POST /api/drafts', TEXT);
    const now = await rest(`POST /api/drafts/${other}/publish`);
    expect(app.database.now() - Date.parse(`${now.publishedAt}Z`)).to.be.below(60_000);
  });

  it('moves the article in every list, and renews their validators', async () => {
    const writer = await buildMember(app.url);
    const build = async (fields: object) =>
      (await buildArticle(app.url, { ...TEXT, tags: ['moved'], ...fields }, writer)).id;
    const [oldest, middle, newest] = [
      await build({ publishedAt: '2014-01-01T00:00:00Z' }),
      await build({ publishedAt: '2015-01-01T00:00:00Z' }),
      await build({ publishedAt: '2016-01-01T00:00:00Z' }),
    ];
    await send(`PUT /api/members/${writer.id}/follow`);
    const lists = [
      `/api/articles?memberId=${writer.id}`,
      '/api/articles?tag=moved',
      `/api/articles?keyword=attic&memberId=${writer.id}`,
      `/api/articles?tag=moved&keyword=attic`,
    ];
    const idsIn = async (target: string, token?: string) =>
      (await rest(`GET ${target}`, undefined, token)).contents.map(({ id }: Listed) => id);
    for (const list of lists) expect(await idsIn(list), list).to.deep.equal([newest, middle, oldest]);
    const feed = `${app.url}/members/${writer.id}/feed.json`;
    const inFeed = async () => {
      const { items } = (await (await fetch(feed)).json()) as { items: { url: string }[] };
      return items.map(({ url }) => url);
    };
    const before = await inFeed();
    const etags = await Promise.all(
      lists.map(async (list) => (await call(app.url, `GET ${list}`)).headers.get('etag')),
    );
    const statements = await statementsDuring(() =>
      send(`PUT /api/articles/${oldest}`, { ...TEXT, publishedAt: '2017-01-01T00:00:00Z' }, writer.token),
    );
    const plain = await statementsDuring(() => send(`PUT /api/articles/${oldest}`, TEXT, writer.token));
    expect(statements.length).to.equal(plain.length);
    for (const [index, list] of lists.entries()) {
      const headers = { 'if-none-match': etags[index] ?? '' };
      expect((await call(app.url, `GET ${list}`, { headers })).status, list).to.equal(200);
      expect(await idsIn(list), list).to.deep.equal([oldest, newest, middle]);
    }
    expect(await idsIn('/api/articles/me?tag=moved', writer.token)).to.deep.equal([oldest, newest, middle]);
    expect(await idsIn('/api/articles/following', author.token)).to.deep.equal([oldest, newest, middle]);
    expect(await inFeed()).to.deep.equal([before[2], before[0], before[1]]);
    const { previous, next } = await rest(`GET /api/articles/${oldest}/neighbors`);
    expect([previous.id, next]).to.deep.equal([newest, null]);
    const filtered = `/api/articles?memberId=${writer.id}&from=2017-01-01&to=2018-01-01`;
    expect(await idsIn(filtered)).to.deep.equal([oldest]);
    const { contents: months } = await rest(`GET /api/articles/archive?memberId=${writer.id}`);
    expect(months.map(({ year }: { year: number }) => year)).to.deep.equal([2017, 2016, 2015]);
  });

  it('orders articles of one time by id', async () => {
    const writer = await buildMember(app.url);
    const ids: number[] = [];
    for (let count = 0; count < 3; count++)
      ids.push((await buildArticle(app.url, { ...TEXT, publishedAt: '2015-01-01T00:00:00Z' }, writer)).id);
    const { contents } = await rest(`GET /api/articles?memberId=${writer.id}`);
    expect(contents.map(({ id }: Listed) => id)).to.deep.equal(ids.reverse());
  });

  it('is copied with the article, so that no copy differs', async () => {
    const different = `select a.id from all_articles a
      left join all_article_tags t on t.article_id = a.id
      left join article_search s on s.article_id = a.id
      left join private_article_search p on p.article_id = a.id
      left join article_counts c on c.article_id = a.id
      where t.created_at <> a.created_at or coalesce(s.created_at, p.created_at) <> a.created_at or c.month <> month_of(a.created_at)`;
    expect((await app.database.sequelize.query(different))[0]).to.deep.equal([]);
  });
});
