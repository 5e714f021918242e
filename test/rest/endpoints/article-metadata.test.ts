/** Descriptions and original addresses of articles: on both APIs, in drafts and revisions, and where they are shown or found besides the API. */
import { expect } from 'chai';
import matter from 'gray-matter';
import { useApp } from '../../support/app.js';
import { buildArticle, useMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';

const app = useApp();
const author = useMember(app);

const TEXT = { title: 'Owls', content: 'One is in the attic.' };
const ADDRESS = 'https://blog.example.org/owls';

const send = (target: string, json?: object) => call(app.url, target, { token: author.token, ...(json && { json }) });
const rest = async (target: string, json?: object) => (await send(target, json)).body?.data;

describe('The description', () => {
  const textOf = async (path: string) => (await fetch(app.url + path)).text();
  let described: number;
  let plain: number;
  before(async () => {
    plain = (await rest('POST /api/articles', TEXT)).id;
    const json = { ...TEXT, title: 'Two owls', description: 'Feathers & silence', canonicalUrl: 'https://birds.test/' };
    described = (await rest('POST /api/articles', json)).id;
  });

  for (const visibility of ['PUBLIC', 'PRIVATE']) {
    it(`of a ${visibility} article is found, and the snippet may be from it`, async () => {
      const content = `It begins here.\n\n${'The night is long. '.repeat(30)}`;
      const text = { title: 'Night', content, visibility };
      const { id } = await rest('POST /api/articles', { ...text, description: 'About glimmering\u00a0 lamps' });
      const find = async (keyword: string) => {
        const { contents } = await rest(`GET /api/articles/me?keyword=${encodeURIComponent(keyword)}`);
        return contents
          .filter((article: { id: number }) => article.id === id)
          .map(({ snippet }: { snippet: string }) => snippet);
      };
      expect((await find('glimmering'))[0]).to.match(/night is long\. +About <mark>glimmering<\/mark>\u00a0? lamps$/);
      expect((await find('glimmering lamps'))[0]).to.include('<mark>lamps</mark>');
      expect((await find('begins'))[0]).to.match(/^It <mark>begins<\/mark> here\./);
      await rest(`PUT /api/articles/${id}`, { ...text, description: 'Dusk' });
      expect(await find('glimmering')).to.deep.equal([]);
      expect((await find('dusk'))[0]).to.include('<mark>Dusk</mark>');
      await rest(`PUT /api/articles/${id}`, { ...text, description: '' });
      expect(await find('dusk')).to.deep.equal([]);
      await rest(`DELETE /api/articles/${id}`);
    });
  }

  it('is in feeds and llms.txt in place of the excerpt', async () => {
    for (const [path, escaped] of [
      ['/feed.xml', 'Feathers &amp;#38; silence'],
      ['/feed.atom', 'Feathers &amp; silence'],
      ['/feed.json', 'Feathers & silence'],
      ['/llms.txt', 'Feathers'],
    ] as const) {
      const text = await textOf(path);
      expect(text, path).to.include(escaped);
      expect(text, path).to.include('One is in the attic');
      expect(text, path).to.not.include('birds.test');
    }
  });

  it('is in the front matter of one article, with its key', async () => {
    const read = async (id: number) => {
      const { slug } = await rest(`GET /api/articles/${id}`);
      const file = await textOf(`/articles/${slug}.md`);
      const { data } = await graphql(
        app.url,
        `{ article(id: ${id}) { markdown } articles { contents { id markdown } } }`,
      );
      expect(data?.article.markdown).to.equal(file);
      const listed = data?.articles.contents.find((article: { id: string }) => Number(article.id) === id);
      expect(listed.markdown).to.equal(file);
      return matter(file).data;
    };
    const [one, other] = [await read(described), await read(plain)];
    expect(one).to.include({
      description: 'Feathers & silence',
      descriptionSet: true,
      canonicalURL: 'https://birds.test/',
    });
    expect(other).to.include({ description: 'One is in the attic.' }).and.not.have.property('descriptionSet');
    for (const { key } of [one, other]) expect(key).to.match(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(one.key).to.not.equal(other.key);
  });
});

describe('The description of an article', () => {
  const create = (fields: object) => rest('POST /api/articles', { ...TEXT, ...fields });

  it('is null until it is set, and stays in an edit without it', async () => {
    const { id, description } = await create({});
    expect(description).to.equal(null);
    const put = async (fields: object) => {
      const { description, excerpt, revision } = await rest(`PUT /api/articles/${id}`, { ...TEXT, ...fields });
      expect(excerpt).to.equal('One is in the attic.');
      return [description, revision];
    };
    expect(await put({ description: '  Who lives there?  ' })).to.deep.equal(['Who lives there?', 2]);
    expect(await put({})).to.deep.equal(['Who lives there?', 3]);
    expect(await put({ description: null })).to.deep.equal(['Who lives there?', 4]);
    expect(await put({ description: '' })).to.deep.equal([null, 5]);
  });

  it('is in every list, beside the excerpt', async () => {
    const { id } = await create({ description: 'In every list', tags: ['owl'] });
    for (const list of ['/api/articles', '/api/articles/me', '/api/articles?tag=owl', '/api/articles?keyword=attic']) {
      const { contents } = await rest(`GET ${list}`);
      const { description, excerpt } = contents.find((article: { id: number }) => article.id === id);
      expect([description, excerpt], list).to.deep.equal(['In every list', 'One is in the attic.']);
    }
  });

  it('renews the validators of the article and of lists', async () => {
    const { id } = await create({ description: 'First' });
    const targets = [`GET /api/articles/${id}`, 'GET /api/articles'];
    const read = (target: string, etag = '') => call(app.url, target, { headers: { 'if-none-match': etag } });
    const etags = await Promise.all(targets.map(async (target) => (await read(target)).headers.get('etag') ?? ''));
    await rest(`PUT /api/articles/${id}`, { ...TEXT, description: 'Second' });
    for (const [index, target] of targets.entries()) expect((await read(target, etags[index])).status).to.equal(200);
  });

  it('is written and read over GraphQL', async () => {
    const { token } = author;
    const input = { ...TEXT, description: 'Over GraphQL' };
    const create = 'mutation ($input: CreateArticleInput!) { createArticle(input: $input) { id description } }';
    const { id, description } = (await graphql(app.url, create, { input }, token)).data?.createArticle ?? {};
    expect(description).to.equal('Over GraphQL');
    const update =
      'mutation ($id: ID!, $input: UpdateArticleInput!) { updateArticle(id: $id, input: $input) { description } }';
    const edit = async (fields: object) =>
      (await graphql(app.url, update, { id, input: { ...TEXT, ...fields } }, token)).data?.updateArticle.description;
    expect([await edit({}), await edit({ description: '' })]).to.deep.equal(['Over GraphQL', null]);
    const fields = 'articles { contents { description } } article(id: 1) { description }';
    expect((await graphql(app.url, `{ ${fields} }`)).errors).to.equal(undefined);
  });

  it('is stored as it is: markup, emoji and marks of direction', async () => {
    for (const description of ['<b>Owls</b> & *more*', '🦉👩‍👩‍👧', '\u202bשלום\u202c', '\u200fمرحبا', '🦉'.repeat(300)])
      expect((await create({ description })).description).to.equal(description);
  });

  it('is one line of at most 300 characters', async () => {
    const wrong: [unknown, string][] = [
      ['Two\nlines', 'must be one line without control characters'],
      ['A\u0000', 'must not contain the character U+0000'],
      ['x'.repeat(301), 'must be 0 to 300 characters long, got 301'],
      [7, 'must be a string'],
    ];
    for (const [description, message] of wrong) {
      const json = { ...TEXT, description };
      const { status, body } = await call(app.url, 'POST /api/articles', { token: author.token, json });
      expect([status, body?.code]).to.deep.equal([400, 'VALIDATION_FAILED']);
      expect(JSON.stringify(body)).to.include(message);
    }
  });

  it('is stored in revisions, also if nothing else changes, and restored', async () => {
    const { id } = await create({ description: 'First', tags: ['owl'] });
    await rest(`PUT /api/articles/${id}`, { ...TEXT, description: 'Second' });
    await rest(`PUT /api/articles/${id}`, { ...TEXT, description: '', tags: ['door'] });
    const { contents } = await rest(`GET /api/articles/${id}/revisions`);
    const descriptions = contents.map((each: { description: string }) => each.description);
    expect(descriptions).to.deep.equal(['Second', 'First']);
    const restore = async (number: number) => {
      const { description, revision, tags } = await rest(`POST /api/articles/${id}/revisions/${number}/restore`);
      return [description, revision, tags];
    };
    expect((await rest(`GET /api/articles/${id}/revisions/2`)).description).to.equal('Second');
    expect(await restore(2)).to.deep.equal(['Second', 4, ['owl']]);
    expect(await restore(2)).to.deep.equal(['Second', 4, ['owl']]);
    expect(await restore(3)).to.deep.equal([null, 5, ['door']]);
  });

  it('is in drafts, which take over that of their article, and publish theirs', async () => {
    const draft = await rest('POST /api/drafts', { ...TEXT, description: 'In a draft' });
    expect(draft.description).to.equal('In a draft');
    expect((await rest('GET /api/drafts')).contents[0].description).to.equal('In a draft');
    expect((await rest(`PATCH /api/drafts/${draft.id}`, { description: 'In a draft' })).revision).to.equal(1);
    expect((await rest(`PATCH /api/drafts/${draft.id}`, { title: 'Two owls' })).description).to.equal('In a draft');
    const article = await rest(`POST /api/drafts/${draft.id}/publish`);
    expect(article.description).to.equal('In a draft');
    const edit = await rest(`PUT /api/articles/${article.id}/draft`);
    expect(edit.description).to.equal('In a draft');
    expect((await rest(`PATCH /api/drafts/${edit.id}`, { description: '' })).description).to.equal(null);
    expect((await rest(`POST /api/drafts/${edit.id}/publish`)).description).to.equal(null);
  });

  it('of an edit and its hiding at once is not what was public', async () => {
    const { id } = await buildArticle(app.url, { ...TEXT, description: 'Public' }, author);
    await rest(`PUT /api/articles/${id}`, { ...TEXT, description: 'Private', visibility: 'PRIVATE' });
    const revision = 'select private_revision as revision from all_articles where id = :id';
    const [rows] = await app.database.sequelize.query(revision, { replacements: { id } });
    expect(rows).to.deep.equal([{ revision: 1 }]);
    expect((await rest(`GET /api/articles/${id}/revisions/1`)).description).to.equal('Public');
  });
});

describe('The canonical URL of an article', () => {
  it('is written, kept and cleared over REST, and in lists', async () => {
    const { id, canonicalUrl } = await rest('POST /api/articles', { ...TEXT, canonicalUrl: ` ${ADDRESS} ` });
    expect(canonicalUrl).to.equal(ADDRESS);
    const put = async (fields: object) => (await rest(`PUT /api/articles/${id}`, { ...TEXT, ...fields })).canonicalUrl;
    expect(await put({})).to.equal(ADDRESS);
    expect((await rest('GET /api/articles')).contents[0].canonicalUrl).to.equal(ADDRESS);
    expect(await put({ canonicalUrl: '' })).to.equal(null);
    expect((await rest(`GET /api/articles/${id}/revisions`)).contents).to.deep.equal([]);
  });

  it('is written over GraphQL, and in drafts', async () => {
    const create = 'mutation ($input: CreateArticleInput!) { createArticle(input: $input) { canonicalUrl } }';
    const { data } = await graphql(app.url, create, { input: { ...TEXT, canonicalUrl: ADDRESS } }, author.token);
    expect(data?.createArticle.canonicalUrl).to.equal(ADDRESS);
    const { id, canonicalUrl } = await rest('POST /api/drafts', { ...TEXT, canonicalUrl: ADDRESS });
    expect(canonicalUrl).to.equal(ADDRESS);
    expect((await rest(`POST /api/drafts/${id}/publish`)).canonicalUrl).to.equal(ADDRESS);
  });

  it('is normalized', async () => {
    const normalized: [string, string][] = [
      ['HTTP://Blog.Example.ORG:80/Owls', 'http://blog.example.org/Owls'],
      ['https://올빼미.example/부엉이', 'https://xn--hg3b19bx2k.example/%EB%B6%80%EC%97%89%EC%9D%B4'],
      ['https://blog.example.org/owls?a=1#night', 'https://blog.example.org/owls?a=1'],
      [`https://a.test/${'x'.repeat(1985)}`, `https://a.test/${'x'.repeat(1985)}`],
    ];
    for (const [given, stored] of normalized)
      expect((await rest('POST /api/articles', { ...TEXT, canonicalUrl: given })).canonicalUrl).to.equal(stored);
  });

  it('is an absolute http or https address of at most 2,000 characters without credentials', async () => {
    const address = 'must be an absolute http or https address without a user name and a password, got ';
    const wrong: [unknown, string][] = [
      ['javascript:alert(1)', `${address}"javascript:alert(1)"`],
      ['ftp://blog.example.org/', `${address}"ftp://blog.example.org/"`],
      ['/owls', `${address}"/owls"`],
      ['//blog.example.org/owls', `${address}"//blog.example.org/owls"`],
      ['https:blog.example.org', `${address}"https:blog.example.org"`],
      ['https://', `${address}"https://"`],
      ['https://ada@blog.example.org/', `${address}"https://ada@blog.example.org/"`],
      ['https://ada:secret@blog.example.org/', `${address}"https://ada:secret@blog.example.org/"`],
      [`https://a.test/${'x'.repeat(1986)}`, 'must be 0 to 2000 characters long, got 2001'],
      [`https://a.test/${'부'.repeat(600)}`, 'must be 0 to 2000 characters long, got 5415'],
      ['https://a.test/\nowls', 'must be one line without control characters'],
      [7, 'must be a string, got 7'],
    ];
    for (const [canonicalUrl, message] of wrong) {
      for (const target of ['POST /api/articles', 'POST /api/drafts']) {
        const { status, body } = await send(target, { ...TEXT, canonicalUrl });
        expect([status, body?.data]).to.deep.equal([400, { errors: [{ field: 'canonicalUrl', message }] }]);
      }
    }
  });
});
