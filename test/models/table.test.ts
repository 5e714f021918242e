/** Statements for single rows: which columns they write. */
import { expect } from 'chai';
import { ARTICLES, Article } from '../../src/models/article/article.js';
import { CUSTOM_STYLES } from '../../src/models/custom-style.js';
import type { Transaction } from '../../src/platform/database/pool.js';
import { useApp } from '../support/app.js';
import { buildArticle } from '../support/build.js';
import { call } from '../support/client.js';
import { statementsDuring } from '../support/statements.js';

const app = useApp();

describe('A write of one row', () => {
  it('takes only the listed columns from an input', () => {
    const input = {
      title: 'Owls',
      content: 'One is in the attic.',
      memberId: 1,
      revision: 9,
      image: 'key',
      subtitle: '',
    };
    expect(ARTICLES.valuesOf(input)).to.deep.equal({ title: 'Owls', content: 'One is in the attic.' });
    expect(CUSTOM_STYLES.valuesOf({ name: 'Poet', role: null })).to.deep.equal({ name: 'Poet' });
  });

  it('has no column that the model lacks, whatever the keys of an object are', async () => {
    const { id, author } = await buildArticle(app.url, { title: 'Owls' });
    const { database } = app;
    await database.transaction(async (db) => {
      const row = await ARTICLES.lock(db, id, () => {});
      const changes = { title: 'Bats', 'comment_count = 99, title': 'Cats' };
      const sent = await statementsDuring(() => ARTICLES.update(db, row, changes));
      expect(sent).to.have.lengthOf(1);
      expect(sent[0]).to.match(
        /^update all_articles set title = \$2, updated_at = clock_timestamp\(\) where id = \$1\s/,
      );
    });
    const { body } = await call(app.url, `GET /api/articles/${id}`, { token: author.token });
    expect([body?.data.title, body?.data.commentCount]).to.deep.equal(['Bats', 0]);
  });

  it('has a name that PostgreSQL stores completely, another one for other columns', async () => {
    const sent: string[] = [];
    const query = async ({ name }: { name: string }) => {
      sent.push(name);
      return [{}];
    };
    const columns = Object.keys(Article.getAttributes()).filter((name) => name !== 'createdAt');
    for (const names of columns.map((_, index) => columns.slice(0, index + 1)))
      await ARTICLES.insert({ query } as unknown as Transaction, Object.fromEntries(names.map((name) => [name, 'x'])));
    expect(new Set(sent.map((name) => name.slice(0, 63))).size).to.equal(columns.length);
    expect(Math.max(...sent.map(({ length }) => length))).to.be.below(64);
  });

  it('executes no statement without a difference', async () => {
    const { author } = await buildArticle(app.url);
    const style = { json: { name: 'Poet', role: 'a poet', instruction: 'Write in verse.' }, token: author.token };
    const { body } = await call(app.url, 'POST /api/members/me/custom-styles', style);
    const path = `PUT /api/members/me/custom-styles/${body?.data.id}`;
    const sent = await statementsDuring(() => call(app.url, path, style));
    expect(sent.filter((text) => text.startsWith('update custom_styles'))).to.deep.equal([]);
    const changed = { ...style, json: { ...style.json, role: 'a bard' } };
    const texts = await statementsDuring(() => call(app.url, path, changed));
    expect(texts.filter((text) => text.startsWith('update custom_styles set role = $2, updated'))).to.have.lengthOf(1);
  });
});
