/** Commands that lock several tags, beside others that lock the same ones in another order (docs/decisions/lock-order.md). */
import { expect } from 'chai';
import { editArticle } from '../../src/commands/change-article.js';
import { claimAuthor } from '../../src/commands/claim-author.js';
import type { AppError } from '../../src/platform/errors.js';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { rowsOf } from '../support/imported.js';
import { countDeadlocksOf, untilWaiting } from '../support/interleave.js';
import { buildReport, decide, REASONS } from '../support/moderation.js';
import { DIFFERENCES, withdraw } from '../support/reactions.js';
import { buildWithRole } from '../support/roles.js';

const app = useApp({ LIMIT_WRITES: '1000000/1m' });

/** @returns the status of the response */
type Send = () => Promise<number>;

/** In the order of locks. A transaction of the test holds the first one, and the commands get what they do not have yet after it. */
const [HELD, FIRST, SECOND] = ['common a', 'common b', 'common c'];

const edit = async (articleId: number, { token }: BuiltMember, fields: object) => {
  const json = { title: 'Title', content: 'Content', ...fields };
  return (await call(app.url, `PUT /api/articles/${articleId}`, { token, json })).status;
};
const write = async ({ token }: BuiltMember, tags: string[]) => {
  const json = { title: 'Title', content: 'Content', tags };
  return (await call(app.url, 'POST /api/articles', { token, json })).status;
};
const setVisibility = async (articleId: number, { token }: BuiltMember, visibility: string) =>
  (await call(app.url, `PUT /api/articles/${articleId}/visibility`, { token, json: { visibility } })).status;
const remove = async (articleId: number, { token }: BuiltMember) =>
  (await call(app.url, `DELETE /api/articles/${articleId}`, { token })).status;

/** The deletion of an article with the second tag, on which the member has commented: it changes the counters of the member. */
const deletionOfCommented = async (member: BuiltMember): Promise<Send> => {
  const commented = await buildArticle(app.url, { tags: [SECOND] });
  await buildComment(app.url, commented.id, {}, member);
  return () => remove(commented.id, commented.author);
};

/** With articles whose tags are not in the order of locks, in whatever order the articles are read. */
const buildAuthor = async (): Promise<BuiltMember> => {
  const { author } = await buildArticle(app.url, { tags: [SECOND] });
  for (const tags of [[HELD, FIRST], [SECOND]]) await buildArticle(app.url, { tags }, author);
  return author;
};

