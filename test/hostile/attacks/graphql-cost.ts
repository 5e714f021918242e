/** Small documents with large responses, and page sizes that could defeat the cost estimate. */
import type { Attack } from '../attack.js';
import { ARTICLES_WITHOUT_BLANKS, LONG_ARTICLE } from '../journal.js';
import { graphqlPost, type Operation, times } from '../requests.js';

/** A response that is rejected while it is built has the status 200. */
const TOO_COMPLEX = ['400 QUERY_TOO_COMPLEX', '200 QUERY_TOO_COMPLEX'];
/** Rejected before execution. */
const REJECTED = ['400 QUERY_TOO_COMPLEX', '400 VALIDATION_FAILED', '400 BAD_REQUEST'];

const aliases = (count: number, field: string) => times(count, (n) => `a${n}: ${field}`).join(' ');

/** Responses of 100 MB and more, by what they consist of. */
const LARGE: Record<string, string> = {
  'the article of each comment under 30 aliases': `{ comments(articleId: ${LONG_ARTICLE}, size: 100) {
    contents { ${aliases(30, 'article { content }')} } } }`,
  'the article of each reply of each comment': `{ comments(articleId: ${LONG_ARTICLE}, size: 100) {
    contents { replies { article { content } } } } }`,
  'the HTML of the article of each comment': `{ comments(articleId: ${LONG_ARTICLE}, size: 100) {
    contents { ${aliases(3, 'article { contentHtml }')} } } }`,
  'the articles of the authors of articles': `{ articleConnection(first: 100) { edges { node {
    author { articles(first: 30) { edges { node { content } } } } } } } }`,
  'one article under aliases in fragments': `{ article(id: ${LONG_ARTICLE}) { ...F2 } }
    fragment F0 on Article { ${aliases(10, 'content')} }
    fragment F1 on Article { author { articles(first: 10) { edges { node { ...F0 } } } } }
    fragment F2 on Article { comments(first: 100) { edges { node { article { ...F1 } } } } }`,
};

/** 10 ** 6 comments of the long article, with sizes of 100. */
const MILLION = (
  size: string,
) => `commentConnection(articleId: ${LONG_ARTICLE}, first: ${size}) { edges { node { article {
  comments(first: ${size}) { edges { node { article { comments(first: ${size}) { edges { node { id content } } } } } } }
} } } }`;

/** Sizes that are not between 1 and 100, in a document whose other fields are expensive. */
const SIZES: Record<string, Operation> = {
  'negative in a sibling': { query: `{ tags(size: -2147483648) { contents { name } } ${MILLION('100')} }` },
  'negative in a sibling, by variable': {
    query: `query ($n: Int!) { tags(size: $n) { contents { name } } ${MILLION('100')} }`,
    variables: { n: -2147483648 },
  },
  'negative in a sibling, by default': {
    query: `query ($n: Int! = -2147483648) { tags(size: $n) { contents { name } } ${MILLION('100')} }`,
  },
  'negative in itself': { query: `{ ${MILLION('-100')} }` },
  'negative twice, which multiplies to a positive number': {
    query: `{ articles(size: 100) { contents { comments(first: -1000) { edges { node { article { comments(first: -1000) { edges { node { id } } } } } } } } } }`,
  },
  'both first and last': { query: `{ ${MILLION('100, last: -2147483648')} }` },
  'first null and last 100': { query: `{ ${MILLION('null, last: 100')} }` },
  zero: { query: `{ ${MILLION('0')} }` },
  'the largest integer': { query: `{ ${MILLION('2147483647')} }` },
  'a variable without a value': {
    query: `query ($n: Int) { ${MILLION('$n, last: 100')} }`,
  },
  'a fragment that is skipped by one variable and included by another': {
    query: `query ($s: Boolean = false, $i: Boolean = true) { ... @skip(if: $s) @include(if: $i) { ${MILLION('100')} } }`,
  },
  'a variable of another operation in the same document': {
    query: `query A($n: Int = 1) { articles(size: $n) { contents { id } } } query B($n: Int = 100) { ${MILLION('$n')} }`,
    operationName: 'B',
  },
};

export const costAttacks: Readonly<Record<string, Attack>> = {
  ...Object.fromEntries(
    Object.entries(LARGE).map(([what, query]): [string, Attack] => [
      `a response with ${what}, four at once`,
      {
        parallel: 4,
        expected: TOO_COMPLEX,
        requests: () => times(4, () => graphqlPost({ query })),
      },
    ]),
  ),
  '100 articles of 100,000 characters in a response, eight at once': {
    parallel: 8,
    expected: [...TOO_COMPLEX, '200'],
    requests: () =>
      times(16, () =>
        graphqlPost({ query: `{ articles(size: ${ARTICLES_WITHOUT_BLANKS}) { contents { content } } }` }),
      ),
  },
  'an expensive document after the same one with variables that are invalid': {
    parallel: 1,
    expected: [...TOO_COMPLEX, '400 VALIDATION_FAILED'],
    requests: () => {
      const query = `query ($id: ID!) { ${MILLION('100').replace(/articleId: \d+/, 'articleId: $id')} }`;
      const invalid = [{ id: {} }, { id: null }, {}, { id: [1, 2] }, { id: true, undeclared: 1 }];
      return [...invalid, { id: LONG_ARTICLE }, { id: `${LONG_ARTICLE}` }, { id: LONG_ARTICLE, undeclared: 'x' }].map(
        (variables) => graphqlPost({ query, variables }),
      );
    },
  },
  ...Object.fromEntries(
    Object.entries(SIZES).map(([what, operation]): [string, Attack] => [
      `a page size that is ${what}`,
      {
        parallel: 1,
        expected: REJECTED,
        requests: () => [graphqlPost(operation), graphqlPost(operation)],
      },
    ]),
  ),
};
