/** What the AI provider receives of private articles: only what their authors send to it. */
import { mock } from 'node:test';
import { expect } from 'chai';
import { respond, startAiProvider } from '../support/ai-provider.js';
import { useApp } from '../support/app.js';
import { type BuiltArticle, buildArticle } from '../support/build.js';
import { call, expectStatus } from '../support/client.js';
import { runSummaries, waitingSummaries } from '../support/jobs.js';
import { freshText, runAttempts, summaryJson, summaryOutcomesOf } from '../support/summaries.js';
import { setPrivate } from '../support/visibility.js';

const provider = await startAiProvider();
after(() => provider.close());

const app = useApp(provider.environment);

const SUMMARY = 'A summary.';
beforeEach(async () => {
  await runAttempts(app, 9);
  provider.setResponses(respond.withText(summaryJson(SUMMARY, ['owls'])));
});

const build = (visibility: 'PRIVATE' | 'PUBLIC') => buildArticle(app.url, { content: freshText(), visibility });

async function stateOf({ id, author: { token } }: BuiltArticle): Promise<[status: string, summary: string | null]> {
  const { body } = await call(app.url, `GET /api/articles/${id}/summary`, { token });
  return [body?.data.status, body?.data.aiSummary];
}

const request = ({ id, author: { token } }: BuiltArticle) =>
  expectStatus(call(app.url, `POST /api/articles/${id}/summary`, { token }), 202, '1');

async function edit({ id, author: { token } }: BuiltArticle, changes: Record<string, unknown>): Promise<void> {
  const { title, content } = (await call(app.url, `GET /api/articles/${id}`, { token })).body?.data ?? {};
  await expectStatus(
    call(app.url, `PUT /api/articles/${id}`, { token, json: { title, content, ...changes } }),
    200,
    '1',
  );
}

/** Runs the jobs. @returns the texts that the provider has received */
async function sent(): Promise<string[]> {
  await runSummaries(app);
  return provider.requests.map(({ body }) => body.messages[1].content);
}

describe('The text of a private article', () => {
  it('is not sent when it is created or edited', async () => {
    const article = await build('PRIVATE');
    await edit(article, { content: freshText() });
    expect(await waitingSummaries(app)).to.deep.equal([]);
    expect(await sent()).to.deep.equal([]);
    expect(await stateOf(article)).to.deep.equal(['FAILED', null]);
  });

  it('is sent on request of its author, who gets the summary and the notification', async () => {
    const article = await build('PRIVATE');
    await request(article);
    expect(await stateOf(article)).to.deep.equal(['PENDING', null]);
    expect(await sent()).to.have.lengthOf(1);
    expect(await stateOf(article)).to.deep.equal(['COMPLETED', SUMMARY]);
    expect(await summaryOutcomesOf(app.url, article.author.token)).to.deep.equal(['COMPLETED']);
  });

  it('is not sent for a request from the time when it was public, and is for a later one', async () => {
    const article = await build('PUBLIC');
    await setPrivate(app.url, article);
    expect(await stateOf(article)).to.deep.equal(['FAILED', null]);
    expect(await sent()).to.deep.equal([]);
    await request(article);
    expect(await sent()).to.have.lengthOf(1);
  });

  it('is not sent for a request of its author before an edit of any kind', async () => {
    const edits: ((article: BuiltArticle) => Promise<void>)[] = [
      (article) => edit(article, { content: freshText() }),
      (article) => edit(article, { title: 'Another title' }),
      (article) => edit(article, { tags: ['another'] }),
    ];
    for (const change of edits) {
      const article = await build('PRIVATE');
      await request(article);
      await change(article);
      expect(await stateOf(article)).to.deep.equal(['FAILED', null]);
    }
    const article = await build('PUBLIC');
    await runSummaries(app);
    provider.requests.length = 0;
    await request(article);
    await setPrivate(app.url, article);
    expect(await sent()).to.deep.equal([]);
    expect(await stateOf(article), 'the existing summary remains').to.deep.equal(['COMPLETED', SUMMARY]);
  });

  it('depends on the visibility when the job reads it, also in a later attempt', async () => {
    const hide = ({ id }: BuiltArticle) =>
      app.database.sequelize.query(
        `update all_articles set is_private = true, revision = revision + 1 where id = ${id}`,
      );
    const automatic = await build('PUBLIC');
    await hide(automatic);
    const requested = await build('PUBLIC');
    await runSummaries(app);
    await request(requested);
    await hide(requested);
    provider.requests.length = 0;
    expect(await sent()).to.deep.equal([]);
    const retried = await build('PUBLIC');
    provider.setResponses(respond.withStatus(503));
    expect(await sent()).to.have.lengthOf.at.least(1);
    await hide(retried);
    provider.setResponses(respond.withText(summaryJson(SUMMARY)));
    await runAttempts(app, 9);
    expect(provider.requests).to.deep.equal([]);
    for (const [article, state] of [
      [automatic, ['FAILED', null]],
      [requested, ['COMPLETED', SUMMARY]],
      [retried, ['FAILED', null]],
    ] as const)
      expect(await stateOf(article)).to.deep.equal(state);
  });
});

describe('The log of a summary that fails', () => {
  it('has the id of a public article, and nothing of a private one', async () => {
    provider.setResponses(respond.withStatus(401));
    const [shown, hidden] = [await build('PUBLIC'), await build('PRIVATE')];
    await request(hidden);
    const warn = mock.method(app.services.log, 'warn', () => {});
    await runSummaries(app);
    const logged = warn.mock.calls.map(({ arguments: [line] }) => (line as { articleId?: number }).articleId);
    warn.mock.restore();
    expect(logged).to.have.members([shown.id, undefined]);
  });
});

describe('An article that becomes public', () => {
  it('gets a summary as a new one does, in one change with its content or not', async () => {
    for (const changes of [{}, { content: freshText() }]) {
      const article = await build('PRIVATE');
      await edit(article, { ...changes, visibility: 'PUBLIC' });
      expect(await stateOf(article)).to.deep.equal(['PENDING', null]);
      expect(await sent()).to.have.lengthOf(1);
      expect(await stateOf(article)).to.deep.equal(['COMPLETED', SUMMARY]);
      provider.requests.length = 0;
    }
  });

  it('gets none if one exists or is in progress', async () => {
    const existing = await build('PRIVATE');
    await request(existing);
    await runSummaries(app);
    await setPrivate(app.url, existing, false);
    expect(await waitingSummaries(app)).to.deep.equal([]);
    const requested = await build('PRIVATE');
    await request(requested);
    const [job, ...others] = await waitingSummaries(app);
    await setPrivate(app.url, requested, false);
    expect(others).to.deep.equal([]);
    expect((await waitingSummaries(app)).map(({ payload }) => payload)).to.deep.equal([job?.payload]);
  });
});
