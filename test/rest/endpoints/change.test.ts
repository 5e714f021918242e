import { expect } from 'chai';
import {
  CHANGE_TYPES,
  DELETE_OLD_REMOVALS,
  READ_PLACES,
  RENEW_GENERATION,
  RESET_CHANGES,
} from '../../../src/models/change.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember, useMember } from '../../support/build.js';
import { brief, ChangesCopy, freshCopy, numberChanges, publicJournal, readPage } from '../../support/changes.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { truncateAll } from '../../support/database.js';
import { buildSeries } from '../../support/series.js';
import { blocksOf, statementsDuring } from '../../support/statements.js';

const app = useApp();

const number = () => numberChanges(app.database);
const sql = (text: string) => app.database.sequelize.query(text);

/** The changes since a cursor, as short texts. */
async function changesSince(since: string): Promise<string[]> {
  await number();
  return (await readPage(app.url, { since })).changes.map(brief);
}

async function latest(): Promise<string> {
  await number();
  const { changes, cursor, hasMore } = await readPage(app.url, { since: 'latest' });
  expect([changes, hasMore]).to.deep.equal([[], false]);
  return cursor;
}

const setVisibility = (id: number, visibility: string, { token }: BuiltMember) =>
  expectStatus(
    call(app.url, `PUT /api/articles/${id}`, { token, json: { title: 'Seen', content: 'Seen', visibility } }),
    200,
    '1',
  );

const INVALID_SINCE = 'since: must be latest, or the cursor of a page of changes';

