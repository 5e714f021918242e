/** Series of articles, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { plainShape, shape } from '../engine/shape.js';
import { SERIES_ARTICLE } from './article-shapes.js';
import { PAGINATION, SERIES, SERIES_EXAMPLE } from './shapes.js';

const OWN_SERIES = plainShape(
  'OwnSeries',
  'A series of the authenticated member, with the IDs of its public and private articles. Times are in UTC.',
  { ...SERIES_EXAMPLE, articleIds: [1] },
  'Series',
);

const SERIES_WITH_ARTICLES = shape({
  fragment: `fragment SeriesWithArticles on SeriesWithArticles {
    ${Object.keys(SERIES_EXAMPLE).join(' ')} contents { ...SeriesArticle } pagination { ...Pagination }
  } ${SERIES_ARTICLE} ${PAGINATION}`,
  description: 'A series with a page of its public articles. Times are in UTC.',
  example: SERIES_EXAMPLE,
});

const listOwnSeries: Endpoint = {
  method: 'GET',
  path: '/series',
  summary: 'List your series, the last changed one first',
  description:
    'Authentication required. `articleIds` has all articles of a series in their order, also private ones: change it and send it back to change the ' +
    'list. `articleCount` counts public ones, as for everyone.',
  operation: ['mySeries', OWN_SERIES],
};

const listSeriesOfMember: Endpoint = {
  method: 'GET',
  path: '/members/{memberId}/series',
  group: 'Series',
  summary: 'List the series of a member, the last changed one first',
  description: 'No authentication required. `articleCount` counts public articles.',
  operation: ['memberSeries', SERIES],
  errors: ['MEMBER_NOT_FOUND'],
};

const readSeries: Endpoint = {
  method: 'GET',
  path: '/series/{seriesId}',
  summary: 'Read a series with its articles',
  description:
    'No authentication required. The public articles of the page in the order of the series, with excerpts instead of the full contents.',
  operation: ['series', SERIES_WITH_ARTICLES],
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
  operation: ['createSeries', SERIES],
  errors: ['ARTICLE_NOT_FOUND', 'SERIES_LIMIT_REACHED'],
};

const updateSeries: Endpoint = {
  method: 'PUT',
  path: '/series/{seriesId}',
  summary: 'Change your series',
  description:
    'Author only. Omitted fields keep their values, except the title, which is required. `articleIds` replaces the list: articles that it does not have ' +
    'leave the series, also private ones. Without a difference, nothing is written.',
  example: { title: 'Along the coast', articleIds: [2, 1] },
  message: 'seriesChanged',
  operation: ['updateSeries', SERIES],
  errors: ['ARTICLE_NOT_FOUND', 'SERIES_FORBIDDEN', 'SERIES_NOT_FOUND'],
};

const deleteSeries: Endpoint = {
  method: 'DELETE',
  path: '/series/{seriesId}',
  summary: 'Delete your series',
  description: 'Author only. Its articles stay.',
  message: 'seriesDeleted',
  operation: 'deleteSeries',
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
