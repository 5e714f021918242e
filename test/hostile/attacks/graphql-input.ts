/**
 * Variables and documents whose errors take long to find or to describe. Without a token a body has at most 256 KiB: larger ones
 * are sent with one.
 */
import type { Attack } from '../attack.js';
import {
  graphqlGet,
  graphqlGzip,
  graphqlMultipart,
  graphqlPost,
  lazily,
  type Operation,
  repeated,
  times,
} from '../requests.js';

const REJECTED = ['400 BAD_REQUEST', '400 VALIDATION_FAILED', '400 QUERY_TOO_COMPLEX'];

const LINE = '\n';

/** Each element of `tags` is wrong: they are strings. */
function wrongElements(count: number, lines: number): Operation {
  const query = `mutation ($tags: [String!]!) {${LINE.repeat(lines)}
    createArticle(input: { title: "t", content: "c", tags: $tags }) { id }
  }`;
  return { query, variables: { tags: times(count, (index) => index) } };
}

/** Each field of the object is unknown. */
function unknownInputFields(count: number, lines: number): Operation {
  const query = `mutation ($input: CreateArticleInput!) {${LINE.repeat(lines)} createArticle(input: $input) { id } }`;
  return { query, variables: { input: Object.fromEntries(times(count, (index) => [`field${index}`, index])) } };
}

function nested(depth: number, open: string, close: string): string {
  return open.repeat(depth) + close.repeat(depth);
}

