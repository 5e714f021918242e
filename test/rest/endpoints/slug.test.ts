/** Slugs of articles: their rules, their reservation, and reading by slug, over both APIs. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { buildArticle, buildMember, useMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { blocksOf, statementsDuring } from '../../support/statements.js';

const app = useApp();
const member = useMember(app);

const create = (json: object, token = member.token) =>
  call(app.url, 'POST /api/articles', { token, json: { content: 'Text', ...json } });
const edit = (id: number, json: object, token = member.token) =>
  call(app.url, `PUT /api/articles/${id}`, { token, json: { title: 'Edited', content: 'Text', ...json } });
const readBySlug = (slug: string, headers: Record<string, string> = {}) =>
  call(app.url, `GET /api/articles/by-slug/${encodeURIComponent(slug)}`, { headers });
const run = (sql: string) => app.database.sequelize.query(sql);
const slugOf = async (json: object) => (await create(json)).body?.data.slug;

const BY_SLUG = 'query ($slug: String!) { articleBySlug(slug: $slug) { id slug } }';

/** The id of the article; the code of the error, if the APIs agree on it. */
async function resolved(slug: string): Promise<number | string> {
  const { body } = await readBySlug(slug);
  const { data, errors } = await graphql(app.url, BY_SLUG, { slug });
  const rest = body?.code === '1' ? body.data.id : body?.code;
  const other = errors?.[0]?.extensions.code ?? Number(data.articleBySlug.id);
  expect(other, slug).to.equal(rest);
  return rest;
}

describe('The slug of a new article', () => {
  const CASES: readonly (readonly [title: string, slug: string])[] = [
    ['봄날의 산책', '봄날의-산책'],
    ['여름날의 산책'.normalize('NFD'), '여름날의-산책'],
    ['An Owl, in THE attic!', 'an-owl-in-the-attic'],
    ['❤️ Tea ☕️ & cake', 'tea-cake'],
    ['مرحبا بالعالم ٢٠٢٦', 'مرحبا-بالعالم-٢٠٢٦'],
    ['हिन्दी में', 'हिन्दी-में'],
    ['葛\u{e0100}城', '葛城'],
    ['x\u0301\u0323 and e\ufe0f\u0301', 'x\u0323\u0301-and-\u00e9'],
    ['İstanbul ΟΔΟΣ', 'i\u0307stanbul-οδος'],
    ['../..%2F', '2f'],
    ['---', 'article'],
    ['😀', 'article-2'],
    [`${'İ'.repeat(49)}a b`, `${'i\u0307'.repeat(49)}a`],
    ['İ'.repeat(100), 'i\u0307'.repeat(50)],
  ];
  for (const [title, slug] of CASES) {
    it(`is ${slug.slice(0, 20)} for the title ${title.slice(0, 20)}`, async () => {
      expect(await slugOf({ title })).to.equal(slug);
    });
  }

  it('has the first free number if the slug of the title is taken, within 100 characters', async () => {
    expect(await slugOf({ title: 'Moths' })).to.equal('moths');
    expect(await slugOf({ title: 'Moths', slug: 'moths-2' })).to.equal('moths-2');
    expect(await slugOf({ title: 'moths?' })).to.equal('moths-3');
    const title = 'm'.repeat(100);
    expect(await slugOf({ title })).to.equal(title);
    expect(await slugOf({ title })).to.equal(`${'m'.repeat(98)}-2`);
    expect(await slugOf({ title: `${'n'.repeat(97)} nn` })).to.equal(`${'n'.repeat(97)}-nn`);
    expect(await slugOf({ title: `${'n'.repeat(97)} nn` })).to.equal(`${'n'.repeat(97)}-2`);
  });

  it('is found with few lookups, whatever the number of equal titles', async () => {
    const { id } = (await create({ title: 'Rows' })).body?.data ?? {};
    await run(`insert into article_slugs select 'rows-' || n, ${id} from generate_series(2, 5000) n`);
    const text = `select reserve_numbered_slug('rows', $1)`;
    expect(await blocksOf(app.database, { text }, [id])).to.be.within(1, 300);
    const reference = await statementsDuring(() => create({ title: 'Not taken' }));
    const statements = await statementsDuring(async () => {
      expect(await slugOf({ title: 'Rows' })).to.equal('rows-5001');
    });
    expect(statements).to.have.lengthOf(reference.length);
  });

  it('is the given one, normalized; one that is taken is 409', async () => {
    expect(await slugOf({ title: 'x', slug: 'My-ÄRTICLE'.normalize('NFD') })).to.equal('my-ärticle');
    const [, other] = [await create({ title: 'x', slug: 'given' }), await buildMember(app.url)];
    await expectStatus(create({ title: 'x', slug: 'GIVEN' }, other.token), 409, 'SLUG_TAKEN');
    const mutation = 'mutation ($input: CreateArticleInput!) { createArticle(input: $input) { slug } }';
    const input = { title: 'x', content: 'y', slug: 'given' };
    const { errors } = await graphql(app.url, mutation, { input }, other.token);
    expect(errors?.[0]?.extensions.code).to.equal('SLUG_TAKEN');
  });

  it('is 400 if the given one is not a slug', async () => {
    for (const slug of ['', 'a b', 'a--b', '-a', 'a-', '../x', 'a/b', 'a%2Fb', '😀', 'a\u200db', 'x'.repeat(101)]) {
      const response = await expectStatus(create({ title: 'x', slug }), 400, 'VALIDATION_FAILED', slug);
      expect(response.body?.data.errors[0].field).to.equal('slug');
    }
    expectFieldErrors(
      await create({ title: 'x', slug: 'a b' }),
      'slug: must be letters, marks and digits, in words with a single hyphen between them, got "a b"',
    );
  });

  it('is another one for each of many articles with the same title at once', async () => {
    const members = await Promise.all(Array.from({ length: 4 }, () => buildMember(app.url)));
    const created = await Promise.all(
      Array.from({ length: 100 }, (_, index) => buildArticle(app.url, { title: 'At once' }, members[index % 4])),
    );
    const [rows] = await run(`select slug from articles where title = 'At once'`);
    const slugs = (rows as { slug: string }[]).map(({ slug }) => slug);
    expect(new Set(slugs).size).to.equal(created.length);
    for (const slug of slugs) expect(slug).to.match(/^at-once(-\d+)?$/);
  });
});

