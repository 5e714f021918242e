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

  it('is empty where a text is optional', async () => {
    const { token } = await buildMember(app.url);
    const article = await call(app.url, 'POST /api/articles', {
      token,
      json: { title: 'a', content: 'b', description: '\u2060' },
    });
    expect(article.body?.data.description).to.equal(null);
    const series = await call(app.url, 'POST /api/series', { token, json: { title: 'a', description: '\u3164' } });
    expect([series.status, series.body?.data.description]).to.deep.equal([201, '']);
    expect((await call(app.url, 'PATCH /api/members/me', { token, json: { bio: '\u200b' } })).status).to.equal(204);
    expect((await call(app.url, 'GET /api/members/me', { token })).body?.data.bio).to.equal('');
  });

  it('is refused in every other form, and when a draft that has it is published', async () => {
    const { token } = await buildMember(app.url);
    const change = (target: string, json: object) => call(app.url, target, { token, json });
    expectWrong(await change('PATCH /api/members/me', { memberName: '\u3164' }), 'memberName');
    expectWrong(await change('PATCH /api/members/me', { nickname: '\u3164\u3164' }), 'nickname');
    const style = { name: '\u200b', role: '\u2060', instruction: '\u2800' };
    expectWrong(await change('POST /api/members/me/custom-styles', style), 'instruction', 'name', 'role');
    const input = { title: '\u200b', content: '\u3164', tags: ['\u2060'] };
    const draft = (await change('POST /api/drafts', input)).body?.data;
    expect(draft.title).to.equal('\u200b');
    expectWrong(await change(`POST /api/drafts/${draft.id}/publish`, {}), 'content', 'tags', 'title');
    const publishAt = new Date(Date.now() + 3_600_000).toISOString();
    expectWrong(await change(`PUT /api/drafts/${draft.id}/schedule`, { publishAt }), 'content', 'tags', 'title');
  });

  it('does not prevent changes of the other fields of a row that has it, in any form', async () => {
    const {
      id,
      author: { token, id: memberId },
    } = await buildArticle(app.url, { content: 'x', tags: ['tide'] });
    const change = (target: string, json: object) => call(app.url, target, { token, json });
    const run = (sql: string) => app.database.sequelize.query(sql);
    const series = (await change('POST /api/series', { title: 'a' })).body?.data;
    const category = (await change('POST /api/categories', { categoryName: 'a' })).body?.data;
    const style = (await change('POST /api/members/me/custom-styles', { name: 'a', role: 'b', instruction: 'c' })).body
      ?.data;
    await run(
      `update articles set title = '\u3164', content = '\u200b', category_id = ${category.id} where id = ${id}`,
    );
    await run(`update series set title = '\u3164' where id = ${series.id}`);
    await run(`update categories set name = '\u3164' where id = ${category.id}`);
    await run(`update custom_styles set name = '\u3164' where id = ${style.id}`);
    await run(`update members set member_name = '\u3164' where id = ${memberId}`);
    await run(`update tags set name = '\u3164' where name = 'tide'`);

    const listed = await call(app.url, `GET /api/articles?tag=${encodeURIComponent('\u3164')}`);
    expect(listed.body?.data.contents.map((one: { id: number }) => one.id)).to.deep.equal([id]);
    const texts = { title: '\u3164', content: '\u200b', tags: ['\u3164'], category: '\u3164' };
    expect((await change(`PUT /api/articles/${id}`, { ...texts, description: 'new' })).status).to.equal(200);
    expect((await change(`PUT /api/series/${series.id}`, { title: '\u3164', description: 'new' })).status).to.equal(
      200,
    );
    expectWrong(await change(`PUT /api/series/${series.id}`, { title: '\u2060' }), 'title');
    const changed = { name: '\u3164', role: 'new', instruction: 'c' };
    expect((await change(`PUT /api/members/me/custom-styles/${style.id}`, changed)).status).to.equal(200);
    expectWrong(await change(`PUT /api/members/me/custom-styles/${style.id}`, { ...changed, name: '\u2060' }), 'name');
    expect((await change('PATCH /api/members/me', { memberName: '\u3164', bio: 'new' })).status).to.equal(204);

    const draft = (await change(`PUT /api/articles/${id}/draft`, {})).body?.data;
    const saved = await change(`PATCH /api/drafts/${draft.id}`, { ...texts, title: '\u3164', description: 'newer' });
    expect(saved.status).to.equal(200);
    expectWrong(
      await change(`PATCH /api/drafts/${draft.id}`, { title: '\u2060' }).then(() =>
        change(`POST /api/drafts/${draft.id}/publish`, {}),
      ),
      'title',
    );
    await change(`PATCH /api/drafts/${draft.id}`, { title: '\u3164' });
    const published = await change(`POST /api/drafts/${draft.id}/publish`, {});
    expect(published.body?.data.description, JSON.stringify(published.body)).to.equal('newer');
  });

  it('is restored with the revision that has it', async () => {
    const {
      id,
      author: { token },
    } = await buildArticle(app.url, { content: 'x' });
    await app.database.sequelize.query(`update articles set title = '\u3164', content = '\u200b' where id = ${id}`);
    const edited = { title: 'a', content: 'b' };
    await call(app.url, `PUT /api/articles/${id}`, { token, json: edited });
    const { body } = await call(app.url, `GET /api/articles/${id}/revisions`, { token });
    const [{ number }] = body?.data.contents ?? [];
    const restored = await call(app.url, `POST /api/articles/${id}/revisions/${number}/restore`, { token });
    expect([restored.status, restored.body?.data.title]).to.deep.equal([200, '\u3164']);
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
