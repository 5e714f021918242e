/** The language of articles, and groups of articles that are translations of each other, over both APIs. */
import { expect } from 'chai';
import { MAX_TRANSLATIONS } from '../../../src/models/article/translation.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildMember, useMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import { countDeadlocksOf, untilWaiting } from '../../support/interleave.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp({ LIMIT_WRITES: '1000000/1m' });
const member = useMember(app);

const create = (json: object, { token }: { token: string } = member) =>
  call(app.url, 'POST /api/articles', { token, json: { title: 'Title', content: 'Text', ...json } });
const edit = (id: number, json: object, { token }: { token: string } = member) =>
  call(app.url, `PUT /api/articles/${id}`, { token, json: { title: 'Title', content: 'Text', ...json } });
const read = async (id: number, token?: string) =>
  (await call(app.url, `GET /api/articles/${id}`, { ...(token !== undefined && { token }) })).body?.data;
const build = async (language: string, json: object = {}, author: BuiltMember = member): Promise<number> =>
  (await buildArticle(app.url, { language, ...json }, author)).id;
/** Ids and languages. */
const translationsOf = async (id: number, token?: string): Promise<string[]> =>
  ((await read(id, token))?.translations ?? []).map(
    (other: { id: number; language: string }) => `${other.language} ${other.id}`,
  );
const run = (sql: string) => app.database.sequelize.query(sql);
const EMPTY_GROUPS = `select id from translation_groups g where not exists (select from all_articles where translation_group_id = g.id)`;

