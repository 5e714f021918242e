/** Every operation with every scope, over HTTP: the outcomes are those in docs/api-token-scopes.md. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { type GraphQLOutputType, getNamedType, isObjectType } from 'graphql';
import { ROOT } from '../../../src/cli/generate/files.js';
import { SCOPE_NAMES, type Scope } from '../../../src/models/session/api-token.js';
import { compileApi } from '../../../src/rest/api.js';
import { bodyExampleOf } from '../../../src/rest/engine/example.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { buildArticle, buildComment } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { closeLiveClients } from '../../support/live.js';
import { openSocket } from '../../support/live-raw.js';
import { documentOf, selectionOf } from '../../support/sample-calls.js';
import { until } from '../../support/until.js';

const app = useApp();
const { schema, endpoints } = compileApi();
const tokens = new Map<Scope, string>();
/** The admitted scopes of each row in the document, by the name of the row. */
let documented: Map<string, Scope[]>;
/** The names of the rows of public operations. */
let documentedAsPublic: string[];

before(async () => {
  const text = await readFile(new URL('docs/api-token-scopes.md', ROOT), 'utf8');
  const rows = [...text.matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)].filter(([, , cells = '']) => !cells.includes('`'));
  documented = new Map(
    rows.map(([, name = '', cells = '']) => {
      const marks = cells.split('|').map((cell) => cell.trim());
      return [name, SCOPE_NAMES.filter((_, index) => marks[index] === '✓')];
    }),
  );
  documentedAsPublic = rows.flatMap(([, name = '', cells]) =>
    cells?.split('|')[SCOPE_NAMES.length]?.trim() ? [name] : [],
  );
  const article = await buildArticle(app.url);
  await buildComment(app.url, article.id);
  const member = article.author;
  for (const scope of SCOPE_NAMES) tokens.set(scope, (await buildApiToken(app.url, member, [scope])).token);
});

/** @param send sends the operation with a token. @returns the scopes with which it was admitted */
async function admitted(send: (token: string) => Promise<string | undefined>): Promise<Scope[]> {
  const scopes: Scope[] = [];
  for (const [scope, token] of tokens) if ((await send(token)) !== 'SCOPE_MISSING') scopes.push(scope);
  return scopes;
}

describe('docs/api-token-scopes.md', () => {
  it('has a row for each endpoint, each operation, and each private field', () => {
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const names = [
      ...endpoints.map(({ endpoint: { method, path } }) => `${method} /api${path}`),
      ...roots.flatMap((root) => Object.keys(root?.getFields() ?? {}).map((field) => `${root}.${field}`)),
      ...['email', 'emailVerified', 'memberName', 'suspension', 'unreadNotifications', 'viewer'].map(
        (name) => `Account.${name}`,
      ),
      ...['Article.viewer', 'Member.viewer'],
    ];
    expect([...documented.keys()]).to.have.members(names);
  });

  it('shows the scopes with which each endpoint is admitted, and whether it needs no token', async () => {
    for (const { endpoint } of endpoints) {
      const { method, path, example, body } = endpoint;
      const target = `${method} /api${path.replace(/\{(\w+)\}/g, (_, name) => pathValueOf(example[name]))}`;
      const json = body === 'none' ? {} : { json: bodyExampleOf(endpoint) };
      const scopes = await admitted(async (token) => (await call(app.url, target, { token, ...json })).body?.code);
      const row = `${method} /api${path}`;
      expect(scopes, target).to.deep.equal(documented.get(row));
      const isPublic = (await call(app.url, target, json)).body?.code !== 'UNAUTHENTICATED';
      expect(isPublic, target).to.equal(documentedAsPublic.includes(row));
    }
  }).timeout(60_000);

  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    it(`shows the scopes with which each operation of type ${root} is admitted over GraphQL`, async () => {
      for (const field of Object.values(root?.getFields() ?? {})) {
        const query = documentOf(String(root), field);
        const scopes = await admitted((token) => codeOf(query, token));
        expect(scopes, query).to.deep.equal(documented.get(`${root}.${field.name}`));
      }
    }).timeout(60_000);
  }

  it('shows the scopes with which each subscription is admitted', async () => {
    for (const field of Object.values(schema.getSubscriptionType()?.getFields() ?? {})) {
      // With the first event, which exists already.
      const query = `subscription { ${field.name}(after: 0) ${selectionOf(field.type)} }`;
      const scopes = await admitted((token) => codeOfSubscription(query, token));
      closeLiveClients();
      expect(scopes, query).to.deep.equal(documented.get(`Subscription.${field.name}`));
    }
  });

  it('shows the scopes of private fields, which their operation needs too', async () => {
    const both = (own: Scope[], operation: Scope[]) => own.filter((scope) => operation.includes(scope));
    for (const operation of ['Query.me', 'Mutation.markAllNotificationsRead']) {
      const [root = '', name = ''] = operation.split('.');
      for (const field of ['email', 'memberName', 'unreadNotifications']) {
        const query = `${root.toLowerCase()} { ${name} { ${field} } }`;
        const scopes = await admitted((token) => codeOf(query, token));
        const expected = both(documented.get(`Account.${field}`) ?? [], documented.get(operation) ?? []);
        expect(scopes, query).to.deep.equal(expected);
      }
    }
  });
});

