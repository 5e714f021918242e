/** Root fields of queries that can fail are nullable: one that fails leaves its siblings. */
import { expect } from 'chai';
import { getNamedType, isNonNullType } from 'graphql';
import { buildSchema } from '../../src/graphql/schema.js';
import { useApp } from '../support/app.js';
import { useArticle } from '../support/build.js';
import { graphql } from '../support/client.js';

const app = useApp();

describe('Fields of Query', () => {
  const article = useArticle(app);

  it('are nullable, except lists that need neither an ID nor a token', () => {
    const fields = Object.values(buildSchema().getQueryType()?.getFields() ?? {});
    const nonNull = fields.filter(({ type }) => isNonNullType(type)).map(({ name }) => name);
    expect(nonNull.sort()).to.deep.equal([
      'articleArchive',
      'articleConnection',
      'articles',
      'changes',
      'loginProviders',
      'tags',
    ]);
    expect(fields.map(({ type }) => getNamedType(type).name)).to.include('ArticlePage');
  });

  it('leave their siblings when they fail, with the same error keys', async () => {
    const query = `query ($id: ID!) {
      found: article(id: $id) { id }
      article(id: 999999) { title }
      comments(articleId: 999999) { contents { id } }
      me { id }
      articles(size: 1) { pagination { totalElements } }
    }`;
    const { status, data, errors = [] } = await graphql(app.url, query, { id: article.id });
    expect(status).to.equal(200);
    expect(data).to.deep.equal({
      found: { id: String(article.id) },
      article: null,
      comments: null,
      me: null,
      articles: { pagination: { totalElements: 1 } },
    });
    const keys = Object.fromEntries(errors.map(({ path, extensions }) => [path?.join(), extensions.code]));
    expect(keys).to.deep.equal({
      article: 'ARTICLE_NOT_FOUND',
      comments: 'ARTICLE_NOT_FOUND',
      me: 'UNAUTHENTICATED',
    });
  });

  it('make the data null when one that is not nullable fails', async () => {
    const query = '{ articles(filter: { keyword: "a b c d e f g h i" }) { contents { id } } article(id: 1) { id } }';
    const { status, data, errors = [] } = await graphql(app.url, query);
    expect([status, data, errors[0]?.extensions.code]).to.deep.equal([200, null, 'VALIDATION_FAILED']);
  });
});
