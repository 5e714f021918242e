/** Series of articles, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { shape } from '../engine/shape.js';
import { fields, object, pageNumber, path, query } from '../engine/source.js';
import { SERIES_ARTICLE } from './article-shapes.js';
import { PAGINATION, TIMES } from './shapes.js';

const SERIES_FIELDS = 'id title description memberId articleCount updatedAt';

const EXAMPLE = {
  id: 1,
  title: 'Along the coast',
  description: 'From the lighthouse to the harbor, in five days.',
  memberId: 1,
  articleCount: 1,
  updatedAt: TIMES.updatedAt,
};

const SERIES = shape({
  fragment: `fragment Series on Series { ${SERIES_FIELDS} }`,
  description: 'A series with the number of its public articles. Times are in UTC.',
  example: EXAMPLE,
});

const OWN_SERIES = shape({
  fragment: `fragment OwnSeries on Series { ${SERIES_FIELDS} articleIds }`,
  description:
    'A series of the authenticated member, with the IDs of its public and private articles. Times are in UTC.',
  example: { ...EXAMPLE, articleIds: [1] },
});

const SERIES_WITH_ARTICLES = shape({
  fragment: `fragment SeriesWithArticles on SeriesWithArticles {
    ${SERIES_FIELDS} contents { ...SeriesArticle } pagination { ...Pagination }
  } ${SERIES_ARTICLE} ${PAGINATION}`,
  description: 'A series with a page of its public articles. Times are in UTC.',
  example: EXAMPLE,
});

const listOwnSeries: Endpoint = {
  method: 'GET',
  path: '/series',
  summary: 'List your series, the last changed one first',
  description:
    'Authentication required. `articleIds` has all articles of a series in their order, also private ones: change it and send it back to change the ' +
    'list. `articleCount` counts public ones, as for everyone.',
  example: { page: 1, size: 10 },
  operation: `query ($page: Int, $size: Int) {
    mySeries(page: $page, size: $size) { contents { ...OwnSeries } pagination { ...Pagination } }
  } ${OWN_SERIES} ${PAGINATION}`,
  variables: { page: pageNumber(), size: query('size') },
};

const listSeriesOfMember: Endpoint = {
  method: 'GET',
  path: '/members/{memberId}/series',
  group: 'Series',
  summary: 'List the series of a member, the last changed one first',
  description: 'No authentication required. `articleCount` counts public articles.',
  example: { memberId: 1, page: 1, size: 10 },
  operation: `query ($memberId: ID!, $page: Int, $size: Int) {
    memberSeries(memberId: $memberId, page: $page, size: $size) { contents { ...Series } pagination { ...Pagination } }
  } ${SERIES} ${PAGINATION}`,
  variables: { memberId: path('memberId'), page: pageNumber(), size: query('size') },
  errors: ['MEMBER_NOT_FOUND'],
};

const readSeries: Endpoint = {
  method: 'GET',
  path: '/series/{seriesId}',
  summary: 'Read a series with its articles',
  description:
    'No authentication required. The public articles of the page in the order of the series, with excerpts instead of the full contents.',
  example: { seriesId: 1, page: 1, size: 10 },
  operation: `query ($id: ID!, $page: Int, $size: Int) {
    series(id: $id, page: $page, size: $size) { ...SeriesWithArticles }
  } ${SERIES_WITH_ARTICLES}`,
  variables: { id: path('seriesId'), page: pageNumber(), size: query('size') },
  errors: ['SERIES_NOT_FOUND'],
};

const createSeries: Endpoint = {
  method: 'POST',
  path: '/series',
  summary: 'Create a series',
  description:
    'Authentication required. `articleIds` are your articles, public or private, in their order. An article is in one series: listing it moves it ' +
    'there. Title and description are public, also if all articles are private.',
  example: { title: 'Winter at sea', description: 'Written on the ferry.', articleIds: [2] },
  status: 201,
  message: 'seriesCreated',
  operation: `mutation ($input: SeriesInput!) { createSeries(input: $input) { ...Series } } ${SERIES}`,
  variables: { input: object(fields('title', 'description', 'articleIds')) },
  errors: ['ARTICLE_NOT_FOUND', 'SERIES_LIMIT_REACHED'],
};

const updateSeries: Endpoint = {
  method: 'PUT',
  path: '/series/{seriesId}',
  summary: 'Change your series',
  description:
    'Author only. Omitted fields keep their values, except the title, which is required. `articleIds` replaces the list: articles that it does not have ' +
    'leave the series, also private ones. Without a difference, nothing is written.',
  example: { seriesId: 1, title: 'Along the coast', articleIds: [2, 1] },
  message: 'seriesChanged',
  operation: `mutation ($id: ID!, $input: SeriesInput!) { updateSeries(id: $id, input: $input) { ...Series } } ${SERIES}`,
  variables: { id: path('seriesId'), input: object(fields('title', 'description', 'articleIds')) },
  errors: ['ARTICLE_NOT_FOUND', 'SERIES_FORBIDDEN', 'SERIES_NOT_FOUND'],
};

const deleteSeries: Endpoint = {
  method: 'DELETE',
  path: '/series/{seriesId}',
  summary: 'Delete your series',
  description: 'Author only. Its articles stay.',
  example: { seriesId: 1 },
  message: 'seriesDeleted',
  operation: 'mutation ($id: ID!) { deleteSeries(id: $id) { id } }',
  variables: { id: path('seriesId') },
  errors: ['SERIES_FORBIDDEN', 'SERIES_NOT_FOUND'],
};

export const seriesEndpoints = [
  listOwnSeries,
  listSeriesOfMember,
  readSeries,
  createSeries,
  updateSeries,
  deleteSeries,
];