describe('The slug of an existing article', () => {
  it('stays when the title changes, and changes with `slug`; the former one leads to the article', async () => {
    const { id } = (await create({ title: 'Renamed' })).body?.data ?? {};
    expect((await edit(id, { title: 'Another' })).body?.data.slug).to.equal('renamed');
    expect((await edit(id, { slug: 'fresh' })).body?.data.slug).to.equal('fresh');
    expect([await resolved('renamed'), await resolved('fresh')]).to.deep.equal([id, id]);
    expect((await readBySlug('renamed')).body?.data.slug).to.equal('fresh');
    const other = await buildMember(app.url);
    await expectStatus(create({ title: 'x', slug: 'renamed' }, other.token), 409, 'SLUG_TAKEN');
    expect((await create({ title: 'Renamed' }, other.token)).body?.data.slug).to.equal('renamed-2');
  });

  it('has no invisible letters; one that version 1.0.0 has stored with them still leads to the article', async () => {
    for (const invisible of ['\u3164', '\u115f', '\uffa0', '\u034f', '\u17b4', '\u180b', '\ufe0f']) {
      expect(await slugOf({ title: `Tide${invisible}s ${invisible}!` })).to.match(/^tides(?:-\d+)?$/);
      expect((await create({ title: 'x', slug: invisible })).status).to.equal(400);
    }
    const { body } = await create({ title: 'Stored' });
    await run(`update articles set slug = 'sto\u3164red', is_slug_given = true where id = ${body?.data.id}`);
    expect(await resolved('Sto\u3164red')).to.equal(body?.data.id);
    expect((await edit(body?.data.id, { slug: 'stored-anew' })).status).to.equal(200);
    expect(await resolved('sto\u3164red')).to.equal(body?.data.id);
  });

  it('can be exchanged back and forth, over both APIs', async () => {
    const { id } = (await create({ title: 'Back' })).body?.data ?? {};
    const mutation =
      'mutation ($id: ID!, $input: UpdateArticleInput!) { updateArticle(id: $id, input: $input) { slug } }';
    for (const slug of ['forth', 'back', 'forth', 'back']) {
      const input = { title: 'Back', content: 'Text', slug };
      const { data } = await graphql(app.url, mutation, { id, input }, member.token);
      expect(data.updateArticle.slug).to.equal(slug);
      expect([await resolved('back'), await resolved('forth')]).to.deep.equal([id, id]);
    }
  });

  it('is 409 if another article has or had it, and the edit is undone', async () => {
    const taken = (await create({ title: 'Occupied' })).body?.data;
    await edit(taken.id, { slug: 'occupied-now' });
    const { id } = (await create({ title: 'Wanting' })).body?.data ?? {};
    for (const slug of ['occupied', 'occupied-now']) {
      await expectStatus(edit(id, { title: 'Changed', slug }), 409, 'SLUG_TAKEN');
    }
    expect((await readBySlug('wanting')).body?.data).to.include({ title: 'Wanting', revision: 1 });
  });

  it('is free after the article is deleted', async () => {
    const { id } = (await create({ title: 'Gone' })).body?.data ?? {};
    await edit(id, { slug: 'gone-now' });
    await call(app.url, `DELETE /api/articles/${id}`, { token: member.token });
    expect([await resolved('gone'), await resolved('gone-now')]).to.deep.equal(Array(2).fill('ARTICLE_NOT_FOUND'));
    expect(await slugOf({ title: 'Gone' })).to.equal('gone');
  });

  it('of two members who choose the same slug at once belongs to one of them', async () => {
    const other = await buildMember(app.url);
    const ids = [
      (await create({ title: 'One' })).body?.data.id,
      (await create({ title: 'Two' }, other.token)).body?.data.id,
    ];
    for (let round = 0; round < 5; round++) {
      const slug = `contested-${round}`;
      const responses = await Promise.all([edit(ids[0], { slug }), edit(ids[1], { slug }, other.token)]);
      expect(responses.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    }
  });
});

describe('The slug of a private article', () => {
  const setVisibility = (id: number, visibility: string) =>
    call(app.url, `PUT /api/articles/${id}/visibility`, { token: member.token, json: { visibility } });
  const createPrivate = async (json: object) => (await create({ visibility: 'PRIVATE', ...json })).body?.data ?? {};
  const ownStatus = async (slug: string) =>
    (await call(app.url, `GET /api/articles/by-slug/${slug}`, { token: member.token })).status;

  it('that was never public is a proposal: not reserved, and leads nowhere', async () => {
    for (const json of [{ title: 'Hidden plan' }, { title: 'x', slug: 'hidden-plan' }])
      expect((await createPrivate(json)).slug).to.equal('hidden-plan');
    expect([await resolved('hidden-plan'), await ownStatus('hidden-plan')]).to.deep.equal(['ARTICLE_NOT_FOUND', 404]);
    expect(await slugOf({ title: 'Hidden plan' })).to.equal('hidden-plan');
    expect(await slugOf({ title: 'x', slug: 'hidden-plan-2' })).to.equal('hidden-plan-2');
  });

  it('is reserved when it becomes public: a generated one with a number', async () => {
    const { id } = await createPrivate({ title: 'First light' });
    await create({ title: 'First light' });
    expect((await setVisibility(id, 'PUBLIC')).body?.data.slug).to.equal('first-light-2');
    expect(await resolved('first-light-2')).to.equal(id);
  });

  it('is reserved when it becomes public: a given one that is taken is 409, and the article stays private', async () => {
    const { id } = await createPrivate({ title: 'x', slug: 'second-light' });
    await create({ title: 'Second light' });
    await expectStatus(setVisibility(id, 'PUBLIC'), 409, 'SLUG_TAKEN');
    await expectStatus(edit(id, { visibility: 'PUBLIC' }), 409, 'SLUG_TAKEN');
    const mutation = 'mutation ($id: ID!) { setVisibility(articleId: $id, visibility: PUBLIC) { slug } }';
    const { errors } = await graphql(app.url, mutation, { id }, member.token);
    expect(errors?.[0]?.extensions.code).to.equal('SLUG_TAKEN');
    await expectStatus(call(app.url, `GET /api/articles/${id}`), 404, 'ARTICLE_NOT_FOUND');
    const { body } = await edit(id, { visibility: 'PUBLIC', slug: 'third-light' });
    expect(body?.data).to.include({ visibility: 'PUBLIC', slug: 'third-light' });
  });

  it('of which two become public at once gets another number each', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, async () => (await createPrivate({ title: 'Crowd' })).id));
    const published = await Promise.all(ids.map((id) => setVisibility(id, 'PUBLIC')));
    expect(published.map(({ status }) => status)).to.deep.equal(Array(6).fill(200));
    expect(new Set(published.map(({ body }) => body?.data.slug)).size).to.equal(6);
  });

  it('stays reserved, and is unknown to others, while a public article is private', async () => {
    const { id, slug } = (await create({ title: 'Withdrawn text' })).body?.data ?? {};
    await edit(id, { slug: 'withdrawn-now' });
    const etag = (await readBySlug(slug)).headers.get('ETag') ?? '';
    await setVisibility(id, 'PRIVATE');
    await expectStatus(readBySlug(slug, { 'If-None-Match': etag }), 404, 'ARTICLE_NOT_FOUND');
    expect([await ownStatus(slug), await ownStatus('withdrawn-now')]).to.deep.equal([200, 200]);
    const other = await buildMember(app.url);
    const { status } = await call(app.url, `GET /api/articles/by-slug/${slug}`, { token: other.token });
    expect(status).to.equal(404);
    expect(await slugOf({ title: 'Withdrawn text' })).to.equal('withdrawn-text-2');
    await setVisibility(id, 'PUBLIC');
    expect(await resolved(slug)).to.equal(id);
  });

  it('that is set while the article is private is a proposal, also if the article was public', async () => {
    const { id } = (await create({ title: 'Once public' })).body?.data ?? {};
    await setVisibility(id, 'PRIVATE');
    expect((await edit(id, { slug: 'secret-word' })).body?.data.slug).to.equal('secret-word');
    expect([await resolved('secret-word'), await ownStatus('secret-word')]).to.deep.equal(['ARTICLE_NOT_FOUND', 404]);
    expect(await slugOf({ title: 'x', slug: 'secret-word' })).to.equal('secret-word');
    await expectStatus(setVisibility(id, 'PUBLIC'), 409, 'SLUG_TAKEN');
    await edit(id, { slug: 'once-public' });
    expect((await setVisibility(id, 'PUBLIC')).body?.data.slug).to.equal('once-public');
  });
});

