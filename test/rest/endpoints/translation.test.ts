/** The language of articles, and groups of articles that are translations of each other, over both APIs. */
import { expect } from 'chai';
import { MAX_TRANSLATIONS } from '../../../src/models/article/translation.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildMember, useMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { advance, type BuiltDraft, buildDraft, timeIn } from '../../support/drafts.js';
import { rowsOf } from '../../support/imported.js';
import { runJobs } from '../../support/jobs.js';
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

  it('joins no private article over an API token that does not see it', async () => {
    const hidden = await build('fr', { visibility: 'PRIVATE' });
    const english = await build('en');
    const { token } = await buildApiToken(app.url, member, ['drafts']);
    const json = { language: 'ko', translationOf: hidden };
    await expectStatus(call(app.url, 'POST /api/drafts', { token, json }), 404, 'ARTICLE_NOT_FOUND');
    json.translationOf = english;
    await expectStatus(call(app.url, 'POST /api/drafts', { token, json }), 201, '1');
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

describe('A draft', () => {
  const start = async (id: number): Promise<BuiltDraft> => {
    const { body } = await call(app.url, `PUT /api/articles/${id}/draft`, { token: member.token });
    return { id: body?.data.id, author: member };
  };
  const save = ({ id }: BuiltDraft, json: object) =>
    call(app.url, `PATCH /api/drafts/${id}`, { token: member.token, json });
  const publish = ({ id }: BuiltDraft) => call(app.url, `POST /api/drafts/${id}/publish`, { token: member.token });
  const readDraft = async ({ id }: BuiltDraft) =>
    (await call(app.url, `GET /api/drafts/${id}`, { token: member.token })).body?.data;

  it('keeps the language and what it translates until it is published', async () => {
    const english = await build('en');
    const draft = await buildDraft(app.url, { language: 'KO', translationOf: english }, member);
    expect(await readDraft(draft)).to.include({ language: 'ko', translationOf: english });
    expect(await translationsOf(english)).to.deep.equal([]);
    const { body } = await expectStatus(publish(draft), 200, '1');
    expect(body?.data.translations.map(({ id }: { id: number }) => id)).to.deep.equal([english]);
    expect(await translationsOf(english)).to.deep.equal([`ko ${body?.data.id}`]);
  });

  it('of an article has its language, keeps its translations, and leaves them with 0', async () => {
    const english = await build('en');
    const korean = await build('ko', { translationOf: english });
    const draft = await start(korean);
    expect(await readDraft(draft)).to.include({ language: 'ko', translationOf: null });
    await save(draft, { title: 'New' });
    await publish(draft);
    expect(await translationsOf(english)).to.deep.equal([`ko ${korean}`]);
    const second = await start(korean);
    expect((await save(second, { translationOf: 0 })).body?.data).to.include({ translationOf: 0, revision: 2 });
    await save(second, { language: '' });
    await publish(second);
    expect(await translationsOf(english)).to.deep.equal([]);
    expect((await read(korean)).language).to.equal(null);
  });

  it('with translationOf 0 is as one without, if it is of a new article', async () => {
    const draft = await buildDraft(app.url, { translationOf: 0 }, member);
    expect(await readDraft(draft)).to.include({ translationOf: null });
    expect((await save(draft, { translationOf: 0 })).body?.data.revision).to.equal(1);
    await expectStatus(publish(draft), 200, '1');
  });

  it('names no article that is unknown or of another member', async () => {
    const { id: foreign } = await buildArticle(app.url, { language: 'ko' });
    const draft = await buildDraft(app.url, {}, member);
    for (const translationOf of [foreign, 999_999_999]) {
      await expectStatus(save(draft, { translationOf }), 404, 'ARTICLE_NOT_FOUND');
      const json = { translationOf };
      await expectStatus(call(app.url, 'POST /api/drafts', { token: member.token, json }), 404, 'ARTICLE_NOT_FOUND');
    }
    const mutation = 'mutation ($id: ID!) { createDraft(input: { translationOf: $id }) { id } }';
    const { errors } = await graphql(app.url, mutation, { id: foreign }, member.token);
    expect(errors?.[0]?.extensions.code).to.equal('ARTICLE_NOT_FOUND');
  });

  it('is of nothing when the article that it translates is deleted', async () => {
    const english = await build('en');
    const draft = await buildDraft(app.url, { language: 'ko', translationOf: english }, member);
    await call(app.url, `DELETE /api/articles/${english}`, { token: member.token });
    expect(await readDraft(draft)).to.include({ language: 'ko', translationOf: null });
  });

  it('is checked again when it is published or scheduled', async () => {
    const english = await build('en');
    const draft = await buildDraft(app.url, { translationOf: english }, member);
    const publishAt = timeIn(3_600);
    const scheduled = () =>
      call(app.url, `PUT /api/drafts/${draft.id}/schedule`, { token: member.token, json: { publishAt } });
    for (const response of [await publish(draft), await scheduled()])
      expectFieldErrors(response, 'language: is required with translationOf');
    await save(draft, { language: 'ko' });
    const other = await build('ko', { translationOf: english });
    await expectStatus(publish(draft), 409, 'TRANSLATION_EXISTS');
    await expectStatus(scheduled(), 409, 'TRANSLATION_EXISTS');
    await edit(other, { language: 'ja' });
    await expectStatus(scheduled(), 200, '1');
    await edit(other, { language: 'ko' });
    await advance(app, 2);
    await runJobs(app);
    expect(await readDraft(draft)).to.include({ publicationError: 'TRANSLATION_EXISTS', publishAt: null });
    await edit(other, { language: 'ja' });
    await expectStatus(publish(draft), 200, '1');
  });

  it('of an article whose translation has its new language is a conflict', async () => {
    const english = await build('en');
    const korean = await build('ko', { translationOf: english });
    const draft = await start(korean);
    await save(draft, { language: 'en' });
    const json = { publishAt: timeIn(3_600) };
    const scheduled = call(app.url, `PUT /api/drafts/${draft.id}/schedule`, { token: member.token, json });
    await expectStatus(scheduled, 409, 'TRANSLATION_EXISTS');
    await expectStatus(publish(draft), 409, 'TRANSLATION_EXISTS');
    await save(draft, { language: 'ko-KR' });
    await expectStatus(publish(draft), 200, '1');
  });
});

describe('The filter by language', () => {
  const author = useMember(app);
  let ids: number[];
  before(async () => {
    ids = [];
    for (const language of ['ko', 'ko-KR', 'en-GB', 'en-US', ''])
      ids.push(await build(language, language === 'en-US' ? { visibility: 'PRIVATE' } : {}, author));
  });

  const at = (...indexes: number[]) => indexes.map((index) => ids[index]);
  const list = async (path: string, token = author.token) => {
    const { body } = await expectStatus(call(app.url, `GET ${path}`, { token }), 200, '1');
    const found: { id: number }[] = body?.data.contents ?? [];
    expect(body?.data.pagination.totalElements, path).to.equal(found.length);
    return found.map(({ id }) => id);
  };

  it('finds all of a primary language, or an exact tag, in all lists', async () => {
    const follower = await buildMember(app.url);
    await call(app.url, `PUT /api/members/${author.id}/follow`, { token: follower.token });
    for (const [path, token] of [
      [`/api/articles?memberId=${author.id}&`, author.token],
      ['/api/articles/following?', follower.token],
    ] as const) {
      expect(await list(`${path}language=KO`, token)).to.deep.equal(at(1, 0));
      expect(await list(`${path}language=ko-kr`, token)).to.deep.equal(at(1));
      expect(await list(`${path}language=en`, token)).to.deep.equal(at(2));
      expect(await list(`${path}language=en-US`, token)).to.deep.equal([]);
    }
    expect(await list('/api/articles/me?language=en')).to.deep.equal(at(3, 2));
    expect(await list('/api/articles/me?language=en&visibility=PRIVATE')).to.deep.equal(at(3));
    expect(await list('/api/articles/me?language=en-GB&sort=likeCount,desc')).to.deep.equal(at(2));
    const keyword = (await read(ids[1] ?? 0)).title.split(' ').at(-1);
    expect(await list(`/api/articles/me?language=ko&keyword=${keyword}`)).to.deep.equal(at(1));
  });

  it('works in GraphQL, also in connections', async () => {
    const query = `query ($member: ID!) {
      articles(filter: { memberId: $member, language: "ko" }) { contents { id } }
      articleConnection(filter: { memberId: $member, language: "ko" }, first: 1) { totalCount edges { node { id } } }
    }`;
    const { data } = await graphql(app.url, query, { member: author.id });
    expect(data.articles.contents.map(({ id }: { id: string }) => Number(id))).to.deep.equal(at(1, 0));
    expect(data.articleConnection).to.deep.equal({ totalCount: 2, edges: [{ node: { id: String(ids[1]) } }] });
  });

  it('is rejected if it is no language', async () => {
    for (const path of ['/api/articles', '/api/articles/me', '/api/articles/following'])
      expectFieldErrors(
        await call(app.url, `GET ${path}?language=en_US`, { token: author.token }),
        'language: must be a BCP 47 language tag such as ko or pt-BR, got "en_US"',
      );
  });
});
