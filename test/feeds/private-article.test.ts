/** What is public beside the APIs: feeds, the sitemap, Markdown files and the front page contain no private article, and its changes renew nothing. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../support/build.js';
import { call, expectStatus } from '../support/client.js';
import { ageStamps } from '../support/stamps.js';
import { setPrivate } from '../support/visibility.js';

const app = useApp();

let author: BuiltMember;
let shown: BuiltArticle;
before(async () => {
  author = await buildMember(app.url);
  shown = await buildArticle(app.url, { title: 'Daylily', tags: ['shared-tag'] }, author);
  // Stamps of the last five seconds have weak validators.
  await ageStamps(app.database);
});

const feedsOf = (folder: string) => ['xml', 'atom', 'json'].map((extension) => `${folder}/feed.${extension}`);
const paths = () => [
  ...['', `/members/${author.id}`, '/tags/shared-tag', '/tags/moonflower-tag'].flatMap(feedsOf),
  ...['/', '/llms.txt', '/articles/daylily.md', '/articles/moonflower.md', '/sitemap.xml', '/sitemap-1.xml'],
];

/** Status, validators and content of everything that is public. */
async function publicState(): Promise<(string | number | null)[][]> {
  const states: (string | number | null)[][] = [];
  for (const path of paths()) {
    const response = await fetch(app.url + path);
    const of = (name: string) => response.headers.get(name);
    states.push([path, response.status, of('ETag'), of('Last-Modified'), await response.text()]);
  }
  return states;
}

describe('Feeds, the sitemap, Markdown files and the front page', () => {
  it('stay as they are, with their validators, while a private article is written, edited, discussed and deleted', async () => {
    const { token } = author;
    const before = await publicState();
    const words = { title: 'Moonflower', tags: ['moonflower-tag', 'shared-tag'] };
    const { id } = await buildArticle(app.url, { ...words, visibility: 'PRIVATE' }, author);
    const json = { title: 'Moonflower', content: 'Moonflower again', tags: ['shared-tag', 'moonflower-tag'] };
    await expectStatus(call(app.url, `PUT /api/articles/${id}`, { token, json }), 200, '1');
    const comment = await buildComment(app.url, id, { content: 'Moonflower?' }, author);
    await buildComment(app.url, id, { parentCommentId: comment.id }, author);
    await expectStatus(call(app.url, `DELETE /api/comments/${comment.id}`, { token }), 200, '1');
    const during = await publicState();
    expect(during).to.deep.equal(before);
    expect(JSON.stringify(during)).to.include('Daylily').and.not.include('Moonflower');
    await expectStatus(call(app.url, `DELETE /api/articles/${id}`, { token }), 200, '1');
    expect(await publicState()).to.deep.equal(before);
  });

  it('lose an article that becomes private, and contain it again afterwards', async () => {
    const containing = async (text: string) =>
      (await publicState()).filter(([, , , , body]) => String(body).includes(text)).map(([path]) => path);
    const all = paths().filter((path) => !/moonflower|sitemap/.test(path));
    expect(await containing('Daylily')).to.deep.equal(all);
    const url = `/${shown.id}<`;
    expect(await containing(url)).to.include('/sitemap-1.xml');
    await setPrivate(app.url, shown);
    expect(await containing('Daylily')).to.deep.equal([]);
    expect(await containing(url)).to.deep.equal([]);
    await setPrivate(app.url, shown, false);
    expect(await containing('Daylily')).to.deep.equal(all);
  });
});
