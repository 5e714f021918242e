/** Public reads of agents without a token: equal ones are executed once, and no result is stale. */
import { expect } from 'chai';
import { buildApiToken } from '../support/api-tokens.js';
import { useApp } from '../support/app.js';
import { buildArticle, buildComment, useMember } from '../support/build.js';
import { call } from '../support/client.js';
import { connectAgent, sendMessage } from '../support/mcp.js';
import { scrapeGrowth } from '../support/metrics.js';
import { statementsDuring } from '../support/statements.js';

const app = useApp();

/** Comments and replies of 1,000 characters each, which are more than a result may have. */
const MANY = `insert into comments (article_id, member_id, content)
  select $1, $2, repeat('x', 1000) from generate_series(1, 100)`;
const MANY_REPLIES = `insert into comments (article_id, parent_id, member_id, content)
  select article_id, id, member_id, content from comments cross join generate_series(1, 6) where article_id = $1`;

describe('Reads of agents', () => {
  const member = useMember(app);

  it('that are equal and arrive together are executed once', async () => {
    const { id: articleId } = await buildArticle(app.url);
    await buildComment(app.url, articleId, { content: 'Read by many' });
    const agents = await Promise.all(Array.from({ length: 20 }, () => connectAgent(app.url)));
    const growth = await scrapeGrowth(app.url, async () => {
      const results = await Promise.all(agents.map((agent) => agent.call('read_comments', { articleId })));
      for (const { data } of results) expect(data.comments[0].content).to.equal('Read by many');
    });
    const count = (result: string) => growth('daybook_response_cache_requests_total', { api: 'mcp', result });
    expect(count('miss')).to.equal(1);
    expect(count('shared') + count('hit')).to.equal(19);
  });

  it('take one statement, which reads the stamp, until the data changes', async () => {
    const { id: articleId, author } = await buildArticle(app.url, { content: 'First.' });
    const agent = await connectAgent(app.url);
    const read = () => agent.call('read_article', { articleId });
    const first = await read();
    const statements = await statementsDuring(async () => expect(await read()).to.deep.equal(first));
    expect(statements).to.have.lengthOf(1);
    const json = { title: 'Changed', content: 'Second.' };
    await call(app.url, `PUT /api/articles/${articleId}`, { token: author.token, json });
    expect((await read()).data).to.include(json);
  });

  it('differ by tool, and do not depend on headers of the request', async () => {
    const { id } = await buildArticle(app.url, { title: 'Kaleidoscope' });
    const agent = await connectAgent(app.url);
    const { data: listed } = await agent.call('list_articles', { size: 1 });
    expect(listed.articles[0]).to.have.property('excerpt');
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'read_article', arguments: { articleId: id } },
    };
    const outcomes = [];
    const headers: Record<string, string>[] = [{}, { 'If-None-Match': '*' }, { 'Accept-Language': 'ko' }];
    for (const one of headers) outcomes.push((await sendMessage(app.url, message, one)).body);
    expect(outcomes[0].result.structuredContent.title).to.equal('Kaleidoscope');
    expect(outcomes).to.deep.equal(Array(3).fill(outcomes[0]));
  });

  it('with a token are neither stored nor answered from memory', async () => {
    const { id: articleId } = await buildArticle(app.url, { visibility: 'PRIVATE' }, member);
    const { token } = await buildApiToken(app.url, member, ['read']);
    const [owner, visitor] = [await connectAgent(app.url, token), await connectAgent(app.url)];
    const growth = await scrapeGrowth(app.url, async () => {
      for (let times = 0; times < 2; times++)
        expect((await owner.call('read_article', { articleId })).data.visibility).to.equal('PRIVATE');
    });
    expect(growth('daybook_response_cache_requests_total', { api: 'mcp' })).to.equal(0);
    expect((await visitor.call('read_article', { articleId })).text).to.match(/^ARTICLE_NOT_FOUND/);
  });

  it('are refused if the result is too large for a model, and say what to do', async () => {
    const { id: articleId, author } = await buildArticle(app.url);
    await app.database.sequelize.query(MANY, { bind: [articleId, author.id] });
    await app.database.sequelize.query(MANY_REPLIES, { bind: [articleId] });
    const agent = await connectAgent(app.url);
    const { isError, text } = await agent.call('read_comments', { articleId, size: 100 });
    expect(isError).to.equal(true);
    expect(text).to.match(/^QUERY_TOO_COMPLEX: .*1 MiB.*\nGive a smaller size/);
    expect((await agent.call('read_comments', { articleId, size: 20 })).data.comments).to.have.lengthOf(20);
  });
});
