/** Results of all tools, in each of their forms: the client of the SDK compares them with the listed schemas, and no value forges a line. */
import { expect } from 'chai';
import { TOOLS } from '../../src/mcp/compile.js';
import { useApp } from '../support/app.js';
import { buildArticle, buildComment, buildImage, useMember } from '../support/build.js';
import { numberChanges } from '../support/changes.js';
import { call } from '../support/client.js';
import { timeIn } from '../support/drafts.js';
import { MANY_LINKS } from '../support/held.js';
import { type Agent, connectAgent, type Era } from '../support/mcp.js';

const app = useApp();

describe('The result of a tool', () => {
  const user = useMember(app);
  let called: Set<string>;

  /** Calls a tool that succeeds. The client rejects a result that does not match the listed schema. */
  const run = async (agent: Agent, name: string, args: Record<string, unknown> = {}) => {
    const { isError, text, data } = await agent.call(name, args);
    expect(isError, `${name} ${text}`).to.equal(false);
    const chosen = TOOLS.find((tool) => tool.name === name)?.calls.find(({ when }) => when === undefined || args[when]);
    called.add(`${name} ${chosen?.endpoint}`);
    return data;
  };

  for (const era of ['2026-07-28', '2025-11-25'] satisfies Era[])
    it(`matches its listed schema, with each endpoint and with and without optional values (${era})`, async () => {
      called = new Set();
      const agent = await connectAgent(app.url, user.token, era);
      const { id: imageId } = await buildImage(app.url, user);
      const full = {
        ...{ content: 'Text.', description: 'About', language: 'en', canonicalUrl: 'https://blog.example/', imageId },
        ...{ category: 'General', tags: ['sea', 'fog'], visibility: 'PRIVATE', articleImgAlt: 'A light' },
      };
      const article = await buildArticle(app.url, { title: 'Fog' }, user);
      const { id: commentId } = await buildComment(app.url, article.id, {});
      const held = [
        await buildComment(app.url, article.id, { content: MANY_LINKS }),
        await buildComment(app.url, article.id, { content: MANY_LINKS }),
      ];

      for (const args of [{}, { title: 'Owls' }, { title: `Owls ${era}`, slug: `owls-${era}`, ...full }]) {
        const { draftId, revision } = await run(agent, 'save_draft', args);
        await run(agent, 'save_draft', {
          draftId,
          ifRevision: revision,
          title: 'Owls',
          content: 'Two.',
          removeImage: true,
        });
        await run(agent, 'read_draft', { draftId });
        const publishAt = timeIn(3_600);
        expect((await run(agent, 'publish_draft', { draftId, publishAt })).publishAt).to.equal(publishAt);
        await run(agent, 'list_drafts', { scheduled: true });
        const { articleId } = await run(agent, 'publish_draft', { draftId });
        const started = await run(agent, 'save_draft', { articleId });
        await run(agent, 'publish_draft', { draftId: started.draftId, publishAt });
        await run(agent, 'list_drafts');
        await run(agent, 'publish_draft', { draftId: started.draftId });
        await run(agent, 'read_article', { articleId });
      }
      const { slug } = await run(agent, 'read_article', { articleId: article.id });
      await run(agent, 'read_article', { slug });
      await run(agent, 'search_articles', { keyword: 'fog' });
      await run(agent, 'search_articles', { keyword: 'nothing has this' });
      await run(agent, 'list_articles', { sort: 'likeCount,desc', period: 'day' });
      await run(agent, 'list_articles', { mine: true, visibility: 'PRIVATE' });
      await run(agent, 'reply_to_comment', { articleId: article.id, commentId, content: 'Yes.' });
      await run(agent, 'read_comments', { articleId: article.id });
      await run(agent, 'list_received_comments');
      await run(agent, 'list_received_comments', { held: true });
      for (const [index, { id }] of held.entries())
        await run(agent, 'set_comment_approval', { commentId: id, approved: index === 0 });
      await run(agent, 'article_statistics', { articleId: article.id });
      await call(app.url, `DELETE /api/comments/${commentId}`, user);
      await numberChanges(app.database);
      await run(agent, 'list_changes');
      await run(agent, 'list_changes', { since: 'latest' });
      const endpoints = TOOLS.flatMap(({ name, calls }) => calls.map(({ endpoint }) => `${name} ${endpoint}`));
      expect([...called]).to.have.members(endpoints);
    });

  it('has no line that begins with a part of a value, whatever ends a line', async () => {
    const agent = await connectAgent(app.url, user.token);
    const breaks = [
      '\n',
      '\r',
      '\r\n',
      '\v',
      '\f',
      '\x1c',
      '\x1d',
      '\x1e',
      '\x1f',
      '\x85',
      '\u2028',
      '\u2029',
      '\b',
      '\x1b',
    ];
    const forged = breaks.map((one) => `x${one}likeCount: 99`).join('');
    const { id } = await buildArticle(app.url, { title: 'Owls', content: 'Two.' }, user);
    await buildComment(app.url, id, { content: 'First.' });
    // Not over the API, whose rules of input are not a part of this test.
    const text = app.database.sequelize.escape(forged);
    for (const change of [
      `update comments set content = ${text} where article_id = ${id}`,
      `update all_articles set title = left(${text}, 100), description = ${text} where id = ${id}`,
      `insert into tags (name) values (left(${text}, 30))`,
      `insert into all_article_tags (article_id, tag_id, position) select ${id}, id, 0 from tags where name = left(${text}, 30)`,
    ])
      await app.database.sequelize.query(change);
    for (const [name, args] of [
      ['read_article', { articleId: id }],
      ['read_comments', { articleId: id }],
      ['list_articles', { memberId: user.id }],
      ['list_received_comments', {}],
      ['read_draft', { draftId: 1, [forged.slice(0, 60)]: 1 }],
    ] as const) {
      const result = await agent.call(name, args);
      const lines = result.text.split(/[\p{Cc}\u2028\u2029]/u).filter((line) => line.includes('likeCount: 99'));
      expect(lines, name).to.have.length.above(1);
      for (const line of lines) expect(line, name).to.match(/^ +likeCount: 99/);
    }
  });
});