describe('The language of an article', () => {
  const VALID: readonly (readonly [sent: string, stored: string | null])[] = [
    ['ko', 'ko'],
    ['KO-kr', 'ko-KR'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    [' en ', 'en'],
    ['iw', 'he'],
    ['en-x-private', 'en-x-private'],
    ['', null],
  ];
  for (const [sent, stored] of VALID) {
    it(`is stored in its canonical form: ${JSON.stringify(sent)}`, async () => {
      const { body } = await expectStatus(create({ language: sent }), 201, '1');
      expect(body?.data.language).to.equal(stored);
      const { data } = await graphql(app.url, `{ article(id: ${body?.data.id}) { language } }`);
      expect(data.article.language).to.equal(stored);
    });
  }

  for (const sent of ['x-private', 'i-klingon', 'en_US', 'korean tongue', 'de-1996-1996', 'a', 'ko\0']) {
    it(`is rejected with what was received: ${JSON.stringify(sent)}`, async () => {
      const response = await expectStatus(create({ language: sent }), 400, 'VALIDATION_FAILED');
      const expected = sent.includes('\0')
        ? 'must not contain the character U+0000'
        : `must be a BCP 47 language tag such as ko or pt-BR, got ${JSON.stringify(sent)}`;
      expectFieldErrors(response, `language: ${expected}`);
      const mutation = 'mutation ($input: CreateArticleInput!) { createArticle(input: $input) { id } }';
      const input = { title: 'Title', content: 'Text', language: sent };
      const { errors } = await graphql(app.url, mutation, { input }, member.token);
      expect(errors?.[0]?.extensions.errors).to.deep.equal([{ field: 'language', message: expected }]);
    });
  }

  it('is rejected with its length if it is too long', async () => {
    const language = `en-x-${'abcdefgh-'.repeat(4)}`.slice(0, 36).replace(/-$/, 'a');
    const response = await expectStatus(create({ language }), 400, 'VALIDATION_FAILED');
    expectFieldErrors(response, 'language: must be 0 to 35 characters long, got 36');
  });

  it('is unchanged if an edit does not have it, and removed by an empty one', async () => {
    const id = await build('ko');
    const first = await edit(id, {});
    expect(first.body?.data).to.include({ language: 'ko', revision: 2 });
    const second = await edit(id, { language: '' });
    expect(second.body?.data).to.include({ language: null, revision: 3 });
    expect(second.headers.get('ETag')).not.to.equal(first.headers.get('ETag'));
  });

  it('is rejected with a message in Korean', async () => {
    const options = { token: member.token, headers: { 'Accept-Language': 'ko' } };
    const json = { title: 'Title', content: 'Text', language: 'en_US' };
    expectFieldErrors(
      await call(app.url, 'POST /api/articles', { ...options, json }),
      'language: ko, pt-BR와 같은 BCP 47 언어 태그여야 합니다. 받은 값: "en_US"',
    );
  });
});

describe('An article', () => {
  it('becomes a translation of another one when it is created or edited, with its translations', async () => {
    const korean = await build('ko', { title: '등대' });
    const english = await build('en', { translationOf: korean });
    const french = await build('fr');
    const response = await edit(french, { translationOf: english });
    expect(response.body?.data).to.include({ revision: 2 });
    expect(await translationsOf(french)).to.deep.equal([`en ${english}`, `ko ${korean}`]);
    expect(await translationsOf(korean)).to.deep.equal([`en ${english}`, `fr ${french}`]);
    expect((await read(english)).translations.at(-1)).to.deep.equal({
      id: korean,
      slug: '등대',
      title: '등대',
      language: 'ko',
    });
    expect((await read(korean)).revision).to.equal(1);
    const { data } = await graphql(app.url, `{ article(id: ${korean}) { translations { id language } } }`);
    expect(data.article.translations).to.deep.equal([
      { id: String(english), language: 'en' },
      { id: String(french), language: 'fr' },
    ]);
  });

  it('leaves its translations with 0, alone, and another group when it joins one', async () => {
    const [korean, english, french, other] = [
      await build('ko'),
      await build('en'),
      await build('fr'),
      await build('de'),
    ];
    for (const id of [english, french]) await edit(id, { translationOf: korean });
    await edit(english, { translationOf: 0 });
    expect(await translationsOf(english)).to.deep.equal([]);
    expect(await translationsOf(korean)).to.deep.equal([`fr ${french}`]);
    await edit(korean, { translationOf: other });
    expect(await translationsOf(korean)).to.deep.equal([`de ${other}`]);
    expect(await translationsOf(french)).to.deep.equal([]);
    await edit(french, { translationOf: 0 });
    expect(await rowsOf(app.database, EMPTY_GROUPS)).to.deep.equal([]);
  });

  it('stays in its group without translationOf, and has one edit by joining the same again', async () => {
    const korean = await build('ko');
    const english = await build('en', { translationOf: korean });
    await edit(english, { title: 'New' });
    await edit(korean, { translationOf: english });
    expect(await translationsOf(korean)).to.deep.equal([`en ${english}`]);
    expect((await read(korean)).translations[0].title).to.equal('New');
  });

  it('needs a language, like the other one', async () => {
    const { id: without } = (await create({})).body?.data ?? {};
    const english = await build('en');
    expectFieldErrors(await create({ translationOf: english }), 'language: is required with translationOf');
    expectFieldErrors(
      await edit(english, { translationOf: without }),
      `translationOf: must be an article with a language: article ${without} has none`,
    );
    expectFieldErrors(await edit(without, { translationOf: english }), 'language: is required with translationOf');
    await expectStatus(edit(without, { language: 'ko', translationOf: english }), 200, '1');
    const response = await edit(without, { language: '' });
    expectFieldErrors(
      response,
      'language: is required of an article with translations: set translationOf to 0 to leave them',
    );
    await expectStatus(edit(without, { language: '', translationOf: 0 }), 200, '1');
    // Now alone in the group, so that nothing needs its language.
    await expectStatus(edit(english, { language: '' }), 200, '1');
    expect(await rowsOf(app.database, EMPTY_GROUPS)).to.deep.equal([]);
  });

  it('joins no article that does not exist, is one of another member, was removed, or is itself', async () => {
    const english = await build('en');
    const { id: foreign } = await buildArticle(app.url, { language: 'ko' });
    const removed = await build('fr');
    await run(`update all_articles set is_private = true, removed_at = now() where id = ${removed}`);
    for (const id of [foreign, removed, 999_999_999]) {
      const { body } = await expectStatus(edit(english, { translationOf: id }), 404, 'ARTICLE_NOT_FOUND');
      expect(body?.message).to.equal(`None of your articles has the ID ${id}.`);
      await expectStatus(create({ language: 'de', translationOf: id }), 404, 'ARTICLE_NOT_FOUND');
    }
    const huge = await call(app.url, 'POST /api/articles', {
      token: member.token,
      body: `{"title":"T","content":"C","language":"ko","translationOf":123456789012345678901234567890}`,
      headers: { 'Content-Type': 'application/json' },
    });
    expect(huge.status).to.equal(404);
    expectFieldErrors(
      await edit(english, { translationOf: english }),
      'translationOf: must be another article, not this one',
    );
    expectFieldErrors(
      await edit(english, { translationOf: -1 }),
      'translationOf: must be 0 or a positive whole number, got "-1"',
    );
    expectFieldErrors(
      await edit(english, { translationOf: 'x' }),
      'translationOf: must be a positive whole number, got "x"',
    );
  });

  it('is the only one of its language in a group', async () => {
    const english = await build('en');
    const korean = await build('ko', { translationOf: english });
    const { body } = await expectStatus(create({ language: 'ko', translationOf: english }), 409, 'TRANSLATION_EXISTS');
    expect(body?.message).to.equal('The article has a translation in this language already.');
    await expectStatus(create({ language: 'ko-KR', translationOf: english }), 201, '1');
    await expectStatus(edit(korean, { language: 'en' }), 409, 'TRANSLATION_EXISTS');
    expect(await read(korean)).to.deep.include({ language: 'ko', revision: 1 });
    await expectStatus(edit(korean, { language: 'ja' }), 200, '1');
    await expectStatus(create({ language: 'ko', translationOf: korean }), 201, '1');
  });

  it(`is in a group of at most ${MAX_TRANSLATIONS}`, async () => {
    const first = await build('en');
    await build('aa', { translationOf: first });
    await run(`insert into all_articles (member_id, category_id, title, content, slug, language, translation_group_id)
      select member_id, category_id, 'T', 'C', 'a', 'b' || chr(97 + n / 26) || chr(97 + n % 26), translation_group_id
      from all_articles, generate_series(1, ${MAX_TRANSLATIONS - 2}) n where id = ${first}`);
    const response = await create({ language: 'zh', translationOf: first });
    expectFieldErrors(
      response,
      `translationOf: must be an article with fewer than ${MAX_TRANSLATIONS} translations, itself included`,
    );
    await expectStatus(edit(first, { translationOf: first + 1 }), 200, '1');
  });
});

describe('Translations', () => {
  it('are public ones for every reader', async () => {
    const english = await build('en');
    const korean = await build('ko', { translationOf: english, visibility: 'PRIVATE' });
    expect(await translationsOf(english, member.token)).to.deep.equal([]);
    expect(await translationsOf(korean, member.token)).to.deep.equal([`en ${english}`]);
    const visibility = (value: string) =>
      call(app.url, `PUT /api/articles/${korean}/visibility`, { token: member.token, json: { visibility: value } });
    await visibility('PUBLIC');
    expect(await translationsOf(english)).to.deep.equal([`ko ${korean}`]);
    await visibility('PRIVATE');
    expect(await translationsOf(english, member.token)).to.deep.equal([]);
  });

  it('renew the ETag of an article, which is not edited, whenever they change', async () => {
    const english = await build('en');
    const etag = async () => (await call(app.url, `GET /api/articles/${english}`)).headers.get('ETag');
    const seen: (string | null)[] = [await etag()];
    const korean = await build('ko', { translationOf: english });
    const { token } = member;
    const changes: (() => Promise<unknown>)[] = [
      async () => {},
      () => edit(korean, { title: 'Another' }),
      () => edit(korean, { title: 'Another', slug: `other-${korean}` }),
      () => edit(korean, { title: 'Another', language: 'ko-KR' }),
      () => call(app.url, `PUT /api/articles/${korean}/visibility`, { token, json: { visibility: 'PRIVATE' } }),
      () => call(app.url, `PUT /api/articles/${korean}/visibility`, { token, json: { visibility: 'PUBLIC' } }),
      () => edit(korean, { translationOf: 0 }),
      () => edit(korean, { translationOf: english }),
      () => call(app.url, `DELETE /api/articles/${korean}`, { token }),
    ];
    for (const change of changes) {
      await change();
      seen.push(await etag());
    }
    // Without a translation, the article is again what it was at first.
    expect(new Set(seen.slice(1)).size).to.equal(changes.length);
    for (const tag of seen) expect(tag).to.match(/^W\/"1\./);
    expect(await translationsOf(english)).to.deep.equal([]);
  });

  it('that only their author sees renew no ETag of others', async () => {
    const english = await build('en');
    const responses = async () =>
      Promise.all(
        [`GET /api/articles/${english}`, 'GET /api/articles', 'GET /api/changes?since=latest'].map(async (target) =>
          (await call(app.url, target)).headers.get('ETag'),
        ),
      );
    const before = await responses();
    const korean = await build('ko', { translationOf: english, visibility: 'PRIVATE' });
    await edit(korean, { title: 'Secret', language: 'ko-KR' });
    await call(app.url, `DELETE /api/articles/${korean}`, { token: member.token });
    expect(await responses()).to.deep.equal(before);
  });

  it('are read with the statement of a list, and of an article', async () => {
    const english = await build('en');
    await build('ko', { translationOf: english });
    const list = '{ articles(size: 10) { contents { id translations { id slug title language } } } }';
    await graphql(app.url, list);
    const statements = await statementsDuring(async () => {
      const { data } = await graphql(app.url, `${list} # again`);
      const found = data.articles.contents.find(({ id }: { id: string }) => id === String(english));
      expect(found.translations).to.have.lengthOf(1);
    });
    expect(statements).to.have.lengthOf(1);
    expect(await statementsDuring(() => read(english))).to.have.lengthOf(1);
  });
});

describe('Requests at the same time', () => {
  let logged = 0;
  beforeEach(async () => {
    logged = await countDeadlocksOf('translation');
  });
  afterEach(async () => {
    expect(await countDeadlocksOf('translation'), 'deadlocks').to.equal(logged);
    expect(await rowsOf(app.database, EMPTY_GROUPS)).to.deep.equal([]);
  });

  /** Holds a lock until all requests wait, and then lets them run. */
  async function together(author: BuiltMember, ...requests: (() => Promise<{ status: number }>)[]): Promise<number[]> {
    const sent: Promise<{ status: number }>[] = [];
    await app.database.sequelize.transaction(async (transaction) => {
      await app.database.sequelize.query(`select from members where id = ${author.id} for no key update`, {
        transaction,
      });
      for (const request of requests) sent.push(request());
      await untilWaiting(app.database, 1);
    });
    return (await Promise.all(sent)).map(({ status }) => status);
  }

  it('that join the same language have one winner', async () => {
    const author = await buildMember(app.url);
    const english = await build('en', {}, author);
    const articles = [await build('ko', {}, author), await build('ko', {}, author)];
    const statuses = await together(
      author,
      ...articles.map((id) => () => edit(id, { translationOf: english }, author)),
    );
    expect(statuses.sort()).to.deep.equal([200, 409]);
    expect(await translationsOf(english)).to.have.lengthOf(1);
  });

  it('that join each other are in one group', async () => {
    const author = await buildMember(app.url);
    const [first, second] = [await build('en', {}, author), await build('ko', {}, author)];
    const statuses = await together(
      author,
      () => edit(first, { translationOf: second }, author),
      () => edit(second, { translationOf: first }, author),
    );
    expect(statuses).to.deep.equal([200, 200]);
    expect(await translationsOf(first)).to.deep.equal([`ko ${second}`]);
    expect(await translationsOf(second)).to.deep.equal([`en ${first}`]);
  });
});
