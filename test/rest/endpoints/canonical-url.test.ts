/** The original address of an article. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { useMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';

const app = useApp();

const TEXT = { title: 'Owls', content: 'One is in the attic.' };
const ADDRESS = 'https://blog.example.org/owls';

describe('The canonical URL of an article', () => {
  const author = useMember(app);
  const send = (target: string, json?: object) => call(app.url, target, { token: author.token, ...(json && { json }) });
  const rest = async (target: string, json?: object) => (await send(target, json)).body?.data;

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
