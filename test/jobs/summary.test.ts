/** Article summaries without an AI provider: creation, reading, and new requests. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildArticle, buildMember } from '../support/build.js';
import { call, expectStatus, graphql } from '../support/client.js';
import { runSummaries, waitingSummaries } from '../support/jobs.js';
import { statementsDuring } from '../support/statements.js';
import { articleOf, summaryOf, summaryOutcomesOf } from '../support/summaries.js';

describe('Summaries without a provider', () => {
  const app = useApp();

  const GARDEN =
    '# 텃밭\n\n올봄에 작은 텃밭을 시작했다. 텃밭에는 상추와 토마토를 심었다. 토마토는 햇빛을 좋아해서 남쪽에 심었다. 상추는 물을 자주 주어야 잘 자란다. 이웃과 토마토를 나누어 먹었다.';

  describe('The summary of an article', () => {
    it('is PENDING when the article is saved, and COMPLETED after the job', async () => {
      const { id, author } = await buildArticle(app.url, { content: GARDEN, tags: ['일기'] });
      expect(await summaryOf(app.url, id)).to.deep.equal({ articleId: id, aiSummary: null, status: 'PENDING' });
      await runSummaries(app);
      const read = await summaryOf(app.url, id);
      expect(read.status).to.equal('COMPLETED');
      expect(GARDEN).to.include(read.aiSummary?.split('. ')[0] ?? 'nothing');
      const article = await articleOf(app.url, id);
      expect(article).to.include({ aiSummary: read.aiSummary, summaryStatus: 'COMPLETED' });
      expect(article.tags, "the author's own").to.deep.equal(['일기']);
      expect(article.aiTags).to.include.members(['텃밭', '토마토', '상추']);
      expect(await summaryOutcomesOf(app.url, author.token), 'notifications').to.deep.equal([]);
    });

    it('is part of the article over REST, without adding tags to those of the author', async () => {
      const { id } = await buildArticle(app.url, { content: GARDEN });
      await runSummaries(app);
      const { body } = await call(app.url, `GET /api/articles/${id}`);
      expect(body?.data).to.include({ aiSummary: (await summaryOf(app.url, id)).aiSummary, revision: 1 });
      expect(body?.data.tags).to.deep.equal([]);
      expect(body?.data.updatedAt).to.equal(body?.data.createdAt);
    });

    it('is made again when the content is edited, and not when only title or tags are', async () => {
      const { id, author } = await buildArticle(app.url, { content: GARDEN });
      await runSummaries(app);
      const before = await articleOf(app.url, id);
      const edit = (json: object) => call(app.url, `PUT /api/articles/${id}`, { token: author.token, json });
      await edit({ title: 'Another', content: GARDEN, tags: ['new'] });
      expect(await articleOf(app.url, id)).to.deep.equal({ ...before, tags: ['new'] });
      expect(await waitingSummaries(app)).to.deep.equal([]);
      await edit({ title: 'Another', content: 'Something else altogether is told here.' });
      const nothing = { aiSummary: null, summaryStatus: 'PENDING', aiTags: [], tags: ['new'] };
      expect(await articleOf(app.url, id)).to.deep.equal(nothing);
      await runSummaries(app);
      expect(await summaryOf(app.url, id)).to.include({
        aiSummary: 'Something else altogether is told here.',
        status: 'COMPLETED',
      });
    });

    it('is reported as PROCESSING while it is COMPLETED but the article has no text for it', async () => {
      const { id } = await buildArticle(app.url, { content: GARDEN });
      await app.database.sequelize.query(`update article_summaries set status = 'COMPLETED' where article_id = ${id}`);
      expect(await summaryOf(app.url, id)).to.deep.equal({ articleId: id, aiSummary: null, status: 'PROCESSING' });
      await runSummaries(app);
    });

    it('is not queued when the article is not saved', async () => {
      const { token } = await buildMember(app.url);
      const json = { title: 't', content: 'c', category: 'None' };
      expect((await call(app.url, 'POST /api/articles', { token, json })).status).to.equal(404);
      expect(await waitingSummaries(app)).to.deep.equal([]);
    });

    it('is discarded without a notification when the article was deleted before the job', async () => {
      const { id, author } = await buildArticle(app.url);
      await call(app.url, `DELETE /api/articles/${id}`, { token: author.token });
      await runSummaries(app);
      expect(await waitingSummaries(app)).to.deep.equal([]);
      expect(await summaryOutcomesOf(app.url, author.token)).to.deep.equal([]);
    });

    it('costs a list of articles one additional statement, and a snapshot for both', async () => {
      await buildArticle(app.url);
      const query = '{ articles(size: 100) { contents { aiSummary } } }';
      const plain = await statementsDuring(() => graphql(app.url, query));
      const whole = await statementsDuring(() =>
        graphql(app.url, query.replace('aiSummary', 'aiSummary summaryStatus aiTags')),
      );
      const [begin, ...reads] = whole;
      expect([begin, reads.pop()]).to.deep.equal(['begin isolation level repeatable read read only', 'commit']);
      expect(reads.length).to.equal(plain.length + 1);
    });
  });

  describe('GET /api/articles/{articleId}/summary', () => {
    it('returns 200 with FAILED for an article without a summary, such as an imported one, also after an edit of its title', async () => {
      const { id, author } = await buildArticle(app.url, { content: GARDEN });
      await app.database.sequelize.query('delete from graphile_worker._private_jobs');
      await app.database.sequelize.query(`delete from article_summaries where article_id = ${id}`);
      const none = { articleId: id, aiSummary: null, status: 'FAILED' };
      expect(await summaryOf(app.url, id)).to.deep.equal(none);
      expect((await articleOf(app.url, id)).aiTags).to.deep.equal([]);
      const json = { title: 'Another', content: GARDEN };
      await call(app.url, `PUT /api/articles/${id}`, { token: author.token, json });
      expect(await summaryOf(app.url, id)).to.deep.equal(none);
      await call(app.url, `POST /api/articles/${id}/summary`, { token: author.token });
      await runSummaries(app);
      expect((await summaryOf(app.url, id)).status).to.equal('COMPLETED');
    });

    it('returns 400 for an invalid id', async () => {
      expect((await call(app.url, 'GET /api/articles/x/summary')).body?.code).to.equal('VALIDATION_FAILED');
    });

    it('returns 404 for an unknown article', async () => {
      await expectStatus(call(app.url, 'GET /api/articles/999999999999999999999/summary'), 404, 'ARTICLE_NOT_FOUND');
    });
  });

  type Request = (articleId: number | string, token?: string) => Promise<{ code: string; status?: string }>;

  const APIS: Record<string, Request> = {
    'POST /api/articles/{articleId}/summary': async (articleId, token) => {
      const { body } = await call(app.url, `POST /api/articles/${articleId}/summary`, token ? { token } : {});
      return { code: body?.code ?? '', status: body?.data.status };
    },
    requestSummary: async (articleId, token) => {
      const mutation = 'mutation ($id: ID!) { requestSummary(articleId: $id) { id summaryStatus } }';
      const { data, errors } = await graphql(app.url, mutation, { id: String(articleId) }, token);
      return { code: errors?.[0]?.extensions.code ?? '1', status: data?.requestSummary.summaryStatus };
    },
  };

  for (const [name, request] of Object.entries(APIS)) {
    describe(name, () => {
      it('starts a new summary, keeps the old one until then, and notifies the author', async () => {
        const { id, author } = await buildArticle(app.url, { content: GARDEN });
        await runSummaries(app);
        const { aiSummary, aiTags } = await articleOf(app.url, id);
        expect(await request(id, author.token)).to.deep.equal({ code: '1', status: 'PENDING' });
        expect(await articleOf(app.url, id)).to.include({ aiSummary, summaryStatus: 'PENDING' });
        await runSummaries(app);
        expect(await articleOf(app.url, id)).to.deep.include({ aiSummary, summaryStatus: 'COMPLETED', aiTags });
        expect(await summaryOutcomesOf(app.url, author.token)).to.deep.equal(['COMPLETED']);
      });

      it('changes nothing while a summary is pending', async () => {
        const { id, author } = await buildArticle(app.url, { content: GARDEN });
        for (let time = 0; time < 3; time++) {
          expect(await request(id, author.token)).to.deep.equal({ code: '1', status: 'PENDING' });
        }
        expect(await waitingSummaries(app)).to.have.length(1);
        await runSummaries(app);
        expect(await summaryOutcomesOf(app.url, author.token)).to.deep.equal([]);
      });

      it('returns 400 for an invalid id, 401 without a token, 403 for others, 404 for no article', async () => {
        const { id, author } = await buildArticle(app.url);
        await runSummaries(app);
        const { token } = await buildMember(app.url);
        expect((await request('x', author.token)).code).to.equal('VALIDATION_FAILED');
        expect((await request(id)).code).to.equal('UNAUTHENTICATED');
        expect((await request(id, token)).code).to.equal('ARTICLE_FORBIDDEN');
        expect((await request('99999999999999999999', author.token)).code).to.equal('ARTICLE_NOT_FOUND');
        expect((await request(999_999, author.token)).code).to.equal('ARTICLE_NOT_FOUND');
        expect(await waitingSummaries(app)).to.deep.equal([]);
      });
    });
  }
});
