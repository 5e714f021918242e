/**
 * After any writes, a copy that follows the feed of changes, one that is made from scratch, and what an anonymous reader gets are the same, wherever the
 * reads and the numbers come between the writes. What is and stays invisible changes nothing in the feed.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { NUMBER_CHANGES } from '../../src/models/change.js';
import { type TestApp, useApp } from '../support/app.js';
import { buildArticle, buildComment, buildMember } from '../support/build.js';
import { ChangesCopy, freshCopy, numberChanges, publicJournal, readPage } from '../support/changes.js';
import { call } from '../support/client.js';
import { truncateAll } from '../support/database.js';
import { buildHeldComment, makeModerator, setApproval } from '../support/held.js';
import { runJobs } from '../support/jobs.js';
import { type Journal, WRITES } from '../support/journal-writes.js';
import { remove, restore } from '../support/removal.js';
import { casesOf } from '../support/tier.js';

const ROUNDS = casesOf('CHANGES_ROUNDS', 2, 20);
const STEPS = casesOf('CHANGES_STEPS', 60, 120);
const WRITERS = 8;
const SEED = Number(process.env.CHANGES_SEED ?? 20_261_127);

type Pick = <T>(from: readonly T[]) => T | undefined;
type Write = (app: TestApp, journal: Journal, pick: Pick) => Promise<unknown>;

const setVisibility = async (app: TestApp, journal: Journal, pick: Pick, visibility: string) => {
  const article = pick(journal.articles.slice(0, 3));
  if (!article) return;
  const { token } = article.author;
  await call(app.url, `PUT /api/articles/${article.id}/visibility`, { token, json: { visibility } });
};

/** Changes of the visibility, besides those of what is visible. */
const SWITCHES: Record<string, Write> = {
  'an article becomes private': (app, journal, pick) => setVisibility(app, journal, pick, 'PRIVATE'),
  'an article becomes public': (app, journal, pick) => setVisibility(app, journal, pick, 'PUBLIC'),
  'an article becomes private, and public again': async (app, journal, pick) => {
    const chosen: Pick = (from) => from[0];
    const article = pick(journal.articles);
    const one = { ...journal, articles: article ? [article] : [] };
    await setVisibility(app, one, chosen, 'PRIVATE');
    await setVisibility(app, one, chosen, 'PUBLIC');
  },
  'a private article is written': async ({ url }, journal, pick) => {
    const author = pick(journal.members);
    if (author) journal.articles.unshift(await buildArticle(url, { visibility: 'PRIVATE' }, author));
  },
  'an author comments, also on a private article': async ({ url }, journal, pick) => {
    const article = pick(journal.articles.slice(0, 3));
    if (!article) return;
    const comment = await buildComment(url, article.id, {}, article.author).catch(() => undefined);
    if (comment) journal.comments.push({ ...comment, articleId: article.id, parentId: null });
  },
  'an author deletes a comment of theirs, also on a private article': async ({ url }, journal, pick) => {
    const comment = pick(
      journal.comments.filter(({ author, articleId }) =>
        journal.articles.some((one) => one.id === articleId && one.author === author),
      ),
    );
    if (!comment) return;
    journal.comments.splice(journal.comments.indexOf(comment), 1);
    await call(url, `DELETE /api/comments/${comment.id}`, { token: comment.author.token });
  },
  'a moderator removes an article': async (app, journal, pick) =>
    remove(app, 'article', pick(journal.articles)?.id ?? 0),
  'a moderator restores an article': async (app, journal, pick) =>
    restore(app, 'article', pick(journal.articles)?.id ?? 0),
  'a moderator removes a comment': async (app, journal, pick) =>
    remove(app, 'comment', pick(journal.comments)?.id ?? 0),
  'a moderator restores a comment': async (app, journal, pick) =>
    restore(app, 'comment', pick(journal.comments)?.id ?? 0),
  'a comment is held': async ({ url }, journal, pick) => {
    const [author, article] = [pick(journal.members), pick(journal.articles)];
    if (!author || !article || author === article.author) return;
    const comment = await buildHeldComment(url, article.id, {}, author).catch(() => undefined);
    if (comment) journal.comments.push({ ...comment, articleId: article.id, parentId: null });
  },
  'a comment is approved, or held again': async ({ url }, journal, pick) => {
    const comment = pick(journal.comments);
    const article = journal.articles.find(({ id }) => id === comment?.articleId);
    if (!comment || !article) return;
    const approved = (await setApproval(url, comment.id, true, article.author)).status !== 200;
    if (approved) await setApproval(url, comment.id, false, article.author);
  },
  'the rows of deleted articles and withdrawn members are deleted': async ({ database }) => {
    await database.sequelize.query(
      `select graphile_worker.add_job('delete-rows-of-readers', queue_name => 'rows-of-readers-0', job_key => 'delete-rows-of-readers')`,
    );
  },
};

const ALL: Record<string, Write> = { ...WRITES, ...SWITCHES };
/** Statements without the API, which do not lock rows in the order of the service, so that they can have deadlocks with its own. */
const BY_HAND = /by hand|gets another name|a like is removed|follows end|the series end|status of a summary/;

/** Switches twice as often. */
const KINDS = [...Object.keys(ALL), ...Object.keys(SWITCHES)];

async function begin({ url }: TestApp): Promise<Journal> {
  const members = [];
  for (let count = 0; count < 4; count++) members.push(await buildMember(url));
  const articles = [];
  const comments: Journal['comments'] = [];
  for (const author of members) {
    const article = await buildArticle(url, { tags: ['sea'] }, author);
    articles.push(article);
    for (let count = 0; count < 3; count++)
      comments.push({ ...(await buildComment(url, article.id, {}, author)), articleId: article.id, parentId: null });
  }
  return { members, articles, comments };
}

