/** The cost of the positions of many comments on an article with many comments. */
import { expect } from 'chai';
import { findPositions } from '../../src/models/comment/position.js';
import { Reader } from '../../src/models/reader.js';
import { useApp } from '../support/app.js';
import { execute, inBulk, truncateAll } from '../support/database.js';
import { costOf } from '../support/statements.js';

const app = useApp();

/** Top-level comments, of which the last is the newest, and replies to the first one. */
const COMMENTS = 10_000;
const REPLIES = 20;

describe(`Positions of comments on an article with ${COMMENTS} comments`, () => {
  before(async () => {
    await truncateAll(app.database);
    const insertions = [
      `insert into members (email, member_name, nickname, role) values ('m1@example.org', 'm1', 'm1', 'ADMIN')`,
      `insert into categories (member_id, name, is_default) values (1, 'General', true)`,
      `insert into all_articles (member_id, category_id, title, content) values (1, 1, 'Owls', 'In the attic.')`,
      inBulk(`insert into comments (article_id, member_id, content, created_at)
       select 1, 1, 'Owl ' || n, timestamptz '2026-01-01' + n * interval '1 second' from generate_series(1, ${COMMENTS}) n`),
      `insert into comments (article_id, parent_id, member_id, content) select 1, 1, 1, 'Reply ' || n from generate_series(1, ${REPLIES}) n`,
      'vacuum analyze',
    ];
    await execute(insertions, app.database.url);
  });
  after(() => truncateAll(app.database));

  const readers = { everyone: new Reader(0, 0, 0, 0), 'a moderator': new Reader(1, 1, 1, 1) };
  for (const [name, reader] of Object.entries(readers)) {
    it(`are counted once for all of them, for ${name}`, async () => {
      const oldest = Array.from({ length: 10 }, (_, index) => index + 1);
      const replies = Array.from({ length: REPLIES }, (_, index) => COMMENTS + 1 + index);
      const ids = [...oldest, ...replies, COMMENTS];
      const find = () => findPositions(app.database, ids, reader);
      expect(await find()).to.deep.equal([...oldest.map((id) => COMMENTS - id), ...replies.map(() => COMMENTS - 1), 0]);
      const { blocks, plan } = await costOf(app.database, [ids, reader], find);
      process.stdout.write(`      ${blocks} blocks\n`);
      expect(plan).to.match(/Index Only Scan using comments_page on comments k/);
      // The part of the index with all comments has about 50 blocks; further ones are for each of the comments.
      expect(blocks).to.be.below(50 + 15 * ids.length);
    });
  }
});
