/** Twenty tasks of agents as scripts of calls. Each error on the way says what the next call has to be. */
import { expect } from 'chai';
import type { Scope } from '../../src/models/session/api-token.js';
import { buildApiToken } from '../support/api-tokens.js';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildImage, buildMember, useMember } from '../support/build.js';
import { numberChanges } from '../support/changes.js';
import { call } from '../support/client.js';
import { timeIn } from '../support/drafts.js';
import { MANY_LINKS } from '../support/held.js';
import { type Agent, type CallResult, connectAgent } from '../support/mcp.js';

const app = useApp({ ARTICLE_URL: 'https://journal.example/{slug}' });

describe('An agent', () => {
  const user = useMember(app);
  let writer: Agent;
  let drafter: Agent;
  let answerer: Agent;
  let visitor: Agent;

  const agentWith = async (member: BuiltMember, ...scopes: Scope[]) =>
    connectAgent(app.url, (await buildApiToken(app.url, member, scopes)).token);
  const succeeded = ({ isError, text, data }: CallResult) => {
    expect(isError, text).to.equal(false);
    return data;
  };
  const failed = ({ isError, text }: CallResult) => {
    expect(isError, text).to.equal(true);
    return text;
  };

  before(async () => {
    writer = await agentWith(user, 'articles', 'comments');
    drafter = await agentWith(user, 'drafts');
    answerer = await agentWith(user, 'read', 'comments');
    visitor = await connectAgent(app.url);
  });

  it('1. finds an article and quotes it', async () => {
    const content = 'The first line.\n\n> The light turns once in **nine seconds**.\n';
    await buildArticle(app.url, { title: 'Pharology', content }, user);
    const [found] = succeeded(await visitor.call('search_articles', { keyword: 'pharology' })).articles;
    const { text, data } = await visitor.call('read_article', { articleId: found.articleId });
    expect(data.content).to.equal(content);
    expect(text)
      .to.include('title: Pharology\n')
      .and.to.match(/\n\nThe first line\.\n\n> The light turns/);
    expect(visitor.client.getInstructions()).to.include('https://journal.example/{slug}');
  });

  it('2. reads an article by the slug in an address', async () => {
    await buildArticle(app.url, { title: 'Tea above the harbor' }, user);
    const { title, articleId } = succeeded(await visitor.call('read_article', { slug: 'Tea-above-the-harbor' }));
    expect(title).to.equal('Tea above the harbor');
    expect(failed(await visitor.call('read_article', { slug: 'x', articleId }))).to.include(
      'articleId: is not possible together with slug; with it, expected only slug',
    );
    expect(failed(await visitor.call('read_article'))).to.include('articleId: is required, or slug');
  });

  it('3. corrects the type and the range of arguments', async () => {
    const text = failed(await visitor.call('list_articles', { size: 500, from: 'yesterday', sort: 'newest' }));
    expect(text).to.include('size: must be a whole number from 1 to 100, got 500');
    expect(text).to.include('from: ').and.to.include('got "yesterday"');
    expect(text).to.include('sort: must be one of createdAt,asc or createdAt,desc').and.to.include('got "newest"');
    succeeded(await visitor.call('list_articles', { size: 100, from: '2026-01-01', sort: 'createdAt,desc' }));
  });

  it('4. corrects the names of arguments, and values that must be texts', async () => {
    expect(failed(await visitor.call('search_articles', { query: 'harbor' }))).to.include(
      'query: is not a known field; expected keyword, tag, from, to, memberId, page, size\n- keyword: is required',
    );
    expect(failed(await visitor.call('search_articles', { keyword: ['harbor'], tag: 5 }))).to.include(
      'keyword: must be a string, got ["harbor"]\n- tag: must be a string, got 5',
    );
    succeeded(await visitor.call('search_articles', { keyword: 'harbor' }));
  });

  it('5. lists the articles of an author, page by page', async () => {
    const author = await buildMember(app.url);
    for (const title of ['One', 'Two', 'Three']) await buildArticle(app.url, { title }, author);
    const args = { memberId: author.id, size: 2 };
    const { articles, pagination } = succeeded(await visitor.call('list_articles', args));
    expect(articles.map((one: { title: string }) => one.title)).to.deep.equal(['Three', 'Two']);
    expect(pagination).to.deep.equal({ currentPage: 1, totalPages: 2, totalElements: 3 });
    expect(succeeded(await visitor.call('list_articles', { ...args, page: 2 })).articles).to.have.length(1);
  });

  it('6. lists the private articles of the user, which a token for drafts does not permit', async () => {
    await buildArticle(app.url, { title: 'A secret', visibility: 'PRIVATE' }, user);
    const args = { mine: true, visibility: 'PRIVATE' };
    expect(succeeded(await writer.call('list_articles', args)).articles[0].title).to.equal('A secret');
    expect(failed(await drafter.call('list_articles', args))).to.match(
      /^SCOPE_MISSING: myArticles requires an API token with the scope read or articles; this one has drafts\.\n.*Ask the user/,
    );
    expect(failed(await visitor.call('list_articles', args))).to.include('Authorization: Bearer dbk_');
    expect(failed(await visitor.call('list_articles', { visibility: 'PRIVATE' }))).to.include('visibility: is not');
  });

  it('7. drafts a text with an image that exists, and once, although its call is repeated', async () => {
    const image = await buildImage(app.url, user);
    const draft = { title: 'The lighthouse', content: '# Fog', imageId: 999_999, requestId: 'a-new-draft' };
    expect(failed(await drafter.call('save_draft', draft))).to.match(/^IMAGE_NOT_FOUND: .*\nAsk the user for the id/);
    const corrected = { ...draft, imageId: image.id };
    const { draftId, imageId } = succeeded(await drafter.call('save_draft', corrected));
    expect(imageId).to.equal(image.id);
    expect(succeeded(await drafter.call('save_draft', corrected)).draftId).to.equal(draftId);
    expect(failed(await drafter.call('save_draft', { ...corrected, title: 'Another' }))).to.match(
      /^IDEMPOTENCY_KEY_REUSED: [\s\S]*Give a new requestId\.$/,
    );
  });

  it('8. drafts in a category that exists', async () => {
    const draft = { title: 'x', content: 'y', category: 'Travels' };
    expect(failed(await drafter.call('save_draft', draft))).to.match(
      /^CATEGORY_NOT_FOUND: .*"Travels".*\nAsk the user for the name/,
    );
    expect(succeeded(await drafter.call('save_draft', { ...draft, category: 'General' })).category).to.equal('General');
  });

  it('9. corrects a draft that changed meanwhile', async () => {
    const { draftId, revision } = succeeded(await drafter.call('save_draft', { title: 'Owls', content: 'One owl.' }));
    await call(app.url, `PATCH /api/drafts/${draftId}`, { ...user, json: { content: 'One owl. Two owls.' } });
    const change = { draftId, ifRevision: revision, content: 'One barn owl.' };
    expect(failed(await drafter.call('save_draft', change))).to.equal(
      'PRECONDITION_FAILED: The current revision is 2, ifRevision is 1: read the resource again and repeat your change.\n' +
        'Call read_draft, make your change in the text that it returns, and save with its revision as ifRevision.',
    );
    const current = succeeded(await drafter.call('read_draft', { draftId }));
    expect(current.content).to.equal('One owl. Two owls.');
    const content = current.content.replace('One owl', 'One barn owl');
    const saved = succeeded(await drafter.call('save_draft', { draftId, ifRevision: current.revision, content }));
    expect(saved.revision).to.equal(3);
  });

  it('10. finds the draft that the user means', async () => {
    await drafter.call('save_draft', { title: 'The owl in the attic', content: 'Feathers.' });
    const { drafts } = succeeded(await drafter.call('list_drafts', { size: 1 }));
    expect(drafts[0]).to.include({ title: 'The owl in the attic', excerpt: 'Feathers.' });
    expect(failed(await drafter.call('read_draft', { draftId: 999_999 }))).to.match(
      /^DRAFT_NOT_FOUND: .*\n.*list_drafts/,
    );
  });

  it('11. is refused to publish with a token for drafts, and says what to ask for', async () => {
    const { draftId } = succeeded(await drafter.call('save_draft', { title: 'Ready', content: 'Text.' }));
    expect(failed(await drafter.call('publish_draft', { draftId }))).to.equal(
      'SCOPE_MISSING: publishDraft requires an API token with the scope articles; this one has drafts.\n' +
        'Do not try another way. Ask the user to do this themselves, or to configure an API token that has the scope for this server.',
    );
    expect((await call(app.url, `POST /api/drafts/${draftId}/publish`, user)).status).to.equal(200);
    expect(succeeded(await drafter.call('search_articles', { keyword: 'Ready' })).articles).to.have.length(1);
  });

  it('12. publishes what the user has approved, and nothing that changed since', async () => {
    const { draftId, revision } = succeeded(await writer.call('save_draft', { title: 'Approved' }));
    expect(failed(await writer.call('publish_draft', { draftId, ifRevision: revision }))).to.match(
      /^VALIDATION_FAILED: .*\n- content: /,
    );
    const { revision: complete } = succeeded(
      await writer.call('save_draft', { draftId, ifRevision: revision, content: 'Text.' }),
    );
    expect(failed(await writer.call('publish_draft', { draftId, ifRevision: revision }))).to.include('ifRevision is 1');
    const { articleId } = succeeded(await writer.call('publish_draft', { draftId, ifRevision: complete }));
    expect(succeeded(await visitor.call('read_article', { articleId })).title).to.equal('Approved');
  });

  it('13. schedules a publication', async () => {
    const { draftId } = succeeded(await writer.call('save_draft', { title: 'Later', content: 'Text.' }));
    expect(failed(await writer.call('publish_draft', { draftId, publishAt: 'tomorrow' }))).to.include('publishAt: ');
    expect(failed(await writer.call('publish_draft', { draftId, publishAt: timeIn(-60) }))).to.include('publishAt: ');
    const publishAt = timeIn(3_600);
    expect(succeeded(await writer.call('publish_draft', { draftId, publishAt })).publishAt).to.equal(publishAt);
    const { drafts } = succeeded(await writer.call('list_drafts', { scheduled: true }));
    expect(drafts[0].draftId).to.equal(draftId);
  });

  it('14. edits a published article over its draft', async () => {
    const { id: articleId } = await buildArticle(app.url, { title: 'Published', content: 'An eror.' }, user);
    expect(failed(await writer.call('save_draft', { articleId, content: 'x' }))).to.include(
      'content: is not possible together with articleId; with it, expected only articleId',
    );
    const { draftId, revision, content } = succeeded(await writer.call('save_draft', { articleId }));
    const change = { draftId, ifRevision: revision, content: content.replace('eror', 'error') };
    succeeded(await writer.call('save_draft', change));
    expect(succeeded(await writer.call('publish_draft', { draftId })).articleId).to.equal(articleId);
    expect(succeeded(await visitor.call('read_article', { articleId })).content).to.equal('An error.');
  });

  it('15. merges an article that changed after its draft was started', async () => {
    const { id: articleId } = await buildArticle(app.url, { title: 'Base', content: 'One.' }, user);
    const { draftId } = succeeded(await writer.call('save_draft', { articleId }));
    succeeded(await writer.call('save_draft', { draftId, content: 'One. Two.' }));
    await call(app.url, `PUT /api/articles/${articleId}`, { ...user, json: { title: 'Base', content: 'One!' } });
    expect(failed(await writer.call('publish_draft', { draftId }))).to.match(/^REVISION_CONFLICT: [\s\S]*baseRevision/);
    const article = succeeded(await writer.call('read_article', { articleId }));
    const merged = { draftId, content: 'One! Two.', baseRevision: article.revision };
    succeeded(await writer.call('save_draft', merged));
    succeeded(await writer.call('publish_draft', { draftId }));
    expect(succeeded(await visitor.call('read_article', { articleId })).content).to.equal('One! Two.');
  });

  it('16. answers a comment, and once, although its call is repeated', async () => {
    const { id: articleId } = await buildArticle(app.url, {}, user);
    const { id: commentId } = await buildComment(app.url, articleId, { content: 'Which lighthouse?' });
    const { comments } = succeeded(await answerer.call('list_received_comments', { size: 1 }));
    expect(comments[0]).to.include({ commentId, articleId, content: 'Which lighthouse?' });
    const reply = { articleId, commentId, content: 'The one at Ulgi.', requestId: 'reply-1' };
    const first = succeeded(await answerer.call('reply_to_comment', reply));
    expect(succeeded(await answerer.call('reply_to_comment', reply)).commentId).to.equal(first.commentId);
    const again = { ...reply, commentId: first.commentId, requestId: 'reply-2' };
    expect(failed(await answerer.call('reply_to_comment', again))).to.match(/^REPLY_TOO_DEEP: [\s\S]*parentId/);
    expect(first.parentId).to.equal(commentId);
    expect(failed(await answerer.call('reply_to_comment', { ...again, commentId: 0 }))).to.include('commentId: ');
  });

  it('17. approves a comment, and deletes one', async () => {
    const { id: articleId } = await buildArticle(app.url, {}, user);
    const [one, other] = [
      await buildComment(app.url, articleId, { content: MANY_LINKS }),
      await buildComment(app.url, articleId, { content: MANY_LINKS }),
    ];
    const { comments } = succeeded(await answerer.call('list_received_comments', { held: true }));
    expect(comments.map((c: { commentId: number }) => c.commentId)).to.have.members([one.id, other.id]);
    expect(failed(await answerer.call('set_comment_approval', { commentId: one.id }))).to.include(
      'approved: is required',
    );
    succeeded(await answerer.call('set_comment_approval', { commentId: one.id, approved: true }));
    succeeded(await answerer.call('set_comment_approval', { commentId: other.id, approved: false }));
    const shown = succeeded(await visitor.call('read_comments', { articleId })).comments;
    expect(shown.map((c: { commentId: number }) => c.commentId)).to.deep.equal([one.id]);
  });

  it('18. reads a discussion', async () => {
    const { id: articleId } = await buildArticle(app.url);
    const { id, author } = await buildComment(app.url, articleId, { content: 'First line\nlikeCount: 99' });
    await buildComment(app.url, articleId, { content: 'Yes.', parentCommentId: id }, author);
    const { text, data } = await visitor.call('read_comments', { articleId });
    expect(data.comments[0].replies[0].content).to.equal('Yes.');
    expect(text).to.include(`- commentId: ${id}\n  content: First line\n    likeCount: 99\n  author: `);
  });

  it('19. reads the statistics of an article of the user, not of others', async () => {
    const { id: articleId } = await buildArticle(app.url, {}, user);
    const days = { from: timeIn(-86_400).slice(0, 10), to: timeIn(0).slice(0, 10) };
    expect(succeeded(await writer.call('article_statistics', { articleId, ...days })).views).to.have.length(2);
    const other = await buildArticle(app.url);
    expect(failed(await writer.call('article_statistics', { articleId: other.id }))).to.match(/^ARTICLE_FORBIDDEN/);
  });

  it('20. lists what changed since its last visit', async () => {
    await numberChanges(app.database);
    const { cursor } = succeeded(await visitor.call('list_changes', { since: 'latest' }));
    const { id } = await buildArticle(app.url, { title: 'News' });
    await numberChanges(app.database);
    const { changes, hasMore } = succeeded(await visitor.call('list_changes', { since: cursor, types: 'article' }));
    expect(changes.map((c: { id: number; action: string }) => [c.id, c.action])).to.deep.equal([[id, 'created']]);
    expect(hasMore).to.equal(false);
    expect(failed(await visitor.call('list_changes', { since: 'yesterday' }))).to.include(
      'since: must be latest, or the cursor of a page of changes',
    );
  });
});