describe('GET /api/articles/by-slug/{slug}', () => {
  it('finds the article by any form of the slug', async () => {
    const { id } = (await create({ title: 'Ärger im Büro' })).body?.data ?? {};
    for (const slug of ['ärger-im-büro', 'ÄRGER-im-büro', 'ärger-im-büro'.normalize('NFD')])
      expect(await resolved(slug), slug).to.equal(id);
  });

  it('responds 404 for an unknown slug and 400 for what is not one', async () => {
    expect(await resolved('unknown-slug')).to.equal('ARTICLE_NOT_FOUND');
    for (const slug of ['a b', 'a/b', '../etc', '%2F', 'x'.repeat(300), '😀', '\u0000'])
      expect(await resolved(slug), slug).to.equal('VALIDATION_FAILED');
  });

  it('finds slugs that are names of other routes', async () => {
    for (const title of ['me', 'by-slug', 'comments', 'neighbors', 'summary', 'rendered', 'preview', '123']) {
      const { id } = (await create({ title })).body?.data ?? {};
      expect(await resolved(title), title).to.equal(id);
    }
  });

  it('is one statement, without the content again if the ETag is current', async () => {
    const { id, slug } = (await create({ title: 'Counted' })).body?.data ?? {};
    await readBySlug(slug);
    let etag = '';
    const statements = await statementsDuring(async () => {
      const { headers, body } = await readBySlug(slug);
      expect(body?.data.id).to.equal(id);
      etag = headers.get('ETag') ?? '';
    });
    expect(statements).to.have.lengthOf(1);
    const revalidation = await statementsDuring(async () => {
      expect((await readBySlug(slug, { 'If-None-Match': etag })).status).to.equal(304);
    });
    expect(revalidation).to.have.lengthOf(1);
    await call(app.url, `POST /api/articles/${id}/comments`, { token: member.token, json: { content: 'New' } });
    expect((await readBySlug(slug, { 'If-None-Match': etag })).body?.data.commentCount).to.equal(1);
  });

  it('responds with the current article when the slug has moved, is renamed or gone', async () => {
    const { id, slug } = (await create({ title: 'Moving' })).body?.data ?? {};
    const etag = (await readBySlug(slug)).headers.get('ETag') ?? '';
    await edit(id, { slug: 'moved' });
    expect((await readBySlug(slug, { 'If-None-Match': etag })).body?.data.slug).to.equal('moved');
    const renamed = (await readBySlug(slug)).headers.get('ETag') ?? '';
    await call(app.url, `DELETE /api/articles/${id}`, { token: member.token });
    await expectStatus(readBySlug(slug, { 'If-None-Match': renamed }), 404, 'ARTICLE_NOT_FOUND');
    const successor = (await create({ title: 'Moving' })).body?.data ?? {};
    expect((await readBySlug(slug, { 'If-None-Match': renamed })).body?.data.id).to.equal(successor.id);
  });
});