describe('The types that API tokens can read', () => {
  it('match the reviewed list: an additional one needs a decision about its private fields', () => {
    const reachable = new Set<string>();
    const add = (type: GraphQLOutputType) => {
      const named = getNamedType(type);
      if (!isObjectType(named) || reachable.has(named.name)) return;
      reachable.add(named.name);
      for (const field of Object.values(named.getFields())) add(field.type);
    };
    for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
      for (const { extensions, type } of Object.values(root?.getFields() ?? {}))
        if (extensions.apiTokenScopes) add(type);
    }
    const own = [...reachable].filter((name) => !/(?:Page|Connection|Edge|PageInfo|Pagination)$/.test(name)).sort();
    expect(own).to.deep.equal([
      ...['Account', 'ArchiveMonth', 'Article', 'ArticleBookmark', 'ArticleLike', 'ArticleLink', 'ArticleNeighbors'],
      ...['ArticlePreview', 'ArticleStatistics', 'ArticleViewer', 'Category', 'Change', 'Comment', 'CreatedShareLink'],
      ...['CustomStyle', 'DailyViews', 'Draft', 'GeneratedText', 'Image', 'ImageSize', 'Member', 'MemberFollow'],
      ...[
        'MemberViewer',
        'Notification',
        'NotificationSetting',
        'Revision',
        'RevisionDetail',
        'Series',
        'SeriesWithArticles',
      ],
      ...['ShareLink', 'SharedText', 'StyledText', 'Suspension', 'Tag', 'Token', 'Translation'],
    ]);
  });
});

/** An id that does not exist in place of one that may: admitted deletions then fail. */
function pathValueOf(example: unknown): string {
  return typeof example === 'number' ? '999999' : String(example);
}

async function codeOf(query: string, token: string): Promise<string | undefined> {
  const { status, errors } = await graphql(app.url, query, {}, token);
  const [error] = errors ?? [];
  // The document must be valid: one that is not would be admitted whatever it contains.
  expect(error?.extensions.code, `${query}: ${error?.message}`).to.not.equal('BAD_REQUEST');
  expect(status === 403, query).to.equal(error?.extensions.code === 'SCOPE_MISSING');
  return error?.extensions.code;
}

async function codeOfSubscription(query: string, token: string): Promise<string | undefined> {
  const { socket, messages } = await openSocket(app.url);
  const send = (message: object) => socket.send(JSON.stringify(message));
  send({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } });
  await until(() => messages.length > 0);
  send({ id: '1', type: 'subscribe', payload: { query } });
  await until(() => messages.length > 1);
  const [error] = messages[1]?.type === 'error' ? (messages[1].payload as { extensions: { code: string } }[]) : [];
  return error?.extensions.code;
}
