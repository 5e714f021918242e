/** Lists and objects with as many elements as a body permits take little longer than parsing the same body. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildMember } from '../support/build.js';
import { times } from './requests.js';

const ROUNDS = 5;
/** Relative to the baseline. A message for each element took 20 times as long. */
const MAX_FACTOR = 5;

const ONES = times(400_000, () => 1);
const TEXTS = times(200_000, () => 'ab');
const FIELDS = Object.fromEntries(times(60_000, (index) => [`field${index}`, 1]));

const QUERY = `mutation ($input: CreateArticleInput!) { createArticle(input: $input) { id } }`;
const article = (more: object) => ({ title: 't', content: 'c', ...more });
const operation = (input: object, more: object = {}) => ({
  query: QUERY,
  variables: { input: article(input), ...more },
});
const listed = '{ articles(filter: $filter) { contents { id } } }';
const filtered = (filter: unknown, more: object = {}) => ({
  query: `query ($filter: ArticleFilter) ${listed}`,
  variables: { filter, ...more },
});

interface Case {
  path: string;
  hostile: unknown;
  /** With the same values, where only the parser reads them. */
  baseline: unknown;
  expected: string;
  isAnonymous?: boolean;
}

const CASES: Record<string, Case> = {
  'wrong elements of `tags` over REST': {
    path: '/api/articles',
    hostile: article({ tags: ONES }),
    baseline: { unknown: ONES },
    expected: 'must have at most 10 elements, got 400000',
  },
  'elements of `tags` over REST': {
    path: '/api/articles',
    hostile: article({ tags: TEXTS }),
    baseline: { unknown: TEXTS },
    expected: 'must have at most 10 elements, got 200000',
  },
  'wrong elements of `scopes` over REST': {
    path: '/api/members/me/tokens',
    hostile: { name: 'Many', scopes: ONES, password: 'x' },
    baseline: { unknown: ONES },
    expected: 'elements, got 400000',
  },
  'unknown fields over REST': {
    path: '/api/articles',
    hostile: FIELDS,
    baseline: { unknown: FIELDS },
    expected: 'is not a known field',
  },
  'an object in place of a text over REST': {
    path: '/api/articles',
    hostile: { title: FIELDS, content: 'c' },
    baseline: { unknown: FIELDS },
    expected: 'must be a string',
  },
  'wrong elements of a variable over GraphQL': {
    path: '/graphql',
    hostile: operation({ tags: ONES }),
    baseline: operation({}, { undeclared: ONES }),
    expected: 'QUERY_TOO_COMPLEX',
  },
  'unknown fields of a variable over GraphQL': {
    path: '/graphql',
    hostile: operation(FIELDS),
    baseline: operation({}, { undeclared: FIELDS }),
    expected: 'QUERY_TOO_COMPLEX',
  },
  'a variable of a query whose response may be cached': {
    path: '/graphql',
    hostile: filtered({ keyword: ONES.slice(0, 120_000) }),
    baseline: filtered(null, { undeclared: ONES.slice(0, 120_000) }),
    expected: 'QUERY_TOO_COMPLEX',
    isAnonymous: true,
  },
};

describe('Input with many elements', function () {
  this.timeout(120_000);
  const app = useApp({ LIMIT_WRITES: '1000/1h' });
  let member: BuiltMember;
  before(async () => {
    member = await buildMember(app.url);
  });

  for (const [name, { path, hostile, baseline, expected, isAnonymous }] of Object.entries(CASES)) {
    it(`is rejected in about the time for parsing it: ${name}`, async () => {
      const headers = {
        'Content-Type': 'application/json',
        ...(!isAnonymous && { Authorization: `Bearer ${member.token}` }),
      };
      const [hostileBody, baselineBody] = [JSON.stringify(hostile), JSON.stringify(baseline)];
      const send = async (body: string) => {
        const started = performance.now();
        const response = await fetch(app.url + path, { method: 'POST', headers, body });
        const text = await response.text();
        return { ms: performance.now() - started, status: response.status, text };
      };
      const fastest = { hostile: Number.POSITIVE_INFINITY, baseline: Number.POSITIVE_INFINITY };
      for (let round = 0; round < ROUNDS; round++) {
        const rejected = await send(hostileBody);
        expect(rejected.status, rejected.text).to.equal(400);
        expect(rejected.text).to.include(expected).and.have.length.below(10_000);
        fastest.hostile = Math.min(fastest.hostile, rejected.ms);
        fastest.baseline = Math.min(fastest.baseline, (await send(baselineBody)).ms);
      }
      expect(fastest.hostile / fastest.baseline, JSON.stringify(fastest)).to.be.below(MAX_FACTOR);
    });
  }
});