describe('GET /api/articles/{articleId}/neighbors', () => {
  const NEIGHBORS =
    'query ($id: ID!) { neighbors(articleId: $id) { previous { id slug title } next { id slug title } } }';
  const titles = async (id: number) => {
    const { body } = await call(app.url, `GET /api/articles/${id}/neighbors`);
    const { data } = await graphql(app.url, NEIGHBORS, { id });
    const { previous, next } = body?.data ?? {};
    for (const name of ['previous', 'next']) {
      const [rest, other] = [body?.data[name], data.neighbors[name]];
      expect(rest && { ...rest, id: String(rest.id) }).to.deep.equal(other);
    }
    return [previous?.title ?? null, next?.title ?? null];
  };

  it("has the author's public articles before and after it", async () => {
    const author = await buildMember(app.url);
    const ids = [];
    for (const title of ['A', 'B', 'C', 'D']) {
      ids.push((await buildArticle(app.url, { title }, author)).id);
      await buildArticle(app.url);
    }
    const [a = 0, b = 0, c = 0, d = 0] = ids;
    expect([await titles(a), await titles(b), await titles(d)]).to.deep.equal([
      [null, 'B'],
      ['A', 'C'],
      ['C', null],
    ]);
    await run(`update all_articles set is_private = true where id = ${c}`);
    expect([await titles(b), await titles(d)]).to.deep.equal([
      ['A', 'D'],
      ['B', null],
    ]);
    await expectStatus(call(app.url, `GET /api/articles/${c}/neighbors`), 404, 'ARTICLE_NOT_FOUND');
    await run(`update all_articles set created_at = (select created_at from articles where id = ${a}) where id = ${d}`);
    expect([await titles(a), await titles(d)]).to.deep.equal([
      [null, 'D'],
      ['A', 'B'],
    ]);
  });

  it('is one statement with that of its version, and follows changes', async () => {
    const { id, author } = await buildArticle(app.url);
    const target = `GET /api/articles/${id}/neighbors`;
    let etag = '';
    const statements = await statementsDuring(async () => {
      etag = (await call(app.url, target)).headers.get('ETag') ?? '';
    });
    expect(statements).to.have.lengthOf(2);
    expect((await call(app.url, target, { headers: { 'If-None-Match': etag } })).status).to.equal(304);
    await buildArticle(app.url, { title: 'Next' }, author);
    const { body } = await call(app.url, target, { headers: { 'If-None-Match': etag } });
    expect(body?.data.next.title).to.equal('Next');
  });

  it('responds 404 for an unknown article and 400 for a bad id', async () => {
    await expectStatus(call(app.url, 'GET /api/articles/999999999/neighbors'), 404, 'ARTICLE_NOT_FOUND');
    await expectStatus(call(app.url, 'GET /api/articles/x/neighbors'), 400, 'VALIDATION_FAILED');
  });
});

