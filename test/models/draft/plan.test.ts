/** The cost of a draft of a member with many articles, among members with one each. */
import { expect } from 'chai';
import { DRAFT_OF_MEMBER } from '../../../src/models/draft/draft.js';
import { useApp } from '../../support/app.js';
import { execute, inBulk, truncateAll } from '../../support/database.js';
import { genericPlanOf } from '../../support/statements.js';

const app = useApp();

describe('A draft of a member with 50 articles', () => {
  before(async () => {
    const insertions = [
      `insert into members (email, member_name, nickname) select n || '@example.org', 'm' || n, 'm' || n from generate_series(1, 2001) n`,
      `insert into categories (member_id, name, is_default) select id, 'General', true from members`,
      inBulk(
        `insert into all_articles (member_id, category_id, title, content)
         select member_id, id, 'Title', 'Content' from categories where member_id > 1
         union all select member_id, id, 'Title', 'Content' from categories, generate_series(1, 50) where member_id = 1`,
      ),
      'insert into drafts (member_id) values (1)',
      'vacuum analyze',
    ];
    await execute(insertions, app.database.url);
  });
  after(() => truncateAll(app.database));

  it('is read without the articles of the member', async () => {
    const plan = await genericPlanOf(app.database, DRAFT_OF_MEMBER.text);
    expect(plan).to.match(/articles_pkey on all_articles a\b/);
  });
});
