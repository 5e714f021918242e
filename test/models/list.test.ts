/** Pages far past the end of a list, and totals of tags: bounded work for any number of rows. */
import { expect } from 'chai';
import { findArticlePage } from '../../src/models/article/list.js';
import { ANONYMOUS } from '../../src/models/reader.js';
import { TAG_PAGE } from '../../src/models/tag.js';
import { statements } from '../../src/platform/database/observed-client.js';
import { useApp } from '../support/app.js';
import { type BuiltArticle, buildArticle } from '../support/build.js';
import { call, graphql } from '../support/client.js';
import { execute, inBulk, truncateAll } from '../support/database.js';
import { blocksOf } from '../support/statements.js';

// The statements of repeated reads are counted.
const app = useApp({ RESPONSE_CACHE_MB: '0' });
const ROWS = 10_000;
/** The last page that can be requested. */
const FAR = 'page=2147483647&size=100';

describe('Lists', () => {
  let article: BuiltArticle;
  after(() => truncateAll(app.database));
  before(async () => {
    article = await buildArticle(app.url, { tags: ['sea'] });
    // On a connection without a statement timeout.
    const insertions = [
      inBulk(`insert into articles (member_id, category_id, title, content)
       select member_id, category_id, 'Title', 'Content' from articles, generate_series(1, ${ROWS})`),
      `insert into comments (article_id, member_id, content) select ${article.id}, null, 'x'
        from generate_series(1, ${ROWS})`,
      `alter table tags disable trigger user;
       insert into tags (name, article_count) select 't' || n, 1 from generate_series(1, ${ROWS}) n;
       alter table tags enable trigger user;
       insert into tag_totals (shard, tags) values (16, ${ROWS})`,
      'vacuum analyze',
    ];
    await execute(insertions, app.database.url);
  });

  it('return an empty page with the total past their end', async () => {
    for (const [path, total] of [
      ['/api/articles', ROWS + 1],
      [`/api/articles/${article.id}/comments`, ROWS],
    ] as const) {
      const { status, body } = await call(app.url, `GET ${path}?${FAR}`);
      expect([status, body?.data.contents, body?.data.pagination.totalElements], path).to.deep.equal([200, [], total]);
    }
  });

  it('read a bounded number of blocks past their end', async () => {
    const offset = 2_147_483_646 * 100;
    const [text] = await textsDuring(() => call(app.url, `GET /api/articles/${article.id}/comments?${FAR}`));
    expect(await blocksOf(app.database, { text: text ?? '' }, [article.id, 100, offset, ANONYMOUS])).to.be.below(30);
    const request = {
      scope: {},
      order: 'title,asc',
      slice: { limit: 100, offset },
      includes: { content: false, tags: false },
    } as const;
    const [listText] = await textsDuring(() => findArticlePage(app.database, request));
    expect(await blocksOf(app.database, { text: listText ?? '' }, [100, offset])).to.be.below(30);
    expect(await blocksOf(app.database, TAG_PAGE, [100, offset])).to.be.below(30);
    expect(await blocksOf(app.database, TAG_PAGE, [10, 0])).to.be.below(40);
  });

  it('count added and removed tags, also in one transaction', async () => {
    const total = async () =>
      (await graphql(app.url, '{ tags { pagination { totalElements } } }')).data.tags.pagination.totalElements;
    const { token } = article.author;
    const edit = (tags: string[]) =>
      call(app.url, `PUT /api/articles/${article.id}`, { token, json: { title: 'T', content: 'C', tags } });
    expect((await edit(['sea', 'sky', 'sun'])).status).to.equal(200);
    expect(await total()).to.equal(ROWS + 3);
    expect((await edit(['sun'])).status).to.equal(200);
    expect(await total()).to.equal(ROWS + 1);
  });

  /** The statements that were sent. */
  async function textsDuring(work: () => Promise<unknown>): Promise<string[]> {
    const texts: string[] = [];
    const listen = (message: unknown) => texts.push((message as { text: string }).text);
    statements.subscribe(listen);
    await work().finally(() => statements.unsubscribe(listen));
    return texts;
  }
});
