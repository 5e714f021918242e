/** Where the description of an article is shown or found besides the API: search, feeds, llms.txt, Markdown files, the feed of changes. */
import { expect } from 'chai';
import matter from 'gray-matter';
import { useApp } from '../../support/app.js';
import { useMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';

const app = useApp();

const TEXT = { title: 'Owls', content: 'One is in the attic.' };

describe('The description', () => {
  const author = useMember(app);
  const rest = async (target: string, json?: object) =>
    (await call(app.url, target, { token: author.token, ...(json && { json }) })).body?.data;
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
