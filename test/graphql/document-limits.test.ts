/** Limits of GraphQL documents: depth, aliases, tokens and cost. */
import { expect } from 'chai';
import { isListType, isRequiredArgument, type OperationDefinitionNode, parse } from 'graphql';
import { CostEstimator } from '../../src/graphql/cost.js';
import { buildSchema } from '../../src/graphql/schema.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { useApp } from '../support/app.js';
import { buildArticle } from '../support/build.js';
import { codesOf, postGraphQL } from '../support/graphql-http.js';

const app = useApp();
const { maxAliases, maxCost, maxDepth, maxTokens } = loadConfig({}).graphqlLimits;

describe('GraphQL document limits', () => {
  async function expectTooComplex(query: string, what: RegExp, variables = {}) {
    const response = await postGraphQL(app.url, { query, variables });
    expect([response.status, response.json.errors[0].extensions], query.slice(0, 100)).to.deep.equal([
      400,
      { code: 'QUERY_TOO_COMPLEX' },
    ]);
    expect(response.json.errors[0].message).to.match(what);
    expect(response.text.length).to.be.below(1000);
  }

  /** A document with a depth of `levels` fields. */
  const deep = (levels: number) => {
    const parents = levels - 3;
    return `{ comments(articleId: 1) { contents { ${'parent { '.repeat(parents)}id${' }'.repeat(parents)} } } }`;
  };

  it('rejects a document that is too deep, also through fragments', async () => {
    const { id } = await buildArticle(app.url);
    const fits = await postGraphQL(app.url, { query: deep(maxDepth - 1).replace('articleId: 1', `articleId: ${id}`) });
    expect(fits.json.errors).to.equal(undefined);
    await expectTooComplex(deep(maxDepth + 2), /nested more than 12/);
    await expectTooComplex(deep(90), /nested more than 12/);
    const fragments = Array.from(
      { length: 20 },
      (_, number) => `fragment F${number} on Comment { parent { ...F${number + 1} } }`,
    );
    await expectTooComplex(
      `{ comments(articleId: 1) { contents { ...F0 } } } ${fragments.join(' ')} fragment F20 on Comment { id }`,
      /nested more than 12/,
    );
  });

  it('rejects a document with more than 30 aliases', async () => {
    const aliased = (count: number) =>
      `{ ${Array.from({ length: count }, (_, number) => `a${number}: me { id }`).join(' ')} }`;
    const codes = codesOf(await postGraphQL(app.url, { query: aliased(maxAliases) }));
    expect(codes).to.deep.equal(Array(maxAliases).fill('UNAUTHENTICATED'));
    await expectTooComplex(aliased(maxAliases + 1), /more than 30 aliases/);
  });

  it('rejects a document with too many tokens', async () => {
    const long = `{ ${'__typename '.repeat(maxTokens)} }`;
    const response = await postGraphQL(app.url, { query: long });
    expect([response.status, codesOf(response)]).to.deep.equal([400, ['QUERY_TOO_COMPLEX']]);
  });

  /** Fragments that expand to `15 ** levels` times eight fields. */
  const spread = (levels: number) => {
    const last = 'fragment F0 on Article { id title excerpt tags createdAt author { id nickname } }';
    const others = Array.from(
      { length: levels },
      (_, level) => `fragment F${level + 1} on Article { ${`...F${level} `.repeat(15)} }`,
    );
    return [last, ...others].join(' ');
  };

  it('rejects a document that costs too much, and counts a fragment once per spread', async () => {
    const list = `{ articles(size: 100) { contents { ...F2 } } } ${spread(2)}`;
    await expectTooComplex(list, new RegExp(`can cost at most ${maxCost}, but costs \\d+`));
    await expectTooComplex(`{ article(id: 1) { ...F4 } } ${spread(4)}`, /costs far more/);
    const fits = await postGraphQL(app.url, { query: `{ article(id: 999999) { ...F2 } } ${spread(2)}` });
    expect(codesOf(fits)).to.deep.equal(['ARTICLE_NOT_FOUND']);
  });

  // Expanding 30 levels, which select 15^30 fields, would not end before the timeout of the test.
  it('rejects exponentially nested fragment spreads without expanding them', async () => {
    for (const levels of [6, 9, 30]) {
      await expectTooComplex(`{ article(id: 1) { ...F${levels} } } ${spread(levels)}`, /./);
    }
  });

  it('estimates every list of Query by the number of its elements', () => {
    const schema = buildSchema();
    const costs = new CostEstimator(schema, Number.POSITIVE_INFINITY);
    const lists = Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap(({ name, args, type }) => {
      const size = args.find((argument) => ['size', 'first'].includes(argument.name))?.name;
      const required = args.filter(isRequiredArgument).map((argument) => `${argument.name}: 1`);
      const elements = isListType(type)
        ? '__typename'
        : name === 'changes'
          ? 'changes { id: __typename }'
          : size === 'size'
            ? 'contents { id: __typename }'
            : 'edges { cursor }';
      const costOf = (count: number) => {
        const document = parse(`{ ${name}(${[...required, `${size}: ${count}`].join(' ')}) { ${elements} } }`);
        return costs.costOf(document, document.definitions[0] as OperationDefinitionNode, {});
      };
      return size === undefined ? [] : [{ name, added: costOf(20) - costOf(10) }];
    });
    expect(lists).to.have.lengthOf.greaterThan(25);
    expect(lists.filter(({ added }) => added < 10)).to.deep.equal([]);
  });

  it('estimates the cost again for other variables', async () => {
    const query = `query ($all: Boolean!) { article(id: 999999) { id ...F3 @include(if: $all) } } ${spread(3)}`;
    expect(codesOf(await postGraphQL(app.url, { query, variables: { all: false } }))).to.deep.equal([
      'ARTICLE_NOT_FOUND',
    ]);
    await expectTooComplex(query, /can cost at most/, { all: true });
  });

  it('accepts an introspection query with nested types', async () => {
    const introspection =
      '{ __schema { types { name fields { name type { name kind ofType { name kind ofType { name kind } } } } } } }';
    expect((await postGraphQL(app.url, { query: introspection })).json.errors).to.equal(undefined);
  });
});