export const inputAttacks: Readonly<Record<string, Attack>> = {
  '40,000 wrong elements in a list variable under 400,000 line feeds, compressed': {
    parallel: 1,
    expected: [...REJECTED, '413 PAYLOAD_TOO_LARGE', '415 UNSUPPORTED_MEDIA_TYPE'],
    requests: ({ attacker }) => [
      graphqlGzip(wrongElements(40_000, 400_000)),
      graphqlGzip(wrongElements(40_000, 400_000), attacker.token),
    ],
  },
  '100,000 wrong elements in a list variable under 18,000 line feeds': {
    parallel: 2,
    expected: REJECTED,
    requests: ({ attacker }) => repeated(6, graphqlPost(wrongElements(100_000, 18_000), attacker.token)),
  },
  'wrong elements in a list variable of a document that is sent again and again': {
    parallel: 1,
    expected: REJECTED,
    requests: ({ attacker }) => repeated(8, graphqlPost(wrongElements(100_000, 0), attacker.token)),
  },
  '50,000 unknown fields in an input object': {
    parallel: 2,
    expected: REJECTED,
    requests: ({ attacker }) => repeated(6, graphqlPost(unknownInputFields(50_000, 15_000), attacker.token)),
  },
  'wrong elements in the address of a GET request': {
    parallel: 4,
    expected: [...REJECTED, '405 METHOD_NOT_ALLOWED', '431 HEADERS_TOO_LARGE'],
    requests: () =>
      times(40, (index) => {
        const query = `query ($ids: [ID!]) {${LINE.repeat(1_500)} article(id: $ids) { id } }`;
        return graphqlGet({ query, variables: { ids: times(1_000 + index, () => ({})) } });
      }),
  },
  'wrong elements in the operations of a multipart request of 9 MB': {
    parallel: 2,
    expected: [...REJECTED, '413 PAYLOAD_TOO_LARGE'],
    requests: ({ attacker }) => repeated(3, graphqlMultipart(wrongElements(1_000_000, 10_000), attacker.token)),
  },
  '60,000 undeclared variables': {
    parallel: 2,
    expected: [...REJECTED, '200'],
    requests: ({ attacker }) =>
      times(6, (round) => {
        const variables = Object.fromEntries(times(60_000, (index) => [`v${(index * 7919) % 60_000}`, round]));
        const query = 'query ($page: Int) { articles(page: $page, size: 1) { contents { id } } }';
        return graphqlPost({ query, variables }, attacker.token);
      }),
  },
  'a variable of 900 kB, and one that is nested 100,000 deep': {
    parallel: 2,
    expected: [...REJECTED, '200 ARTICLE_NOT_FOUND', '404 ARTICLE_NOT_FOUND', '200 VALIDATION_FAILED'],
    requests: ({ attacker }) => {
      const query = 'query ($id: ID!) { article(id: $id) { id } }';
      const body = (value: string) => `{"query":${JSON.stringify(query)},"variables":{"id":${value}}}`;
      const values = [
        `"${'9'.repeat(900_000)}"`,
        nested(100_000, '[', ']'),
        `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
      ];
      return times(9, (index) => ({
        path: '/graphql',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${attacker.token}` },
        body: body(values[index % values.length] ?? ''),
      }));
    },
  },
  '100 unknown fields under 400,000 line feeds': {
    parallel: 1,
    expected: REJECTED,
    requests: ({ attacker }) =>
      times(3, (round) =>
        graphqlPost(
          { query: `{ ${LINE.repeat(400_000)} ${times(100, (index) => `unknown${round}x${index}`).join(' ')} }` },
          attacker.token,
        ),
      ),
  },
  'unknown arguments, fragments, types, directives and variables under 18,000 line feeds': {
    parallel: 4,
    expected: REJECTED,
    requests: () => {
      const lines = LINE.repeat(18_000);
      const many = (make: (index: number) => string, count = 90) => times(count, make).join(' ');
      const documents = [
        `{${lines} article(id: 1, ${many((n) => `argument${n}: 1`)}) { id } }`,
        `{${lines} ${many((n) => `...Fragment${n}`)} }`,
        `{${lines} ${many((n) => `... on Type${n} { id }`)} }`,
        `{${lines} __typename ${many((n) => `@directive${n}`)} }`,
        `{${lines} ${many((n) => `article(id: $id${n}) { id }`)} }`,
        `query (${many((n) => `$unused${n}: ID`)}) {${lines} __typename }`,
        `{${lines} ${many(() => 'article(id: {a: [1, {b: 2}]}) { id }')} }`,
      ];
      return times(28, (index) => graphqlPost({ query: `${documents[index % documents.length]} #${index}` }));
    },
  },
  'unknown names of 15,000 characters, for which suggestions are computed': {
    parallel: 4,
    expected: REJECTED,
    requests: () =>
      times(20, (index) =>
        graphqlPost({ query: `{ ${`${'articleConnection'.repeat(900)}${index}`} me { emial nicknme } }` }),
      ),
  },
  'one field selected 600 times, whose pairs must be compared': {
    parallel: 4,
    expected: [...REJECTED, '200'],
    requests: () =>
      times(24, (index) => graphqlPost({ query: `{ ${'articles { contents { id } } '.repeat(280)} } # ${index}` })),
  },
  'fragments that select each other in pairs, whose overlaps must be compared': {
    parallel: 4,
    expected: [...REJECTED, '200 ARTICLE_NOT_FOUND'],
    requests: () => {
      const fragment = (n: number) =>
        `fragment F${n} on Comment { id parent { ...F${n + 1} } parent { ...G${n + 1} } }
         fragment G${n} on Comment { id parent { ...G${n + 1} } parent { ...F${n + 1} } }`;
      const document = `{ comments(articleId: 999999) { contents { ...F0 ...G0 } } } ${times(60, fragment).join(' ')}
        fragment F60 on Comment { id } fragment G60 on Comment { id }`;
      return times(12, (index) => graphqlPost({ query: `${document} # ${index}` }));
    },
  },
  'a subscription over HTTP whose field is included by a variable': {
    parallel: 1,
    expected: REJECTED,
    requests: () => {
      const query = 'subscription ($on: Boolean!) { notificationReceived @include(if: $on) { id } }';
      return [graphqlPost({ query, variables: { on: true } }), graphqlPost({ query }), graphqlGet({ query })];
    },
  },
  'introspection of lists in lists': {
    parallel: 4,
    expected: [...REJECTED, '200'],
    requests: () => {
      const level = (depth: number): string =>
        depth === 0 ? 'name' : `fields { name args { name description } type { name ${level(depth - 1)} } }`;
      const documents = [
        `{ __schema { types { ${level(3)} } } }`,
        `{ ${times(25, (n) => `a${n}: __schema { types { name description fields { name description type { fields { name type { name } } } } } }`).join(' ')} }`,
        `{ __type(name: "Query") { ${level(4)} } }`,
        `{ __schema { ...S } } fragment S on __Schema { ${times(25, (n) => `t${n}: types { ...T }`).join(' ')} }
         fragment T on __Type { ${times(4, (n) => `f${n}: fields { name description args { name description type { name } } }`).join(' ')} }`,
      ];
      return times(24, (index) => graphqlPost({ query: `${documents[index % documents.length]} # ${index % 6}` }));
    },
  },
};