describe('GET /api/changes', () => {
  const author = useMember(app);

  it('starts with everything that is public, each object once as created, whatever the size of the pages', async () => {
    const article = await buildArticle(app.url, { tags: ['sea'] }, author);
    const secret = await buildArticle(app.url, { visibility: 'PRIVATE' }, author);
    const comment = await buildComment(app.url, article.id);
    await buildComment(app.url, secret.id, {}, author);
    await buildSeries(app.url, author, [article, secret]);
    await buildComment(app.url, article.id, { parentCommentId: comment.id }, author);
    await number();
    await sql(
      `update articles set title = 'Changed', revision = revision + 1, updated_at = now() where id = ${article.id}`,
    );
    await number();
    const expected = await publicJournal(app);
    for (const size of [1, 2, 3, 50]) {
      const copy = new ChangesCopy(app.url, size);
      const received = await copy.follow();
      expect(copy.contents(), `${size}`).to.deep.equal(expected);
      expect(received.map(({ action }) => action)).to.deep.equal(Array(received.length).fill('created'));
      expect(received).to.have.lengthOf(Object.keys(expected).length);
    }
  });

  it('has the last change of each object once', async () => {
    const article = await buildArticle(app.url, { slug: 'three' }, author);
    const cursor = await latest();
    for (const title of ['One', 'Two', 'Three']) {
      const json = { title, content: title };
      await call(app.url, `PUT /api/articles/${article.id}`, { token: author.token, json });
      await number();
    }
    expect(await changesSince(cursor)).to.deep.equal([`article ${article.id} updated`]);
    const { changes } = await readPage(app.url, { since: cursor });
    expect(changes[0]).to.include({ slug: 'three', revision: 4, articleId: null, parentId: null });
    await expectStatus(call(app.url, `DELETE /api/articles/${article.id}`, { token: author.token }), 200, '1');
    expect(await changesSince(cursor)).to.deep.equal([`article ${article.id} removed`]);
    expect((await readPage(app.url, { since: cursor })).changes[0]).to.include({ slug: 'three', revision: null });
  });

  it('keeps the order of commits, and misses no slow transaction', async () => {
    const [first, second] = [await buildArticle(app.url, {}, author), await buildArticle(app.url, {}, author)];
    const cursor = await latest();
    const slow = await app.database.sequelize.transaction();
    await app.database.sequelize.query(`update categories set name = 'Slow' where member_id = ${author.id}`, {
      transaction: slow,
    });
    await sql(`update articles set title = 'a' where id = ${first.id}`);
    await sql(`update articles set title = 'b' where id = ${second.id}`);
    await number();
    const page = await readPage(app.url, { since: cursor });
    expect(page.changes.map(brief)).to.deep.equal([`article ${first.id} updated`, `article ${second.id} updated`]);
    await slow.commit();
    expect((await changesSince(page.cursor)).map((text) => text.split(' ')[0])).to.deep.equal(['category']);
  });

  it('does not report likes, views, followers, numbers of comments, and summaries', async () => {
    const article = await buildArticle(app.url, {}, author);
    const reader = await buildMember(app.url);
    const cursor = await latest();
    await call(app.url, `PUT /api/articles/${article.id}/like`, { token: reader.token });
    await call(app.url, `PUT /api/members/${author.id}/follow`, { token: reader.token });
    await sql(
      `update all_articles set ai_summary = 'Short.', comment_count = comment_count + 1 where id = ${article.id}`,
    );
    expect(await changesSince(cursor)).to.deep.equal([]);
  });

  it('reports an article that becomes private, and then its comments with one place', async () => {
    const article = await buildArticle(app.url, {}, author);
    const comments = [];
    for (let count = 0; count < 3; count++) comments.push(await buildComment(app.url, article.id, {}, author));
    const copy = await freshCopyAfterNumbers(2);
    await setVisibility(article.id, 'PRIVATE', author);
    await number();
    expect((await copy.follow()).map(brief)).to.deep.equal([`article ${article.id} removed`]);
    expect(copy.contents()).to.deep.equal(await publicJournal(app));
    const added = await buildComment(app.url, article.id, {}, author);
    await number();
    expect(await copy.follow()).to.deep.equal([]);
    await setVisibility(article.id, 'PUBLIC', author);
    await number();
    const expected = [...comments, added].map(({ id }) => `comment ${id} updated`);
    expect((await copy.follow()).map(brief)).to.deep.equal([...expected, `article ${article.id} updated`]);
    expect(copy.contents()).to.deep.equal(await publicJournal(app));
    const [rows] = await sql(
      `select count(*)::int as places from changes where type = 'comment' and number is not null`,
    );
    expect(rows).to.deep.equal([{ places: 0 }]);
    const fresh = new ChangesCopy(app.url, 2);
    expect(new Set((await fresh.follow()).map(({ action }) => action))).to.deep.equal(new Set(['created']));
    expect(fresh.contents()).to.deep.equal(copy.contents());
  });

  it('removes comments that were deleted while their article was private from copies that slept', async () => {
    const article = await buildArticle(app.url, {}, author);
    const [kept, deleted] = [await buildComment(app.url, article.id), await buildComment(app.url, article.id)];
    const sleeper = await freshCopyAfterNumbers();
    await setVisibility(article.id, 'PRIVATE', author);
    await number();
    await sql(`delete from comments where id = ${deleted.id}`);
    await number();
    await setVisibility(article.id, 'PUBLIC', author);
    await number();
    await sleeper.follow();
    expect(sleeper.objects.has(`comment ${kept.id}`)).to.equal(true);
    expect(sleeper.contents()).to.deep.equal(await publicJournal(app));
    expect((await freshCopy(app.url)).contents()).to.deep.equal(sleeper.contents());
  });

  it('does not show what became private before it was numbered, and delivers it if it is public again', async () => {
    const article = await buildArticle(app.url, {}, author);
    const comment = await buildComment(app.url, article.id);
    await number();
    await setVisibility(article.id, 'PRIVATE', author);
    const copy = await freshCopy(app.url);
    expect([copy.objects.has(`article ${article.id}`), copy.objects.has(`comment ${comment.id}`)]).to.deep.equal([
      false,
      false,
    ]);
    await setVisibility(article.id, 'PUBLIC', author);
    await number();
    await copy.follow();
    expect(copy.contents()).to.deep.equal(await publicJournal(app));
  });

  it('never mentions what was never public', async () => {
    const cursor = await latest();
    const secret = await buildArticle(app.url, { visibility: 'PRIVATE' }, author);
    await buildComment(app.url, secret.id, {}, author);
    await setVisibility(secret.id, 'PRIVATE', author);
    await number();
    await call(app.url, `DELETE /api/articles/${secret.id}`, { token: author.token });
    await number();
    expect(await readPage(app.url, { since: cursor })).to.deep.equal({ changes: [], cursor, hasMore: false });
  });

  it('selects types, and has data only where they are included', async () => {
    const article = await buildArticle(app.url, {}, author);
    const cursor = await latest();
    const comment = await buildComment(app.url, article.id, {}, author);
    await sql(`update articles set title = 'Typed' where id = ${article.id}`);
    await number();
    const { changes } = await readPage(app.url, { since: cursor, types: 'comment,series' });
    expect(changes.map(brief)).to.deep.equal([`comment ${comment.id} created`]);
    expect(changes[0]).to.include({ articleId: article.id, parentId: null, revision: 1 });
    expect(changes[0]).to.not.have.property('comment');
    const { body } = await call(app.url, `GET /api/changes?since=${cursor}&types=article&include=data`);
    expect(body?.data.changes[0]).to.deep.include({ comment: null, member: null });
    expect(body?.data.changes[0].article).to.include({ title: 'Typed', memberId: author.id });
    expect(body?.data.changes[0].article).to.not.have.any.keys(
      'author',
      'category',
      'authorImg',
      'likeCount',
      'commentCount',
      'viewCount',
    );
  });

  it('is the same over GraphQL', async () => {
    await number();
    const { data } = await graphql(
      app.url,
      '{ changes(size: 500) { changes { type id action series { articleIds } } cursor hasMore } }',
    );
    const { changes, cursor } = await readPage(app.url, { size: 500 });
    expect(
      data.changes.changes.map(({ type, id, action }: Record<string, string>) => `${type} ${id} ${action}`),
    ).to.deep.equal(changes.map(brief));
    expect(data.changes.cursor).to.equal(cursor);
  });

  it('rejects other parameters, and cursors with a time outside of the range of PostgreSQL', async () => {
    const times = [Date.UTC(10_000, 0), 8_640_000_000_000_001, Number.MAX_SAFE_INTEGER, -Date.UTC(6_800, 0)];
    const cursor = await latest();
    const outside = times.map((time) => `${cursor}.${time.toString(36)}.1`);
    await expectStatus(call(app.url, `GET /api/changes?since=${cursor}.${Date.now().toString(36)}.1`), 200, '1');
    const cases: [query: string, ...errors: string[]][] = [
      ...['never', ...outside].map((since) => [`since=${since}`, INVALID_SINCE] as [string, string]),
      ['types=draft', 'types: must be one of article or comment or member or category or series, got "draft"'],
      ['size=501', 'size: must be a whole number from 1 to 500, got 501'],
      ['include=data&size=51', 'size: must be a whole number from 1 to 50, got 51'],
      ['include=text', 'include: must be one of data, got "text"'],
    ];
    for (const [query, ...errors] of cases)
      expectFieldErrors(
        await expectStatus(call(app.url, `GET /api/changes?${query}`), 400, 'VALIDATION_FAILED'),
        ...errors,
      );
  });

  it('costs one statement without news, and has an ETag, over both APIs', async () => {
    const cursor = await latest();
    const query = `query ($since: String) { changes(since: $since) { changes { type id } cursor hasMore } }`;
    const search = new URLSearchParams({ query, variables: JSON.stringify({ since: cursor }) });
    const paths = [`/api/changes?since=${cursor}`, `/graphql?${search}`];
    const tags: string[] = [];
    for (const path of paths) {
      const first = await fetch(app.url + path);
      expect([first.status, first.headers.get('Cache-Control')], path).to.deep.equal([200, 'public, no-cache']);
      tags.push(first.headers.get('ETag') ?? '');
      const statements = await statementsDuring(async () => {
        const response = await fetch(app.url + path, { headers: { 'If-None-Match': tags.at(-1) ?? '' } });
        expect([response.status, await response.text()], path).to.deep.equal([304, '']);
      });
      expect(statements, path).to.have.lengthOf(1);
    }
    await buildArticle(app.url, {}, author);
    await number();
    for (const [index, path] of paths.entries()) {
      const response = await fetch(app.url + path, { headers: { 'If-None-Match': tags[index] ?? '' } });
      expect(response.status, path).to.equal(200);
    }
  });

  it('answers 304 without reading the page, as long as no change has or waits for a number', async () => {
    const { id } = await buildArticle(app.url, {}, author);
    await number();
    const path = `${app.url}/api/changes?include=data&types=article&size=1`;
    const before = await fetch(path);
    const tag = before.headers.get('ETag') ?? '';
    expect([before.headers.get('Last-Modified'), tag]).to.deep.equal([null, tag || 'a tag']);
    const statements = await statementsDuring(async () => {
      expect((await fetch(path, { headers: { 'If-None-Match': tag } })).status).to.equal(304);
    });
    expect(statements).to.have.lengthOf(1);
    expect(statements[0]).to.not.include('json_agg');
    await call(app.url, `PUT /api/articles/${id}`, { token: author.token, json: { title: 'New', content: 'New' } });
    expect((await fetch(path, { headers: { 'If-None-Match': tag } })).status).to.equal(200);
    await number();
    expect((await fetch(path, { headers: { 'If-None-Match': tag } })).status).to.equal(200);
    const expired = await fetch(`${app.url}/api/changes?since=never`, { headers: { 'If-None-Match': '*' } });
    expect(expired.status).to.equal(400);
  });

  it('has the tag of the content over GraphQL where fields are selected that change without a number', async () => {
    const { id } = await buildArticle(app.url, {}, author);
    await number();
    const query = '{ changes(types: "article") { changes { article { id likeCount } } } }';
    const path = `${app.url}/graphql?${new URLSearchParams({ query })}`;
    const tag = (await fetch(path)).headers.get('ETag') ?? '';
    expect((await fetch(path, { headers: { 'If-None-Match': tag } })).status).to.equal(304);
    await expectStatus(
      call(app.url, `PUT /api/articles/${id}/like`, { token: (await buildMember(app.url)).token }),
      200,
      '1',
    );
    expect((await fetch(path, { headers: { 'If-None-Match': tag } })).status).to.equal(200);
  });

  it('has at most 2 MiB of texts in a page with data, and loses no article', async () => {
    const since = await latest();
    for (let count = 0; count < 10; count++) await buildArticle(app.url, { content: '가'.repeat(99_000) }, author);
    await number();
    const whole = await readPage(app.url, { since, types: 'article' });
    const first = await readPage(app.url, { since, types: 'article', include: 'data' });
    const second = await readPage(app.url, { since: first.cursor, types: 'article', include: 'data' });
    expect([first, second].map(({ changes, hasMore }) => [changes.length, hasMore])).to.deep.equal([
      [7, true],
      [3, false],
    ]);
    expect([...first.changes, ...second.changes].map(brief)).to.deep.equal(whole.changes.map(brief));
  });

  it('has no ETag over GraphQL beside another field, with a token, in a response with errors, and to a POST', async () => {
    const read = (query: string, headers = {}) =>
      fetch(`${app.url}/graphql?${new URLSearchParams({ query })}`, { headers });
    const changes = 'changes(size: 1) { cursor }';
    const responses = [
      await read(`{ ${changes} articles(size: 1) { contents { id } } }`),
      await read(`{ ${changes} }`, { Authorization: `Bearer ${author.token}` }),
      await read('{ changes(since: "never") { cursor } }', { Accept: 'application/json' }),
      await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: `{ ${changes} }` }),
      }),
    ];
    for (const { status, headers } of responses)
      expect([status, headers.get('ETag'), headers.get('Cache-Control')]).to.deep.equal([200, null, 'no-store']);
  });

  it('reads as many blocks without news whatever the number of places', async () => {
    const blocks = async () => {
      const [position] = ((await sql('select highest::int from change_feed'))[0] as { highest: number }[]).map(
        ({ highest }) => highest,
      );
      return blocksOf(app.database, READ_PLACES, [position, false, position, CHANGE_TYPES, 101]);
    };
    await number();
    await sql('analyze');
    const few = await blocks();
    await sql(
      `insert into changes (type, id, created_number, created_at, number, changed_at, is_removed)
       select 'article', 1e9 + n, f.highest + 4 * n, now(), f.highest + 4 * n + 2, now(), n % 2 = 0
       from generate_series(1, 50000) n, change_feed f`,
    );
    await sql('update change_feed set highest = highest + 1000000');
    await sql('analyze');
    // The indexes have more levels.
    expect(await blocks()).to.be.at.most(few + 30);
    await sql('delete from changes where id > 1e9');
  });

  it('has at most seven statements with data, whatever the number of changes, and one for an older response in the cache', async () => {
    const article = await buildArticle(app.url, {}, author);
    await buildComment(app.url, article.id);
    await number();
    const statements = await statementsDuring(() => readPage(app.url, { include: 'data' }));
    expect(statements.filter((text) => !/^(?:begin|commit|rollback)/i.test(text))).to.have.lengthOf.at.most(8);
  });

  async function freshCopyAfterNumbers(size = 50): Promise<ChangesCopy> {
    await number();
    return freshCopy(app.url, size);
  }
});

