/** If-Match on changes of articles and comments, over both APIs, and the tags with their revisions. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectStatus, fieldErrors } from '../../support/client.js';

const app = useApp();

describe('If-Match', () => {
  let member: BuiltMember;
  let token: string;
  before(async () => {
    member = await buildMember(app.url);
    ({ token } = member);
  });
  const json = { title: 'Tide', content: 'The tide is out.' };
  const tagOf = async (target: string, options: object = {}) =>
    (await call(app.url, target, options)).headers.get('ETag') ?? '';
  const sendIf = (ifMatch: string, target: string, body?: object) =>
    call(app.url, target, { token, headers: { 'If-Match': ifMatch }, ...(body && { json: body }) });

  it('accepts the tag of every response with the article, until its next edit', async () => {
    const created = await call(app.url, 'POST /api/articles', { token, json });
    const path = `/api/articles/${created.body?.data.id}`;
    const tags = [created.headers.get('ETag') ?? '', await tagOf(`GET ${path}`), await tagOf(`GET ${path}`, { token })];
    expect(tags[1]).to.equal(tags[2]);
    for (const tag of tags) expect(tag).to.match(/^W\/"1\.[\w-]{20,}"$/);
    // Neither comments nor names are edits of the article, although the tag of its GET changes with them.
    await buildComment(app.url, created.body?.data.id, {}, member);
    await call(app.url, 'PATCH /api/members/me', { token, json: { nickname: 'Keeper of tags' } });
    expect(await tagOf(`GET ${path}`))
      .to.match(/^W\/"1\./)
      .and.not.equal(tags[1]);
    const edited = await expectStatus(sendIf(tags[1] ?? '', `PUT ${path}`, json), 200, '1');
    expect(edited.headers.get('ETag')).to.match(/^W\/"2\./);
    for (const tag of tags) await expectStatus(sendIf(tag, `PUT ${path}`, json), 412, 'PRECONDITION_FAILED');
    const rejected = await expectStatus(sendIf(tags[0] ?? '', `DELETE ${path}`), 412, 'PRECONDITION_FAILED');
    expect(rejected.body?.message).to.match(/^The current revision is 2, If-Match is .*: read the resource again/);
    await expectStatus(sendIf(`"x", ${await tagOf(`GET ${path}`)}`, `DELETE ${path}`), 200, '1');
  });

  it('accepts the tag of a comment, until its content is edited', async () => {
    const article = await buildArticle(app.url, {}, member);
    const created = await call(app.url, `POST /api/articles/${article.id}/comments`, { token, json: { content: 'a' } });
    const path = `/api/comments/${created.body?.data.id}`;
    const first = created.headers.get('ETag') ?? '';
    expect(first).to.match(/^W\/"1\.[\w-]{20,}"$/);
    await call(app.url, `PUT ${path}/hidden`, { token, json: { hidden: true } });
    await buildComment(app.url, article.id, { parentCommentId: created.body?.data.id }, member);
    const edited = await expectStatus(sendIf(first, `PATCH ${path}`, { content: 'b' }), 200, '1');
    const second = edited.headers.get('ETag') ?? '';
    expect(second).to.match(/^W\/"2\./);
    await expectStatus(sendIf(first, `PATCH ${path}`, { content: 'c' }), 412, 'PRECONDITION_FAILED');
    await expectStatus(sendIf(first, `DELETE ${path}`), 412, 'PRECONDITION_FAILED');
    await expectStatus(sendIf(second, `DELETE ${path}`), 200, '1');
  });

  it('matches any revision as *, and is checked after 404 and 403', async () => {
    const own = await buildArticle(app.url, {}, member);
    const other = await buildArticle(app.url);
    await expectStatus(sendIf('*', `PUT /api/articles/${own.id}`, json), 200, '1');
    await expectStatus(sendIf('"9"', `PUT /api/articles/${own.id}`, json), 412, 'PRECONDITION_FAILED');
    await expectStatus(sendIf('"9"', `PUT /api/articles/${other.id}`, json), 403, 'ARTICLE_FORBIDDEN');
    await expectStatus(sendIf('"9"', 'PUT /api/articles/999999', json), 404, 'ARTICLE_NOT_FOUND');
    await expectStatus(sendIf('"9"', 'DELETE /api/comments/999999'), 404, 'COMMENT_NOT_FOUND');
    await expectStatus(sendIf('"9"', `PUT /api/articles/${own.id}`, { title: 'x' }), 400, 'VALIDATION_FAILED');
  });

  it('is rejected if it is malformed', async () => {
    const { id } = await buildArticle(app.url, {}, member);
    for (const header of ['', 'x', '2', '"a', 'W/', '*, "1"', '"1" "2"']) {
      const response = await expectStatus(
        sendIf(header, `PUT /api/articles/${id}`, json),
        400,
        'VALIDATION_FAILED',
        header,
      );
      expect(fieldErrors(response)[0]).to.match(/^If-Match: Expected \* or a list of entity tags/);
    }
    await expectStatus(sendIf('W/"1", "7.x",', `PUT /api/articles/${id}`, json), 200, '1');
  });

  it('lets one of several concurrent edits through', async () => {
    const { id } = await buildArticle(app.url, {}, member);
    const tag = await tagOf(`GET /api/articles/${id}`);
    const edits = Array.from({ length: 6 }, () => sendIf(tag, `PUT /api/articles/${id}`, json));
    const statuses = (await Promise.all(edits)).map(({ status }) => status);
    expect(statuses.sort()).to.deep.equal([200, 412, 412, 412, 412, 412]);
  });

  it('applies to a GraphQL document with one mutation field', async () => {
    const { id } = await buildArticle(app.url, {}, member);
    const comment = await buildComment(app.url, id, {}, member);
    const send = async (query: string, ifMatch: string) => {
      const response = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}`, 'If-Match': ifMatch },
        body: JSON.stringify({ query }),
      });
      const { data, errors } = (await response.json()) as { data: object; errors?: { extensions: { code: string } }[] };
      return errors ? errors[0]?.extensions.code : data;
    };
    const edit = `mutation { updateComment(id: ${comment.id}, content: "b") { revision } }`;
    expect(await send(edit, '"2"')).to.equal('PRECONDITION_FAILED');
    expect(await send(edit, '"1"')).to.deep.equal({ updateComment: { revision: 2 } });
    expect(await send(`{ comments(articleId: ${id}) { contents { revision } } }`, '"9"')).to.deep.equal({
      comments: { contents: [{ revision: 2 }] },
    });
    expect(await send(`mutation { deleteArticle(id: ${id}) { id } }`, 'W/"2.x"')).to.equal('PRECONDITION_FAILED');
    const two = `mutation { a: deleteComment(id: ${comment.id}) { id } b: deleteArticle(id: ${id}) { id } }`;
    expect(await send(two, '"1"')).to.equal('BAD_REQUEST');
    expect(await send(`mutation { deleteArticle(id: ${id}) { revision } }`, '"1"')).to.deep.equal({
      deleteArticle: { revision: 1 },
    });
  });
});