describe('wordCount and readingMinutes', () => {
  it('count the visible text: letters of CJK scripts, and other words', async () => {
    const content =
      "# 봄날 walk\n\nラーメン **3** 杯, don't [stop](https://example.org/not/counted) हिन्दी\n\n<!-- hidden -->";
    const { body } = await create({ title: 'Words', content });
    expect(body?.data).to.include({ wordCount: 2 + 1 + 4 + 1 + 1 + 2 + 1 + 1, readingMinutes: 1 });
  });

  it('are at least one minute, at 240 words or 500 letters a minute', async () => {
    const minutes = async (content: string) => (await create({ title: 'Minutes', content })).body?.data.readingMinutes;
    expect(await minutes('...')).to.equal(1);
    expect(await minutes('word '.repeat(720))).to.equal(3);
    expect(await minutes('글'.repeat(1500))).to.equal(3);
    expect(await minutes(`${'word '.repeat(240)}${'글'.repeat(500)}`)).to.equal(2);
  });

  it('follow an edit, also one that keeps the count', async () => {
    const { id } = (await create({ title: 'Edit', content: 'one two' })).body?.data ?? {};
    expect((await edit(id, { content: 'one three' })).body?.data.wordCount).to.equal(2);
    expect((await edit(id, { content: 'one two three' })).body?.data.wordCount).to.equal(3);
    const { data } = await graphql(app.url, `{ article(id: ${id}) { wordCount readingMinutes } }`);
    expect(data.article).to.deep.equal({ wordCount: 3, readingMinutes: 1 });
  });
});
