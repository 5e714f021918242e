/** Responses to requests with an Idempotency-Key that contain HTML which has to be rendered: no transaction waits for the renderer. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call } from '../../support/client.js';
import { occupyRenderer } from '../../support/renderer.js';
import { until } from '../../support/until.js';

const app = useApp();

const CREATE = `mutation ($id: ID!, $content: String!) {
  createComment(input: { articleId: $id, content: $content }) {
    id content author { articles(first: 2) { edges { node { title contentHtml } } } }
  }
}`;

describe('A keyed request that selects HTML which is not rendered yet', () => {
  let member: BuiltMember;
  let article: BuiltArticle;
  let release: () => Promise<void>;
  let count = 0;
  before(async () => {
    member = await buildMember(app.url);
    article = await buildArticle(app.url, { title: 'Owls', content: 'In the **attic**.' }, member);
  });
  beforeEach(async () => {
    await app.database.sequelize.query('delete from article_html');
    release = occupyRenderer(app);
  });
  afterEach(() => release());

  const isWaiting = () => until(() => app.services.renderer.queue.state.waiting > 0);
  const send = (key: string, content: string, signal?: AbortSignal) =>
    fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${member.token}`,
        'Idempotency-Key': key,
      },
      body: JSON.stringify({ query: CREATE, variables: { id: article.id, content } }),
      signal: signal ?? null,
    }).then(async (response) => ({
      status: response.status,
      replayed: response.headers.get('Idempotency-Replayed'),
      body: await response.text(),
    }));
  const contents = async (): Promise<string[]> => {
    const { body } = await call(app.url, `GET /api/articles/${article.id}/comments?size=100`);
    return body?.data.contents.map((comment: { content: string }) => comment.content);
  };
  const html = '"contentHtml":"<p>In the <strong>attic</strong>.</p>';

  it('is committed before it waits, and its retry receives the same response', async () => {
    const key = `deferred-${count++}`;
    const sent = send(key, 'First.');
    await isWaiting();
    // The lock of the article's row is free, and so is the connection.
    expect(await contents()).to.include('First.');
    expect(app.database.poolState().inUse).to.equal(0);
    const other = { token: article.author.token, json: { content: 'Beside it.' } };
    expect((await call(app.url, `POST /api/articles/${article.id}/comments`, other)).status).to.equal(201);
    const waiting = send(key, 'First.');
    release();
    const first = await sent;
    expect([first.status, first.replayed]).to.deep.equal([200, null]);
    expect(first.body).to.include(html);
    expect(await waiting).to.deep.equal({ ...first, replayed: 'true' });
    // The stored response does not change with the article.
    await app.database.sequelize.query(`update articles set content = 'Other.' where id = ${article.id}`);
    expect(await send(key, 'First.')).to.deep.equal({ ...first, replayed: 'true' });
    await app.database.sequelize.query(`update articles set content = 'In the **attic**.' where id = ${article.id}`);
    expect((await contents()).filter((content) => content === 'First.')).to.have.length(1);
  });

  it('shows the content that its transaction has read', async () => {
    const sent = send(`deferred-${count++}`, 'Consistent.');
    await isWaiting();
    await app.database.sequelize.query(`update articles set content = 'Edited.' where id = ${article.id}`);
    release();
    expect((await sent).body).to.include(html);
    const [rows] = await app.database.sequelize.query('select html from article_html');
    expect(rows).to.deep.equal([]);
    await app.database.sequelize.query(`update articles set content = 'In the **attic**.' where id = ${article.id}`);
  });

  it('is completed by a retry if the first request ended in between', async () => {
    const key = `deferred-${count++}`;
    const controller = new AbortController();
    const sent = send(key, 'Interrupted.', controller.signal).catch(() => null);
    await isWaiting();
    controller.abort();
    await sent;
    await until(() => app.services.renderer.queue.state.waiting === 0);
    const retried = send(key, 'Interrupted.');
    await isWaiting();
    release();
    const completed = await retried;
    expect([completed.status, completed.replayed]).to.deep.equal([200, 'true']);
    expect(completed.body).to.include(html);
    expect(await send(key, 'Interrupted.')).to.deep.equal(completed);
    expect((await contents()).filter((content) => content === 'Interrupted.')).to.have.length(1);
  });

  it('has an empty text for an article that was deleted before a retry completed it', async () => {
    const other = await buildArticle(app.url, { title: 'Gone', content: 'Gone.' }, member);
    await app.database.sequelize.query('delete from article_html');
    const key = `deferred-${count++}`;
    const controller = new AbortController();
    const sent = send(key, 'Deleted.', controller.signal).catch(() => null);
    await isWaiting();
    controller.abort();
    await sent;
    await until(() => app.services.renderer.queue.state.waiting === 0);
    await call(app.url, `DELETE /api/articles/${other.id}`, { token: member.token });
    release();
    const completed = await send(key, 'Deleted.');
    expect(completed.body).to.include('"title":"Gone","contentHtml":""').and.to.include(html);
  });
});
