/** Texts that consist of characters that readers do not see, and line separators in fields of one line. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildArticle, buildMember } from '../support/build.js';
import { call, fieldErrors, type RestResponse } from '../support/client.js';

const app = useApp();

function expectWrong(response: RestResponse, ...fields: string[]): void {
  const wrong = fieldErrors(response).map((error) => error.replace(/:.*/, ''));
  expect(wrong, JSON.stringify(response.body)).to.have.members(fields);
}

const INVISIBLE = [
  '\u200b',
  '\u202d',
  '\u2060',
  '\u3164',
  '\u2800',
  '\u00ad',
  '\u034f',
  '\ufe0f',
  '\u{e0061}',
  '\u200b \u3164',
];
const VISIBLE = ['.', '\ue000', '👩\u200d🚀', '\u0301', '가'];

describe('A text of invisible characters', () => {
  it('is refused like an empty one', async () => {
    const { token } = await buildMember(app.url);
    const { id, author } = await buildArticle(app.url);
    for (const text of INVISIBLE) {
      const post = (path: string, json: object) => call(app.url, `POST ${path}`, { token, json });
      expectWrong(
        await post('/api/articles', { title: text, content: text, tags: ['a', text], category: text }),
        'category',
        'content',
        'tags',
        'title',
      );
      expectWrong(await post(`/api/articles/${id}/comments`, { content: text }), 'content');
      expectWrong(await post('/api/series', { title: text }), 'title');
      expectWrong(await post('/api/categories', { categoryName: text }), 'categoryName');
      const json = { title: text, content: 'x' };
      expectWrong(await call(app.url, `PUT /api/articles/${id}`, { token: author.token, json }), 'title');
    }
  });

  it('is accepted beside visible ones', async () => {
    const { token } = await buildMember(app.url);
    for (const [index, text] of VISIBLE.entries()) {
      const json = { title: text, content: text, tags: [`\u200b${index}`] };
      expect((await call(app.url, 'POST /api/articles', { token, json })).status, text).to.equal(201);
    }
  });

  it('does not prevent an edit of an article that has it', async () => {
    const {
      id,
      author: { token },
    } = await buildArticle(app.url, { content: 'x' });
    await app.database.sequelize.query(`update articles set title = '\u3164', content = '\u200b' where id = ${id}`);
    const json = { title: '\u3164', content: '\u200b', tags: ['sea'] };
    expect((await call(app.url, `PUT /api/articles/${id}`, { token, json })).status).to.equal(200);
    expect((await call(app.url, `GET /api/articles/${id}`)).body?.data.tags).to.deep.equal(['sea']);
    expectWrong(await call(app.url, `PUT /api/articles/${id}`, { token, json: { ...json, title: '\u2060' } }), 'title');
  });
});

describe('A field of one line', () => {
  it('has no line and paragraph separators', async () => {
    const { token } = await buildMember(app.url);
    for (const text of ['a\u2028b', 'a\u2029b', 'a\u0085b', 'a\vb']) {
      const json = { title: text, content: 'x', description: text, tags: [text], category: text, articleImgAlt: text };
      const response = await call(app.url, 'POST /api/articles', { token, json });
      expectWrong(response, 'articleImgAlt', 'category', 'description', 'tags', 'title');
    }
  });
});