describe('A cursor of changes', () => {
  const author = useMember(app);

  it('expires with a removal that was deleted after its horizon', async () => {
    const [article, other] = [await buildArticle(app.url, {}, author), await buildArticle(app.url, {}, author)];
    await latest();
    await sql('delete from changes where is_removed');
    const before = await latest();
    const pass = await readPage(app.url, { size: 1 });
    await call(app.url, `DELETE /api/articles/${article.id}`, { token: author.token });
    const after = await latest();
    await sql(`update changes set changed_at = changed_at - interval '91 days' where is_removed`);
    const [found] = await app.database.query(DELETE_OLD_REMOVALS, [90 * 24 * 3_600_000, 100]);
    expect(found?.deleted).to.equal(1);
    for (const cursor of [before, pass.cursor])
      await expectStatus(call(app.url, `GET /api/changes?since=${cursor}`), 410, 'CURSOR_EXPIRED');
    expect(await changesSince(after)).to.deep.equal([]);
    expect((await freshCopy(app.url)).objects.has(`article ${other.id}`)).to.equal(true);
  });

  it('continues after a year, and expires only if a removal was deleted meanwhile', async () => {
    const [article, other] = [await buildArticle(app.url, {}, author), await buildArticle(app.url, {}, author)];
    const cursor = await latest();
    await sql('delete from changes where is_removed');
    await sql(`update articles set title = 'Old' where id = ${article.id}`);
    await number();
    await sql(
      `update changes set created_at = created_at - interval '1 year', changed_at = changed_at - interval '1 year'`,
    );
    const deleteOld = async () =>
      (await app.database.query(DELETE_OLD_REMOVALS, [90 * 24 * 3_600_000, 100]))[0]?.deleted;
    expect(await deleteOld()).to.equal(0);
    expect(await changesSince(cursor)).to.deep.equal([`article ${article.id} updated`]);
    await call(app.url, `DELETE /api/articles/${other.id}`, { token: author.token });
    await number();
    await sql(`update changes set changed_at = changed_at - interval '1 year' where is_removed`);
    expect(await deleteOld()).to.equal(1);
    await expectStatus(call(app.url, `GET /api/changes?since=${cursor}`), 410, 'CURSOR_EXPIRED');
    expect((await freshCopy(app.url)).contents()).to.deep.equal(await publicJournal(app));
  });

  it('expires at the highest removal that was deleted, if the clock jumped back or ahead between removals', async () => {
    const removals = [];
    for (const years of [1, -1, 0]) {
      const article = await buildArticle(app.url, {}, author);
      await number();
      const before = await latest();
      await call(app.url, `DELETE /api/articles/${article.id}`, { token: author.token });
      await number();
      await sql(
        `update changes set changed_at = now() + interval '${years} years' where type = 'article' and id = ${article.id}`,
      );
      removals.push({ article, before });
    }
    expect((await app.database.query(DELETE_OLD_REMOVALS, [90 * 24 * 3_600_000, 100]))[0]?.deleted).to.equal(1);
    const [ahead, back, last] = removals.map(({ before }) => before);
    for (const cursor of [ahead, back])
      await expectStatus(call(app.url, `GET /api/changes?since=${cursor}`), 410, 'CURSOR_EXPIRED');
    expect(await changesSince(last ?? '')).to.deep.equal([`article ${removals[2]?.article.id} removed`]);
  });

  it('expires with the generation, and beyond the highest number', async () => {
    const cursor = await latest();
    const beyond = cursor.replace(/\.\w+\.\w+$/, '.zzzzzz.zzzzzz');
    await expectStatus(call(app.url, `GET /api/changes?since=${beyond}`), 410, 'CURSOR_EXPIRED');
    await app.database.query(RENEW_GENERATION, []);
    await expectStatus(call(app.url, `GET /api/changes?since=${cursor}`), 410, 'CURSOR_EXPIRED');
    expect((await freshCopy(app.url)).contents()).to.deep.equal(await publicJournal(app));
  });

  it('is at most 100 characters', async () => {
    expect((await latest()).length).to.be.at.most(100);
  });
});