/** Pairs of commands. The first one waits for the transaction of the test. */
const pairs: Record<string, () => Promise<[Send, Send]>> = {
  'Two edits that exchange their tags': async () => {
    const first = await buildArticle(app.url, { tags: [SECOND] });
    const second = await buildArticle(app.url, { tags: [FIRST] });
    return [
      () => edit(first.id, first.author, { tags: [HELD, FIRST] }),
      () => edit(second.id, second.author, { tags: [HELD, SECOND] }),
    ];
  },
  'Two edits that add the same new tags': async () => {
    const first = await buildArticle(app.url, { tags: [SECOND] });
    const second = await buildArticle(app.url, { tags: [FIRST] });
    return [
      () => edit(first.id, first.author, { tags: ['new b', 'new a', HELD, FIRST] }),
      () => edit(second.id, second.author, { tags: ['new a', HELD, 'new b', SECOND] }),
    ];
  },
  'A new article beside the deletion of one on which its author commented': async () => {
    const member = await buildMember(app.url);
    return [() => write(member, [HELD, SECOND]), await deletionOfCommented(member)];
  },
  'A publication beside such a deletion': async () => {
    const { id, author } = await buildArticle(app.url, { tags: [HELD, SECOND], visibility: 'PRIVATE' });
    return [() => setVisibility(id, author, 'PUBLIC'), await deletionOfCommented(author)];
  },
  'An edit that publishes and adds tags beside such a deletion': async () => {
    const { id, author } = await buildArticle(app.url, { tags: [FIRST], visibility: 'PRIVATE' });
    return [() => edit(id, author, { tags: [HELD, SECOND], visibility: 'PUBLIC' }), await deletionOfCommented(author)];
  },
  'A removal by a moderator beside such a deletion': async () => {
    const moderator = await buildWithRole(app, 'MODERATOR');
    const { id, author } = await buildArticle(app.url, { tags: [HELD, SECOND] });
    await buildReport(app.url, moderator, { articleId: id });
    return [
      async () => (await decide(app.url, moderator, { articleId: id, action: 'REMOVE', ...REASONS })).status,
      await deletionOfCommented(author),
    ];
  },
  'A claim of articles beside a new one': async () => {
    const author = await buildAuthor();
    const member = await buildMember(app.url);
    await app.database.sequelize.query(`update members set email = null, password_hash = null where id = ${author.id}`);
    const other = await buildMember(app.url);
    const source = {
      config: { mail: null },
      database: app.database,
      client: { address: '', device: '' },
      viewer: null,
    };
    return [
      async () => {
        await claimAuthor(source, { authorId: author.id, memberId: member.id });
        return 200;
      },
      () => write(other, [FIRST, SECOND]),
    ];
  },
  'The withdrawal of an author beside a new article': async () => {
    const author = await buildAuthor();
    const other = await buildMember(app.url);
    return [async () => (await withdraw(app.url, author)).status, () => write(other, [FIRST, SECOND])];
  },
  'The withdrawal of an author beside an edit of one of the articles': async () => {
    const author = await buildMember(app.url);
    const { id } = await buildArticle(app.url, { tags: [FIRST] }, author);
    await buildArticle(app.url, { tags: [HELD] }, author);
    // By another process: this one makes the changes of a member one after the other.
    const edited = async () => {
      const unchecked = { credentialId: null, check: () => {} };
      const edit = { input: { tags: [FIRST, SECOND] }, rendered: null };
      await editArticle(app.services, id, edit, undefined, unchecked, async () => {});
      return 200;
    };
    return [
      async () => (await withdraw(app.url, author)).status,
      () => edited().catch((error: AppError) => error.status),
    ];
  },
};

describe('Tags of several articles', () => {
  beforeEach(() => buildArticle(app.url, { tags: [HELD] }));

  for (const [name, prepare] of Object.entries(pairs))
    it(`${name}: no deadlock`, async () => {
      const [first, second] = await prepare();
      const before = await countDeadlocksOf('');
      let statuses: Promise<number[]> | undefined;
      await app.database.sequelize.transaction(async (transaction) => {
        await app.database.sequelize.query(`select from tags where name = '${HELD}' for update`, { transaction });
        const waiting = first();
        await untilWaiting(app.database, 1);
        const following = second();
        statuses = Promise.all([waiting, following]);
        // The second one waits for the transaction of the test or for the first one, or it has ended.
        await Promise.race([following, untilWaiting(app.database, 2)]);
      });
      for (const status of (await statuses) ?? []) expect(status).to.be.oneOf([200, 201, 404]);
      expect(await countDeadlocksOf('')).to.equal(before);
      expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
    });

  it('are edited by many members at once without a deadlock', async () => {
    const tags = ['one', 'two', 'three', 'four'];
    const articles = await Promise.all(Array.from({ length: 12 }, () => buildArticle(app.url, { tags })));
    const before = await countDeadlocksOf('');
    const edits = articles.map(async ({ id, author }, member) => {
      const statuses: number[] = [];
      for (let edited = 0; edited < 8; edited++) {
        const turned = tags.map((_, index) => tags[(index + member + edited) % 4]);
        statuses.push(await edit(id, author, { tags: turned.slice(0, 1 + ((member + edited) % 3)) }));
      }
      return statuses;
    });
    expect(new Set((await Promise.all(edits)).flat())).to.deep.equal(new Set([200]));
    expect(await countDeadlocksOf('')).to.equal(before);
  });
});
