/** Decisions of moderators with If-Match: they apply to what was read. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { buildHeldComment, edit, MANY_LINKS } from '../../support/held.js';
import { buildReport, decide, queueOf, REASONS } from '../../support/moderation.js';
import { buildWithRole } from '../../support/roles.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp();
let moderator: BuiltMember;
let other: BuiltMember;
let reporter: BuiltMember;
let article: BuiltArticle;
beforeEach(async () => {
  await app.database.sequelize.query('truncate moderation_cases, held_comments, decisions cascade');
  [moderator, other] = [await buildWithRole(app, 'MODERATOR'), await buildWithRole(app, 'MODERATOR')];
  reporter = await buildMember(app.url);
  article = await buildArticle(app.url);
});

/** Of the only entry of the queue. */
async function revision(): Promise<string> {
  const [entry] = await queueOf(app.url, moderator);
  return `"${entry?.revision}"`;
}

const decideIf = (ifMatch: string, json: object, { token } = moderator) =>
  call(app.url, 'POST /api/moderation/decisions', { token, json, headers: { 'If-Match': ifMatch } });
const outdated = (response: ReturnType<typeof decideIf>) => expectStatus(response, 412, 'PRECONDITION_FAILED');

async function reported(kind: 'articleId' | 'commentId' | 'memberId'): Promise<{ articleId: number }> {
  const id = {
    articleId: () => article.id,
    commentId: async () => (await buildComment(app.url, article.id)).id,
    memberId: () => article.author.id,
  };
  // One of the three.
  const target = { [kind]: await id[kind]() } as { articleId: number };
  await buildReport(app.url, reporter, target);
  return target;
}

describe('If-Match of a decision', () => {
  for (const [kind, action] of [
    ['articleId', 'REMOVE'],
    ['commentId', 'REMOVE'],
    ['memberId', 'SUSPEND'],
  ] as const) {
    it(`is outdated after another decision: ${kind}`, async () => {
      const target = await reported(kind);
      const read = await revision();
      await expectStatus(decide(app.url, other, { ...target, action: 'DISMISS' }), 201, '1');
      await outdated(decideIf(read, { ...target, action, ...REASONS }));
      await expectStatus(decide(app.url, moderator, { ...target, action, ...REASONS }), 201, '1');
    });

    it(`is outdated for one of two different decisions at once: ${kind}`, async () => {
      const target = await reported(kind);
      const read = await revision();
      const found = await Promise.all([
        decideIf(read, { ...target, action: 'DISMISS' }),
        decideIf(read, { ...target, action, ...REASONS }, other),
      ]);
      expect(found.map(({ status }) => status).sort()).to.deep.equal([201, 412]);
    });

    it(`is outdated after another report: ${kind}`, async () => {
      const target = await reported(kind);
      const read = await revision();
      await buildReport(app.url, await buildMember(app.url), target, { text: 'Worse than it looks' });
      await outdated(decideIf(read, { ...target, action: 'DISMISS' }));
      await expectStatus(decideIf(await revision(), { ...target, action: 'DISMISS' }), 201, '1');
    });
  }

  it('is outdated after an edit of the article, the comment or the profile', async () => {
    const { token } = article.author;
    const comment = await buildComment(app.url, article.id, {}, article.author);
    const edits: [object, () => Promise<unknown>][] = [
      [
        { articleId: article.id },
        () => call(app.url, `PUT /api/articles/${article.id}`, { token, json: { title: 'Other', content: 'Words' } }),
      ],
      [{ commentId: comment.id }, () => edit(app.url, comment, 'Other words')],
      [
        { memberId: article.author.id },
        () => call(app.url, 'PATCH /api/members/me', { token, json: { bio: 'Harmless' } }),
      ],
    ];
    for (const [target, change] of edits) {
      await buildReport(app.url, reporter, target as { articleId: number });
      const read = await revision();
      await change();
      await outdated(decideIf(read, { ...target, action: 'DISMISS' }));
      await expectStatus(decideIf(await revision(), { ...target, action: 'DISMISS' }), 201, '1');
    }
  });

  it('is outdated after an edit of a comment that waits, over both APIs', async () => {
    const held = await buildHeldComment(app.url, article.id);
    const read = await revision();
    await edit(app.url, held, `${MANY_LINKS} e.org`);
    const input = { commentId: String(held.id), action: 'APPROVE' };
    await outdated(decideIf(read, { ...input, commentId: held.id }));
    const query = 'mutation ($input: DecideInput!) { decide(input: $input) { action } }';
    const send = async (ifMatch: string) =>
      (
        await call(app.url, 'POST /graphql', {
          token: moderator.token,
          json: { query, variables: { input } },
          headers: { 'If-Match': ifMatch },
        })
      ).body as unknown as { data: unknown; errors?: { extensions: { code: string } }[] };
    expect((await send(read)).errors?.[0]?.extensions.code).to.equal('PRECONDITION_FAILED');
    const { data } = await graphql(app.url, '{ moderationQueue { contents { revision } } }', {}, moderator.token);
    const [{ revision: current }] = data.moderationQueue.contents;
    expect((await send(`"${current}"`)).data).to.deep.equal({ decide: { action: 'APPROVE' } });
  });

  it('is outdated for one of two different decisions on an appeal', async () => {
    const target = await reported('articleId');
    const decided = await decide(app.url, moderator, { ...target, action: 'REMOVE', ...REASONS });
    const appealId = decided.body?.data.id;
    const { token } = article.author;
    await call(app.url, `POST /api/decisions/${appealId}/appeal`, { token, json: { text: 'It is a quotation.' } });
    const third = await buildWithRole(app, 'MODERATOR');
    const read = await revision();
    const found = await Promise.all([
      decideIf(read, { appealId, action: 'UPHOLD' }, other),
      decideIf(read, { appealId, action: 'RESTORE' }, third),
    ]);
    expect(found.map(({ status }) => status).sort()).to.satisfy(
      ([first, second]: number[]) => first === 201 && (second === 409 || second === 412),
    );
  });

  it('is compared after 404 and 403, and matches anything as *', async () => {
    const target = await reported('commentId');
    const read = await revision();
    await expectStatus(decideIf('"0-0-0"', { commentId: 999_999, action: 'DISMISS' }), 404, 'COMMENT_NOT_FOUND');
    await expectStatus(decideIf('"0-0-0"', { ...target, action: 'DISMISS' }, reporter), 403, 'ROLE_MISSING');
    await expectStatus(decideIf('1', { ...target, action: 'DISMISS' }), 400, 'VALIDATION_FAILED');
    await expectStatus(decideIf(`"x", W/${read}`, { ...target, action: 'DISMISS' }), 201, '1');
    await buildReport(app.url, await buildMember(app.url), target);
    await expectStatus(decideIf('*', { ...target, action: 'DISMISS' }), 201, '1');
  });

  it('does not change with edits of an article that has become private', async () => {
    await reported('articleId');
    await setPrivate(app.url, article);
    const read = await revision();
    const json = { title: 'Other', content: 'Words' };
    await call(app.url, `PUT /api/articles/${article.id}`, { token: article.author.token, json });
    expect(await revision()).to.equal(read);
    expect(read).to.match(/^"0-/);
    await expectStatus(decideIf(read, { articleId: article.id, action: 'DISMISS' }), 201, '1');
  });
});