describe('A feed of an existing journal', () => {
  it('is filled in batches, meanwhile 503 with Retry-After', async () => {
    await truncateAll(app.database);
    const author = await buildMember(app.url);
    const article = await buildArticle(app.url, {}, author);
    const secret = await buildArticle(app.url, { visibility: 'PRIVATE' }, author);
    for (const { id } of [article, secret]) await buildComment(app.url, id, {}, author);
    await number();
    await app.database.query(RESET_CHANGES, []);
    const response = await expectStatus(call(app.url, 'GET /api/changes'), 503, 'SERVICE_UNAVAILABLE');
    expect(response.headers.get('Retry-After')).to.equal('10');
    let rounds = 0;
    while ((await call(app.url, 'GET /api/changes')).status === 503) {
      await numberChanges(app.database, 1);
      expect(++rounds).to.be.at.most(50);
    }
    const copy = await freshCopy(app.url);
    expect(copy.contents()).to.deep.equal(await publicJournal(app));
    expect([...copy.objects.keys()].sort())
      .to.include(`article ${article.id}`)
      .and.to.not.include(`article ${secret.id}`);
    await setVisibility(secret.id, 'PUBLIC', author);
    await number();
    await copy.follow();
    expect(copy.contents()).to.deep.equal(await publicJournal(app));
  });
});
