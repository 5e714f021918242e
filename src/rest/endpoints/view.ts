/** Views of articles, and their statistics for authors, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { plainShape, shape } from '../engine/shape.js';
import { anyPath } from '../engine/source.js';
import { REACTION_COUNTS, REACTION_FIELDS } from './article-shapes.js';

const DAILY_VIEWS = plainShape('DailyViews', 'The number of readers on one day in UTC.', {
  date: '2026-11-20',
  count: 12,
});

const STATISTICS = shape({
  fragment: `fragment ArticleStatistics on ArticleStatistics {
    views { ...DailyViews } viewCount ${REACTION_FIELDS} bookmarkCount commentCount
  } ${DAILY_VIEWS}`,
  description: 'Statistics of an article, for its author.',
  example: { viewCount: 140, ...REACTION_COUNTS, bookmarkCount: 5, commentCount: 3 },
});

const recordView: Endpoint = {
  method: 'POST',
  path: '/articles/{articleId}/views',
  group: 'Reading',
  summary: 'Record that an article is being read',
  description:
    'No authentication required; the page of the reader sends it. Always 204, also if the view is not counted: an article counts each reader once a ' +
    'day, and no robots, prefetches and views of its author, who is recognized by an access token. Counted at the next full minute.',
  status: 204,
  ignoresUnknownParameters: true,
  operation: 'recordView',
  variables: { articleId: anyPath('articleId') },
};

const readStatistics: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/statistics',
  group: 'Reading',
  summary: 'Read the statistics of your article',
  description: 'Author only. Views of each day from `from` to `to`, both included, and the totals of all days.',
  example: { from: '2026-11-20', to: '2026-11-20' },
  operation: ['articleStatistics', STATISTICS],
  errors: ['ARTICLE_FORBIDDEN', 'ARTICLE_NOT_FOUND'],
};

export const viewEndpoints = [recordView, readStatistics];
