/** Every operation is available on both APIs. */
import { expect } from 'chai';
import { type GraphQLField, type GraphQLObjectType, getNullableType } from 'graphql';
import { compileApi } from '../../../src/rest/api.js';
import { rootFieldOf } from '../../../src/rest/engine/declaration.js';

const PAGES = 'REST has the same list in numbered pages.';

/** Queries and mutations without an endpoint, with the reason. */
const WITHOUT_ENDPOINT: Readonly<Record<string, string>> = {
  articleConnection: PAGES,
  bookmarkConnection: PAGES,
  commentConnection: PAGES,
  followedArticleConnection: PAGES,
  followingConnection: PAGES,
  memberSeriesConnection: PAGES,
  myArticleConnection: PAGES,
  myCommentConnection: PAGES,
  mySeriesConnection: PAGES,
  notificationConnection: PAGES,
  receivedCommentConnection: PAGES,
  replyConnection: PAGES,
  seriesArticleConnection: PAGES,
};

const BOUNDED = 'The list has a maximum length, and is not synchronized.';

/** Lists of Query in numbered pages without a connection, with the reason. */
const WITHOUT_CONNECTION: Readonly<Record<string, string>> = {
  articleRevisions: BOUNDED,
  blocks: BOUNDED,
  draftRevisions: BOUNDED,
  drafts: BOUNDED,
  hiddenComments: 'The author of the article reviews them; it is not synchronized.',
  moderationQueue: 'Moderators empty it from its first page; it is not synchronized.',
  moderationDecisions: BOUNDED,
  myDecisions: 'A member has few of them; it is not synchronized.',
  myImages: BOUNDED,
  securityEvents: BOUNDED,
  webhooks: BOUNDED,
  webhookAttempts: BOUNDED,
  tags: 'The order changes with every article: a cursor would skip tags.',
};

describe('The operations of the two APIs', () => {
  const { schema, endpoints } = compileApi();
  const fieldsOf = (root: GraphQLObjectType | null | undefined) => Object.keys(root?.getFields() ?? {});
  const inRest = new Set(endpoints.map(({ operation }) => rootFieldOf(operation).name.value));

  it('are the same: every query and mutation has an endpoint, or a listed reason', () => {
    const missing = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
      .flatMap(fieldsOf)
      .filter((name) => !inRest.has(name));
    expect(missing.sort()).to.deep.equal(Object.keys(WITHOUT_ENDPOINT));
  });

  it('differ in files: only REST can send them', () => {
    const files = endpoints.map(({ endpoint }) => endpoint).filter(({ download }) => download);
    expect(files.map(({ method, path }) => `${method} ${path}`)).to.deep.equal(['GET /members/me/archive']);
  });

  it('have each list in numbered pages and as a connection with the same filters and orders, or a listed reason', () => {
    const fields = schema.getQueryType()?.getFields() ?? {};
    const argumentsOf = (field: GraphQLField<unknown, unknown> | undefined, ...pagination: string[]) =>
      (field?.args ?? [])
        .filter(({ name }) => !pagination.includes(name))
        .map(({ name, type }) => `${name}: ${getNullableType(type)}`)
        .sort();
    const pages = Object.values(fields).filter(({ args }) => args.some(({ name }) => name === 'page'));
    const connections = Object.values(fields).filter(({ name }) => name.endsWith('Connection'));
    const paired = connections.map((connection) => {
      const page = fields[plural(connection.name.replace(/Connection$/, ''))];
      const expected = argumentsOf(page, 'page', 'size');
      expect(argumentsOf(connection, 'first', 'last', 'before', 'after'), connection.name).to.deep.equal(expected);
      return page?.name;
    });
    expect(pages.map(({ name }) => name).sort()).to.deep.equal([...paired, ...Object.keys(WITHOUT_CONNECTION)].sort());
  });

  it('exclude only deprecated queries, and connections of lists that have an endpoint', () => {
    const fields = schema.getQueryType()?.getFields() ?? {};
    for (const [name, reason] of Object.entries(WITHOUT_ENDPOINT)) {
      if (reason !== PAGES) expect(fields[name]?.deprecationReason, name).to.be.a('string');
      else expect([...inRest], name).to.include(plural(name.replace(/Connection$/, '')));
    }
  });
});

function plural(name: string): string {
  if (name === 'seriesArticle') return 'series';
  if (/^following$|Series$/.test(name)) return name;
  return name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;
}
