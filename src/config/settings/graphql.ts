/** Settings of the limits of GraphQL documents and responses. */
import { wholeNumberFrom } from '../values.js';
import { group } from './group.js';

const LIMIT = { area: 'GraphQL', error: 'QUERY_TOO_COMPLEX' } as const;

export const graphqlSettings = group('GraphQL limits', {
  GRAPHQL_MAX_CHARACTERS: wholeNumberFrom(
    1_000,
    1_000_000,
  )({
    default: '20000',
    desc: 'a whole number from 1000 to 1000000',
    about: 'Characters of a document, counted before it is parsed.',
    limit: LIMIT,
  }),
  GRAPHQL_MAX_TOKENS: wholeNumberFrom(
    100,
    100_000,
  )({
    default: '2000',
    desc: 'a whole number from 100 to 100000',
    about: 'Tokens of a document.',
    limit: LIMIT,
  }),
  GRAPHQL_MAX_DEPTH: wholeNumberFrom(
    3,
    100,
  )({
    default: '12',
    desc: 'a whole number from 3 to 100',
    about: 'Levels of nested fields in a document.',
    limit: LIMIT,
  }),
  GRAPHQL_MAX_ALIASES: wholeNumberFrom(
    1,
    1_000,
  )({
    default: '30',
    desc: 'a whole number from 1 to 1000',
    about: 'Aliases in a document.',
    limit: LIMIT,
  }),
  GRAPHQL_MAX_COST: wholeNumberFrom(
    1_000,
    10_000_000,
  )({
    default: '150000',
    desc: 'a whole number from 1000 to 10000000',
    about:
      'Cost of an operation: the number of fields in the longest response that it can have. Fields with long values cost more: `content` 800, `contentHtml` 1,400, a search by keyword 10,000.',
    limit: LIMIT,
  }),
  GRAPHQL_MAX_RESPONSE_MB: wholeNumberFrom(
    1,
    512,
  )({
    default: '48',
    desc: 'a whole number from 1 to 512',
    about: 'Size of a response in MiB, over GraphQL and REST.',
    limit: LIMIT,
  }),
});