describe('The feed of changes', () => {
  const app = useApp({ LIMIT_WRITES: '1000000/10m', LIMIT_LIKES: '1000000/10m' });

  for (let round = 0; round < ROUNDS; round++) {
    it(`is what anonymous readers get, for copies that read at any time (seed ${SEED + round})`, async function () {
      this.timeout(600_000);
      await truncateAll(app.database);
      // Otherwise the response cache would have pages of the former round with the same numbers.
      await app.database.sequelize.query('insert into change_feed (generation) values (new_generation())');
      const numbers = fc.sample(fc.nat(1_000_000), { numRuns: 50_000, seed: SEED + round }).values();
      const next = (below: number) => (numbers.next().value ?? 0) % below;
      const pick: Pick = (from) => from[next(Math.max(1, from.length))];
      const journal = await begin(app);
      const copies = [1, 2, 3, 7, 50].map((size) => new ChangesCopy(app.url, size));
      const done: string[] = [];
      for (let step = 0; step < STEPS; step++) {
        const kind = pick(KINDS) ?? '';
        done.push(kind);
        await ALL[kind]?.(app, journal, pick);
        // Copies read between a write and its number too, also parts of a pass.
        if (next(3) === 0) await app.database.query(NUMBER_CHANGES, [[1, 2, 5, 10_000][next(4)] ?? 1]);
        const copy = pick(copies);
        if (copy && next(2) === 0) await copy.followPage();
        if (next(10) === 0) await runJobs(app);
        if (next(10) !== 0) continue;
        await numberChanges(app.database);
        await pick(copies)?.follow();
      }
      await runJobs(app);
      await numberChanges(app.database);
      const expected = await publicJournal(app);
      const what = `after ${done.slice(-30).join('; ')}`;
      const fresh = await freshCopy(app.url, 3);
      expect(fresh.contents(), `from scratch ${what}`).to.deep.equal(expected);
      for (const [index, copy] of copies.entries()) {
        await copy.follow();
        expect(copy.contents(), `copy ${index} ${what}`).to.deep.equal(expected);
      }
    });
  }

  it('misses nothing with parallel writes, while two processes give numbers', async function () {
    this.timeout(600_000);
    await truncateAll(app.database);
    const numbers = fc.sample(fc.nat(1_000_000), { numRuns: 50_000, seed: SEED }).values();
    const next = (below: number) => (numbers.next().value ?? 0) % below;
    const pick: Pick = (from) => from[next(Math.max(1, from.length))];
    const journal = await begin(app);
    const copies = [1, 7, 50].map((size) => new ChangesCopy(app.url, size));
    const parallel = KINDS.filter((kind) => !BY_HAND.test(kind));
    let isWriting = true;
    const whileWriting = async (work: () => Promise<unknown>) => {
      while (isWriting) await work();
    };
    const readers = copies.map((copy) => whileWriting(() => copy.followPage()));
    const processes = [1, 2].map(() => whileWriting(() => app.database.query(NUMBER_CHANGES, [1 + next(20)])));
    const writers = Array.from({ length: WRITERS }, async () => {
      for (let write = 0; write < STEPS / 4; write++) await ALL[pick(parallel) ?? '']?.(app, journal, pick);
    });
    await Promise.all(writers).finally(() => {
      isWriting = false;
    });
    await Promise.all([...readers, ...processes]);
    await runJobs(app);
    await numberChanges(app.database);
    const expected = await publicJournal(app);
    for (const copy of [...copies, new ChangesCopy(app.url)]) {
      await copy.follow();
      expect(copy.contents()).to.deep.equal(expected);
    }
  });

  it('does not move by changes of what is and stays invisible', async () => {
    await truncateAll(app.database);
    const author = await buildMember(app.url);
    const secret = await buildArticle(app.url, { visibility: 'PRIVATE', tags: ['sea'] }, author);
    const shown = await buildArticle(app.url, {}, author);
    const json = { title: 'Both', articleIds: [shown.id, secret.id] };
    const { body } = await call(app.url, 'POST /api/series', { token: author.token, json });
    const moderator = await buildMember(app.url);
    await makeModerator(app, moderator);
    await numberChanges(app.database);
    const before = await readPage(app.url, { since: 'latest' });
    const { token } = author;
    const comment = await buildComment(app.url, secret.id, {}, author);
    const reply = await buildComment(app.url, secret.id, { parentCommentId: comment.id }, author);
    await call(app.url, `PATCH /api/comments/${reply.id}`, { token, json: { content: 'Other words' } });
    await call(app.url, `DELETE /api/comments/${comment.id}`, { token });
    await call(app.url, `PUT /api/articles/${secret.id}`, {
      token,
      json: { title: 'Other', content: 'Other', tags: ['land'] },
    });
    await call(app.url, `PUT /api/series/${body?.data.id}`, { token, json: { title: 'Both', articleIds: [shown.id] } });
    await call(app.url, `PUT /api/series/${body?.data.id}`, {
      token,
      json: { title: 'Both', articleIds: [shown.id, secret.id] },
    });
    await buildHeldComment(app.url, shown.id);
    await call(app.url, 'PATCH /api/members/me', { token, json: { memberName: 'A private name' } });
    await call(app.url, `DELETE /api/articles/${secret.id}`, { token });
    await runJobs(app);
    await numberChanges(app.database);
    const { changes } = await readPage(app.url, { since: before.cursor });
    // The member who wrote the held comment is new.
    expect(changes.map(({ type }) => type)).to.deep.equal(['member', 'category']);
  });
});
