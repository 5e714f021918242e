/** Statistics of articles, for their authors, over both APIs. */
import { join } from 'node:path';
import { expect } from 'chai';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { runExport, unzip } from '../../support/exported.js';
import { makeFolder } from '../../support/folder.js';
import { statementsDuring } from '../../support/statements.js';
import { view, viewsOf } from '../../support/views.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp({ TRUST_PROXY: '1' });
let article: BuiltArticle;
let reader: BuiltMember;
before(async () => {
  article = await buildArticle(app.url);
  reader = await buildMember(app.url);
  for (const target of ['like', 'bookmark'])
    await call(app.url, `PUT /api/articles/${article.id}/${target}`, { token: reader.token });
  await buildComment(app.url, article.id);
  for (const address of ['192.0.2.1', '192.0.2.2']) await view(app.url, article.id, { address });
  await viewsOf(app, article.id);
  await app.database.sequelize.query(`insert into article_view_days values (${article.id}, '2024-02-28', 3), (${article.id}, '2024-03-01', 4);
    update article_counts set views = views + 7`);
});

const statistics = (query = '', { token }: { token: string } = article.author, id: number | string = article.id) =>
  call(app.url, `GET /api/articles/${id}/statistics${query}`, { token });
const today = () => new Date(app.database.now()).toISOString().slice(0, 10);

const QUERY = `query ($id: ID!, $from: String, $to: String) { articleStatistics(articleId: $id, from: $from, to: $to) {
  views { date count } viewCount likeCount bookmarkCount commentCount } }`;

describe('GET /api/articles/{articleId}/statistics', () => {
  it('responds with each day of the period, including both ends and days without views, and with totals', async () => {
    const { body } = await expectStatus(statistics('?from=2024-02-28&to=2024-03-02'), 200, '1');
    const expected = {
      views: [
        { date: '2024-02-28', count: 3 },
        { date: '2024-02-29', count: 0 },
        { date: '2024-03-01', count: 4 },
        { date: '2024-03-02', count: 0 },
      ],
      ...{ viewCount: 9, likeCount: 1, bookmarkCount: 1, commentCount: 1 },
    };
    expect(body?.data).to.deep.equal(expected);
    const variables = { id: article.id, from: '2024-02-28', to: '2024-03-02' };
    const { data } = await graphql(app.url, QUERY, variables, article.author.token);
    expect(data.articleStatistics).to.deep.equal(expected);
  });

  it('responds with the last 30 days by default, or those before the last day', async () => {
    const { views } = (await statistics()).body?.data ?? {};
    expect(views).to.have.lengthOf(30);
    expect(views.at(-1)).to.deep.equal({ date: today(), count: 2 });
    const before = (await statistics('?to=2024-03-01')).body?.data.views;
    expect([before.length, before[0], before.at(-1)]).to.deep.equal([
      30,
      { date: '2024-02-01', count: 0 },
      { date: '2024-03-01', count: 4 },
    ]);
    expect((await statistics('?from=2099-01-01&to=2099-01-01')).body?.data.views).to.deep.equal([
      { date: '2099-01-01', count: 0 },
    ]);
    expect((await statistics('?to=0001-01-03')).body?.data.views).to.have.lengthOf(3);
  });

  it('accepts at most 366 days', async () => {
    expect((await statistics('?from=2024-01-01&to=2024-12-31')).body?.data.views).to.have.lengthOf(366);
    const wrong = (from: string, to: string) => `from: must begin a period of 1 to 366 days, got ${from} to ${to}`;
    expectFieldErrors(await statistics('?from=2024-01-01&to=2025-01-01'), wrong('2024-01-01', '2025-01-01'));
    expectFieldErrors(await statistics('?from=2024-01-02&to=2024-01-01'), wrong('2024-01-02', '2024-01-01'));
    expectFieldErrors(await statistics('?from=2020-01-01'), wrong('2020-01-01', today()));
    expectFieldErrors(await statistics('?from=9999-12-31'), wrong('9999-12-31', today()));
  });

  it('rejects anything that is not a date', async () => {
    for (const from of [
      '2024-02-30',
      '2024-2-1',
      '0000-01-01',
      '2024-01-01T00:00:00',
      '20240101',
      'x',
      '',
      '2024-13-01',
    ]) {
      const expected = `from: must be a date such as 2026-11-20, got ${JSON.stringify(from)}`;
      expectFieldErrors(await statistics(`?from=${from}&to=2024-03-01`), expected);
      const { errors } = await graphql(app.url, QUERY, { id: article.id, from }, article.author.token);
      expect(errors?.map(({ extensions }) => extensions.code)).to.deep.equal(['VALIDATION_FAILED']);
    }
    expectFieldErrors(
      await statistics('?from=x&to=y&at=z'),
      ...[
        'at: is not a known query parameter; expected from, to',
        'from: must be a date such as 2026-11-20, got "x"',
        'to: must be a date such as 2026-11-20, got "y"',
      ],
    );
  });

  it('is 403 for others, 404 for unknown articles and private ones of others, and 401 without a token', async () => {
    const secret = await buildArticle(app.url);
    await setPrivate(app.url, secret);
    await expectStatus(statistics('', reader), 403, 'ARTICLE_FORBIDDEN');
    await expectStatus(statistics('', reader, 999_999), 404, 'ARTICLE_NOT_FOUND');
    await expectStatus(statistics('', reader, secret.id), 404, 'ARTICLE_NOT_FOUND');
    await expectStatus(statistics('', secret.author, secret.id), 200, '1');
    await expectStatus(call(app.url, `GET /api/articles/${article.id}/statistics`), 401, 'UNAUTHENTICATED');
  });

  it('needs the scope articles', async () => {
    const withScope = async (scope: 'read' | 'articles') =>
      (await statistics('', await buildApiToken(app.url, article.author, [scope]))).status;
    expect([await withScope('read'), await withScope('articles')]).to.deep.equal([403, 200]);
  });

  it('runs one statement after that of the article', async () => {
    const texts = await statementsDuring(() => statistics());
    expect(texts.filter((text) => !/sessions|rate_limit/.test(text))).to.have.lengthOf(2);
  });
});

describe('The archive of a member', () => {
  it('contains the statistics of the articles', async () => {
    const path = join(await makeFolder(), 'own.zip');
    await runExport(app, '--member', String(article.author.id), '--output', path);
    const [row] = JSON.parse(String((await unzip(path)).get('statistics.json')));
    expect(row).to.deep.include({ id: article.id, viewCount: 9, likeCount: 1, bookmarkCount: 1, commentCount: 1 });
    expect(row.views).to.deep.equal([
      { date: '2024-02-28', count: 3 },
      { date: '2024-03-01', count: 4 },
      { date: today(), count: 2 },
    ]);
  });
});