/** Documents that stay in the cache, with mostly irrelevant text. */
export const documentAttacks: Readonly<Record<string, Attack>> = {
  ...Object.fromEntries(
    Object.entries({ blanks: ' ', commas: ',', 'byte order marks': '\ufeff' }).map(
      ([what, filler]): [string, Attack] => [
        `80 different documents of a small query and 900 kB of ${what}`,
        {
          parallel: 4,
          expected: [...REJECTED, '413 PAYLOAD_TOO_LARGE'],
          requests: ({ attacker }) => {
            const padding = filler.repeat(900_000 / Buffer.byteLength(filler));
            return lazily(80, (index) => graphqlPost({ query: `{ a${index}: __typename }${padding}` }, attacker.token));
          },
        },
      ],
    ),
  ),
  '80 different documents of a small query and a comment of 900 kB': {
    parallel: 4,
    expected: REJECTED,
    requests: ({ attacker }) => {
      const padding = 'x'.repeat(900_000);
      return lazily(80, (index) => graphqlPost({ query: `{ __typename } # ${index} ${padding}` }, attacker.token));
    },
  },
  '500 different documents of 19 kB that are nearly all comment': {
    parallel: 4,
    expected: [...REJECTED, '200'],
    requests: () => {
      const padding = 'x'.repeat(19_000);
      return lazily(500, (index) => graphqlPost({ query: `{ __typename } # ${index} ${padding}` }));
    },
  },
  '40 different string literals of 900 kB': {
    parallel: 4,
    expected: REJECTED,
    requests: ({ attacker }) => {
      const text = 'x'.repeat(900_000);
      return lazily(40, (index) =>
        graphqlPost(
          { query: `{ articles(filter: { keyword: "${index} ${text}" }) { contents { id } } }` },
          attacker.token,
        ),
      );
    },
  },
  '20 documents whose fragments expand to 20,000 fields, five times each': {
    parallel: 4,
    expected: [...REJECTED, '200 ARTICLE_NOT_FOUND'],
    requests: () => lazily(100, (index) => graphqlPost({ query: `${fanOut()} # ${index % 20}` })),
  },
  '30 documents of 300 fields without fragments, six times each': {
    parallel: 4,
    expected: [...REJECTED, '200', '200 ARTICLE_NOT_FOUND'],
    requests: () =>
      lazily(180, (index) => {
        const fields = `id title excerpt tags author { id nickname articles(first: 1) { edges { cursor } } }`;
        return graphqlPost({
          query: `{ article(id: 1) { ${times(28, (n) => `c${n}: comments(first: 1) { edges { node { article { ${fields} } } } }`).join(' ')} } } # ${index % 30}`,
        });
      }),
  },
};

/** 12 ** 3 spreads of nine fields, just below the limit of cost. */
function fanOut(): string {
  const fragments = times(3, (level) => `fragment F${level + 1} on Article { ${`...F${level} `.repeat(12)} }`);
  return `{ article(id: 999999) { ...F3 } } ${fragments.join(' ')}
    fragment F0 on Article { id title revision excerpt createdAt tags content author { id nickname } }`;
}
